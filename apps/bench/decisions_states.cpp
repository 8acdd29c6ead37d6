// Leaving out what does not fit or would take up all of the time.
#include "decisions_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <switchyard/backends/operations.hpp>

#include "command/table.hpp"

namespace switchyard::command::bench {
namespace {

/// A form that is mostly zeros and larger than that is left out: states are made again and again,
/// and one that takes tenths of a second to make would take up all of the time.
double most_wasteful_bytes(const BenchOptions& options) { return options.quick ? 6e7 : 3e8; }

std::string why_not_made(const BenchOptions& options, const Executor& executor, Format format,
                         const Structure& structure, Precision precision) {
  const auto bytes = [&](Format form) { return bytes_in(form, structure, size_of(precision)); };
  std::string why_not = why_not_held(executor, format, structure, precision, options);
  if (!why_not.empty()) return why_not;
  const bool wasteful =
      bytes(format) > most_wasteful_bytes(options) && bytes(format) > 4 * bytes(Format::Csr);
  return wasteful ? "its " + format_bytes(bytes(format)) + " would be mostly zeros" : "";
}

/// The variants of that state that can be held for this matrix. Empty where there is one only, on
/// devices, and unless the options ask for variants.
std::vector<FixedChoice> variants_to_hold(const Laboratory& lab, State state,
                                          const Structure& structure, Precision precision) {
  std::vector<FixedChoice> choices;
  if (!lab.options.holds_variants() || !state.space.is_host()) return choices;
  const ExecutorFacts& facts = lab.runtime.executors().front()->facts();
  const auto profile = lab.runtime.profile();
  for (const auto& operation : multiply_operations<float>()) {
    if (operation.backend != Backend::OpenMP || operation.format != state.format) continue;
    if (!operation.computes(Request{}) || !operation.suited(facts, structure)) continue;
    if (!profile->find(multiply_key(state, precision, operation.variant))) continue;
    choices.push_back({state, operation.variant});
  }
  if (choices.size() < 2) choices.clear();
  return choices;
}

/// Whether some kernel there computes one of the kinds of calls. Whoever asks for plain products
/// does not hold what has to scatter them.
bool computes_any(Backend backend, Format format, std::span<const Request> kinds) {
  return std::ranges::any_of(multiply_operations<float>(), [&](const auto& operation) {
    if (operation.backend != backend || operation.format != format) return false;
    return std::ranges::any_of(kinds, [&](const Request& kind) {
      return operation.computes(kind) && (kind.operand == gathered_operand(format) ||
                                          (kind.operand == Operand::Transpose && is_given(format)));
    });
  });
}

}  // namespace

std::vector<State> states_for(Laboratory& lab, const std::string& matrix,
                              const Structure& structure, Precision precision,
                              std::span<const Request> kinds) {
  std::vector<State> states;
  for (const auto& executor : lab.runtime.executors()) {
    const Space space = executor->space();
    if (!executor->supports(precision)) continue;
    if (!space.is_host() && !lab.options.wants(space)) continue;
    for (const FormatFacts& facts : format_table) {
      if (!computes_any(executor->backend(), facts.format, kinds)) continue;
      const State state{space, facts.format};
      const auto reason = why_not_made(lab.options, *executor, facts.format, structure, precision);
      if (reason.empty()) {
        states.push_back(state);
        continue;
      }
      const auto note = fmt::format("{} is left out of {} ({}): {}", name(state), matrix,
                                    name(precision), reason);
      if (std::ranges::find(lab.notes, note) == lab.notes.end()) lab.notes.push_back(note);
    }
  }
  return states;
}

std::vector<FixedChoice> choices_to_hold(Laboratory& lab, const std::string& matrix,
                                         const Structure& structure, Precision precision) {
  std::vector<FixedChoice> choices;
  const std::vector<Request> plain{{}};
  for (const State state : states_for(lab, matrix, structure, precision, plain)) {
    choices.push_back({state});
    std::ranges::copy(variants_to_hold(lab, state, structure, precision),
                      std::back_inserter(choices));
  }
  return choices;
}

}  // namespace switchyard::command::bench
