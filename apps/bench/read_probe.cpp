// Choosing the probe, and reading its laps.
#include "read_probe.hpp"

namespace switchyard::command::bench {

std::unique_ptr<ReadProbe> make_read_probe(Executor& executor) {
  if (executor.space().is_host()) return make_host_read_probe(executor);
  return make_device_read_probe(executor);
}

Laps Yardstick::reading(const std::vector<Laps>& laps, std::size_t to_bytes) const {
  Laps best;
  for (std::size_t i = 0; i < racers.size(); ++i) {
    const bool better = best.seconds.empty() || laps[i].per_call() < best.per_call();
    if (!laps[i].seconds.empty() && better) best = laps[i];
  }
  const double stretch = static_cast<double>(to_bytes) / static_cast<double>(bytes);
  for (double& seconds : best.seconds) seconds *= stretch;
  return best;
}

}  // namespace switchyard::command::bench
