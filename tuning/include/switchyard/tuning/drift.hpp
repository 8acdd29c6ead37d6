// Drift: whether a profile still matches this machine.
#pragma once

#include <functional>
#include <memory>
#include <switchyard/backends/executor.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// How well the models of one operation, in one space or over one link, match today.
struct Drift {
  Operation operation = Operation::Multiply;  ///< the kind
  Space from;                                 ///< the space, or where a transfer begins
  Space to;                                   ///< where a transfer ends, else `from`
  Index samples = 0;                          ///< number of times compared
  double factor = 1;                          ///< the median of measured over predicted time
  double promised = 1;  ///< what calibration promised: the factor at the 95th percentile

  /// Whether the deviation exceeds both what calibration promised and a factor of 2. Smaller
  /// deviations are normal under load.
  [[nodiscard]] bool drifted() const noexcept;
};

/// The options of a drift measurement.
struct DriftOptions {
  double seconds = 2;  ///< no measurement is begun after that time
  /// Seconds since some fixed moment; absent: the steady clock.
  std::function<double()> clock = {};
};

/// Measures some multiplications, conversions and transfers on `executors` (those of a runtime),
/// and compares them with the models of `profile`. Returns one entry for each operation and space
/// that could be compared, in their order. A device that fails is left out with a warning in the
/// log.
[[nodiscard]] std::vector<Drift> measure_drift(
    const std::vector<std::shared_ptr<Executor>>& executors, const Profile& profile,
    const DriftOptions& options = {});

}  // namespace switchyard
