// Holding a kernel variant by a profile that lacks the models of all others.
#include "fixed_choice.hpp"

#include <algorithm>
#include <ranges>
#include <switchyard/backends/operations.hpp>

namespace switchyard::command::bench {
namespace {

/// The operation of a host variant. The number of threads does not depend on the element type.
const MultiplyOperation<float>* operation_of(Format format, std::string_view variant) {
  return find_multiply<float>(format, Backend::OpenMP, variant);
}

}  // namespace

std::string name(const FixedChoice& choice) {
  std::string text = switchyard::name(choice.state);
  return choice.variant.empty() ? text : text + "/" + std::string(choice.variant);
}

Runtime& runtime_holding(Laboratory& lab, const FixedChoice& choice) {
  if (choice.variant.empty()) return lab.runtime;
  const Threads threads = operation_of(choice.state.format, choice.variant)->threads;
  auto& runtime = lab.runtimes[threads];
  if (runtime) return *runtime;
  const auto wanted = [&](const CostModel& model) {
    const ModelKey& key = model.key;
    if (key.operation != Operation::Multiply || !key.to.space.is_host()) return true;
    const auto* const operation = operation_of(key.to.format, key.variant);
    return !operation || operation->threads == threads;
  };
  runtime = std::make_unique<Runtime>();
  const auto profile = lab.runtime.profile();
  std::vector<CostModel> models;
  std::ranges::copy_if(profile->models(), std::back_inserter(models), wanted);
  runtime->use_profile(profile->with(profile->fingerprint(), std::move(models)));
  return *runtime;
}

FixedChoice last_choice(const std::vector<Step>& history) {
  const auto last =
      std::ranges::find(history | std::views::reverse, StepKind::Multiply, &Step::kind);
  return {last->to, last->variant};
}

void check_held(const FixedChoice& choice, const std::vector<Step>& history) {
  if (choice.variant.empty()) return;
  for (const Step& step : history) {
    if (step.kind != StepKind::Multiply || step.variant == choice.variant) continue;
    throw Error(ErrorCode::Unsupported,
                name(choice) + " was not held: calls used " + std::string(step.variant));
  }
}

}  // namespace switchyard::command::bench
