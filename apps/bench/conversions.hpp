// `bench conversions`: from each format to each other, in every space.
#pragma once

#include <string>
#include <vector>

#include "command/output.hpp"
#include "matrices.hpp"
#include "peer_times.hpp"

namespace switchyard::command::bench {

/// One conversion of one matrix in one space, measured.
struct ConversionCase {
  std::string matrix;
  double density = 0;
  Precision precision = Precision::Float;
  Space space;
  Format from = Format::Dense;
  Format to = Format::Csr;
  std::size_t bytes = 0;  ///< of both forms: what is read and written at least
  double seconds = 0;     ///< 0 where it failed
  /// Of reading the dense form at the bandwidth of the same race; 0 where there is none.
  double dense_read_seconds = 0;
  double dense_reads = 0;  ///< how many times as long as that, paired
  bool right = false;
  PeerTimes peers = {};
  std::string failure = {};
};

[[nodiscard]] std::vector<ConversionCase> bench_conversions(Laboratory& lab);

[[nodiscard]] Json conversions_json(const std::vector<ConversionCase>& cases, bool with_peers);
[[nodiscard]] std::string conversions_text(const std::vector<ConversionCase>& cases);

}  // namespace switchyard::command::bench
