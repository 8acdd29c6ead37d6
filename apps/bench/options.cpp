// Telling what was asked for from what was not.
#include "options.hpp"

#include <algorithm>

#include "command/command.hpp"
#include "command/interruption.hpp"

namespace switchyard::command::bench {

bool BenchOptions::wants(const std::string& word) const {
  // The others take minutes: only for those who ask for them.
  if (words.empty()) return word == "kernels" || word == "conversions" || word == "transfers";
  return std::ranges::find(words, word) != words.end();
}

bool BenchOptions::wants(State state) const {
  return states.empty() || std::ranges::find(states, state) != states.end();
}

bool BenchOptions::wants(Space space) const {
  return states.empty() || std::ranges::find(states, space, &State::space) != states.end();
}

void Laboratory::show_progress(std::size_t done, std::size_t all, const std::string& what) {
  const auto now = std::chrono::steady_clock::now();
  if (done == 0) begin = now;
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const double spent = std::chrono::duration<double>(now - begin).count();
  bar.show(share, what, done > 0 ? spent * (1 - share) / share : -1);
}

void Laboratory::attempt(const std::string& what, const std::function<void()>& work) {
  if (is_interrupted()) {
    ++skipped;
    return;
  }
  try {
    work();
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    failures.push_back(what + ": " + error.what());
  }
}

ReadProbe& Laboratory::probe(Executor& executor) {
  auto& probe = probes[executor.space()];
  if (!probe) probe = make_read_probe(executor);
  return *probe;
}

}  // namespace switchyard::command::bench
