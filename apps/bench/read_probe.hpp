// How fast one space can read so many bytes: what every other time is compared with.
#pragma once

#include <memory>
#include <switchyard/backends/executor.hpp>
#include <vector>

#include "race.hpp"

namespace switchyard::command::bench {

/// Reads memory of its own in one space, as fast as plain code there can: the sum of all words of
/// an array, in several independent sums.
class ReadProbe {
 public:
  ReadProbe() = default;
  virtual ~ReadProbe() = default;
  ReadProbe(const ReadProbe&) = delete;
  ReadProbe& operator=(const ReadProbe&) = delete;

  /// Makes room for reading `bytes`; returns how many it will be, fewer where memory is short.
  [[nodiscard]] virtual std::size_t prepare(std::size_t bytes) = 0;
  /// Ways of reading them, of which the fastest counts. They use this object.
  [[nodiscard]] virtual std::vector<Racer> racers(std::size_t bytes) = 0;
};

[[nodiscard]] std::unique_ptr<ReadProbe> make_host_read_probe(Executor& host);
[[nodiscard]] std::unique_ptr<ReadProbe> make_device_read_probe(Executor& device);

/// The one that fits the executor.
[[nodiscard]] std::unique_ptr<ReadProbe> make_read_probe(Executor& executor);

/// More than any cache holds; the bandwidth of larger arrays is the same.
inline constexpr std::size_t most_probe_bytes = std::size_t{2} << 30U;

/// The probe's racers for about as many bytes as a case moves, and what their laps say.
struct Yardstick {
  std::size_t bytes = 0;
  std::vector<Racer> racers = {};

  Yardstick(ReadProbe& probe, std::size_t wanted)
      : bytes(probe.prepare(wanted)), racers(probe.racers(bytes)) {}

  /// The laps of the fastest of the racers, which stand at the beginning of `laps`, stretched to
  /// `to_bytes`: the seconds that reading these would have taken.
  [[nodiscard]] Laps reading(const std::vector<Laps>& laps, std::size_t to_bytes) const;
};

}  // namespace switchyard::command::bench
