// Drift: whether a profile still says what this machine does.
#pragma once

#include <functional>
#include <memory>
#include <switchyard/backends/executor.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// How the models of one kind of operation, in one space or over one link, do today.
struct Drift {
  Operation operation = Operation::Multiply;  ///< the kind
  Space from;                                 ///< where it is done, or begins
  Space to;                                   ///< `from` for all but transfers
  Index samples = 0;                          ///< how many times were measured and predicted
  double factor = 1;                          ///< the median of measured over predicted time
  double promised = 1;  ///< what calibration promised: the factor at the 95th percentile

  /// Further off than promised, and than twice: what is less comes and goes on a busy machine.
  [[nodiscard]] bool drifted() const noexcept;
};

/// How long to measure, and by what clock.
struct DriftOptions {
  double seconds = 2;  ///< no more is begun after that
  /// Seconds since some fixed moment; absent: the steady clock.
  std::function<double()> clock = {};
};

/// Measures a few products, conversions and transfers on `executors` (those of a runtime) and
/// compares them with the models of `profile`. One entry for each operation and space of which
/// anything could be compared, in their order. A device that fails is left out with a warning in
/// the log.
[[nodiscard]] std::vector<Drift> measure_drift(
    const std::vector<std::shared_ptr<Executor>>& executors, const Profile& profile,
    const DriftOptions& options = {});

}  // namespace switchyard
