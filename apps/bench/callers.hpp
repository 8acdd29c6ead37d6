// `bench callers`: threads that multiply at once, against one that makes all of their calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/output.hpp"
#include "matrices.hpp"

namespace switchyard::command::bench {

/// So many callers at once, and one caller with all of their calls. Seconds are until the last
/// caller has read its y on the host, with decisions and conversions.
struct CallersCase {
  std::string matrix;
  Precision precision = Precision::Float;
  std::optional<State> pinned = {};  ///< absent: automatic choice
  bool shared = false;               ///< whether all callers use one handle, or each its own
  Index callers = 1;
  Index calls = 1;              ///< of each caller
  double seconds_one = 0;       ///< one caller's for all calls; 0 where it failed
  double seconds_together = 0;  ///< the same of all callers at once
  Index rounds = 0;
  double max_error = 0;  ///< times what rounding allows
  std::string failure = {};

  [[nodiscard]] double ratio() const { return seconds_together / seconds_one; }
};

/// Measures each matrix with one handle for each caller and with a shared one. A wrong result or an
/// exception is among the laboratory's failures.
[[nodiscard]] std::vector<CallersCase> bench_callers(Laboratory& lab);

[[nodiscard]] Json callers_json(const std::vector<CallersCase>& cases);
[[nodiscard]] Json callers_summary_json(const std::vector<CallersCase>& cases);
[[nodiscard]] std::string callers_text(const std::vector<CallersCase>& cases);

}  // namespace switchyard::command::bench
