// Readings of the system's counters, compared.
#include "load_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace switchyard {

LoadWatch::LoadWatch(LoadSource source) : source_(std::move(source)) {
  constexpr int readings = 5;
  constexpr double seconds = 0.1;
  const MachineLoad first = source_.read();
  double running = 0;
  for (int i = 0; i < readings; ++i) {
    source_.pause(seconds / readings);
    begin_ = source_.read();
    // This thread is one of them.
    if (!begin_.average) continue;
    running += static_cast<double>(std::max<Index>(begin_.average->running, 1)) - 1;
  }
  const auto between = load_between(first, begin_);
  if (!between) return;
  before_ = CalibrationLoad{};
  before_->processors = static_cast<int>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
  before_->average = running / readings;
  before_->others_before = between->others;
}

std::optional<CalibrationLoad> LoadWatch::until_now(double seconds) const {
  if (!before_) return std::nullopt;
  CalibrationLoad load = *before_;
  const MachineLoad now = source_.read();
  if (const auto between = load_between(begin_, now)) {
    load.others = between->others;
    load.steal = between->steal;
  }
  const Index switches = now.involuntary_switches - begin_.involuntary_switches;
  if (seconds > 0) {
    load.switches_per_second = static_cast<double>(std::max<Index>(switches, 0)) / seconds;
  }
  return load;
}

}  // namespace switchyard
