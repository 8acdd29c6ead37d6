// Leaving out what does not fit or would take up all of the time.
#include "decisions_states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command/table.hpp"

namespace switchyard::command::bench {
namespace {

/// A form that is mostly zeros and larger than that is left out: states are made again and again,
/// and one that takes tenths of a second to make would take up all of the time.
double most_wasteful_bytes(const BenchOptions& options) { return options.quick ? 6e7 : 3e8; }

std::string why_not_made(const BenchOptions& options, const Executor& executor, Format format,
                         const Structure& structure, Precision precision) {
  const auto bytes = [&](Format form) { return bytes_in(form, structure, size_of(precision)); };
  const bool wasteful =
      bytes(format) > most_wasteful_bytes(options) && bytes(format) > 4 * bytes(Format::Csr);
  if (wasteful) return "its " + format_bytes(bytes(format)) + " would be mostly zeros";
  return why_not_held(executor, format, structure, precision, options);
}

}  // namespace

std::vector<State> states_to_hold(Laboratory& lab, const std::string& matrix,
                                  const Structure& structure, Precision precision) {
  std::vector<State> states;
  for (const auto& executor : lab.runtime.executors()) {
    const Space space = executor->space();
    if (!executor->supports(precision)) continue;
    if (!space.is_host() && !lab.options.wants(space)) continue;
    for (const FormatFacts& facts : format_table) {
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

}  // namespace switchyard::command::bench
