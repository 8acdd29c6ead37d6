// Telling what was asked for from what was not.
#include "options.hpp"

#include <algorithm>

namespace switchyard::command::bench {

bool BenchOptions::wants(const std::string& word) const {
  return words.empty() || std::ranges::find(words, word) != words.end();
}

bool BenchOptions::wants(State state) const {
  return states.empty() || std::ranges::find(states, state) != states.end();
}

bool BenchOptions::wants(Space space) const {
  return states.empty() || std::ranges::find(states, space, &State::space) != states.end();
}

ReadProbe& Laboratory::probe(Executor& executor) {
  auto& probe = probes[executor.space()];
  if (!probe) probe = make_read_probe(executor);
  return *probe;
}

}  // namespace switchyard::command::bench
