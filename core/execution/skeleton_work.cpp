// Recording a skeleton, and comparing the states in which it can be computed.
#include "execution/skeleton_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <switchyard/core/text.hpp>

#include "execution/zeros.hpp"

namespace switchyard {
namespace {

bool computes_in_double(const RecordedFunction& function) {
  return std::ranges::any_of(function.all_nodes(), [](const RecordedNode& node) {
    return node.type == ValueType::Double;
  });
}

}  // namespace

template <Element T>
SkeletonWork<T>::SkeletonWork(const UserFunction<T>& function, const UserFold<T>* fold,
                              std::size_t operands)
    : function_(function), fold_(fold), operands_(operands) {
  function.record(function.object, recorded_);
  only_on_host_ = recorded_.problem;
  keeps_zeros_ = makes_zero(function, recorded_);
  in_double_ = computes_in_double(recorded_);
  if (!fold || only_on_host_) return;
  fold->record(fold->object, false, recorded_fold_);
  only_on_host_ = recorded_fold_.problem;
}

template <Element T>
bool SkeletonWork<T>::suits(const Executor& executor) const noexcept {
  if (executor.space().is_host()) return true;
  if (only_on_host_ || !executor.supports(precision_of<T>)) return false;
  return executor.facts().supports_double || !in_double_;
}

template <Element T>
ElementFunction<T> SkeletonWork<T>::function_for(const Executor& executor) const noexcept {
  return {function_, executor.space().is_host() ? nullptr : &recorded_};
}

template <Element T>
ElementFold<T> SkeletonWork<T>::fold_for(const Executor& executor) noexcept {
  if (executor.space().is_host()) return {*fold_, nullptr};
  recorded_fold_ = {};
  fold_->record(fold_->object, fold_->in_double && executor.facts().supports_double,
                recorded_fold_);
  return {*fold_, &recorded_fold_};
}

void SkeletonChoice::consider(State other, const SkeletonCost& cost, double way) noexcept {
  const double total = cost.itself + cost.around + way;
  if (total < seconds) {
    if (seconds < unknown) {
      next = state;
      next_seconds = seconds;
    }
    state = other;
    itself_seconds = cost.itself;
    seconds = total;
  } else if (total < next_seconds) {
    next = other;
    next_seconds = total;
  }
}

std::string choice_line(StepKind skeleton, std::string_view subject, const SkeletonChoice& choice,
                        const char* only_on_host) {
  std::string line = fmt::format("{} {}: {}", name(skeleton), subject, name(choice.state));
  if (choice.seconds < SkeletonChoice::unknown)
    line += fmt::format(" {}", format_seconds(choice.seconds));
  if (choice.next) {
    line += fmt::format("; next: {} {}", name(*choice.next), format_seconds(choice.next_seconds));
  } else {
    line += "; no alternative";
  }
  return only_on_host ? line + "; host only: " + only_on_host : line;
}

std::string skeleton_lines(std::span<const Step> history) {
  std::string lines;
  for (const Step& step : history) {
    const bool is_one = step.kind == StepKind::Map || step.kind == StepKind::MapRows ||
                        step.kind == StepKind::Reduce;
    if (!is_one) continue;
    std::string text = fmt::format("{} in {}, {}: predicted {}", name(step.kind), name(step.to),
                                   step.calls == 1 ? "once" : fmt::format("{} times", step.calls),
                                   format_seconds(step.predicted_seconds));
    if (step.measured_seconds) {
      text += fmt::format(", measured {}", format_seconds(*step.measured_seconds));
      if (step.measured_calls < step.calls)
        text += fmt::format(" for {} of them", step.measured_calls);
    }
    lines += folded(lines.empty() ? "skeletons  " : "           ", text);
  }
  return lines;
}

template class SkeletonWork<float>;
template class SkeletonWork<double>;

}  // namespace switchyard
