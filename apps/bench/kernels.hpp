// `bench kernels`: every variant of every product, on every matrix.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command/output.hpp"
#include "matrices.hpp"
#include "options.hpp"
#include "peer_times.hpp"

namespace switchyard::command::bench {

/// One variant's product with one matrix in one state, measured.
struct KernelCase {
  std::string matrix;
  std::string family;
  Precision precision = Precision::Float;
  State state;
  std::string variant;
  Request request = {};  ///< what it computes
  Index rows = 0;
  Index cols = 0;
  Index nnz = 0;
  std::size_t bytes = 0;                 ///< of the matrix, x and y, each once
  double seconds = 0;                    ///< of one product; 0 where it failed
  double bandwidth = 0;                  ///< of reading so many bytes, in the same race
  double fraction = 0;                   ///< of that bandwidth, paired lap by lap
  std::optional<double> predicted = {};  ///< by the profile's model
  bool chosen = false;                   ///< the models' choice among the variants of this state
  double max_error = 0;                  ///< times what rounding allows
  PeerTimes peers = {};
  std::string failure = {};

  [[nodiscard]] bool right() const { return failure.empty() && max_error <= 1; }
};

/// Measures all of them. What cannot be measured is in the laboratory's notes; a wrong result of
/// ours is among its failures.
[[nodiscard]] std::vector<KernelCase> bench_kernels(Laboratory& lab,
                                                    const std::vector<Subject>& subjects);

[[nodiscard]] Json kernel_cases_json(const std::vector<KernelCase>& cases, bool with_peers);
/// For each state and family: how our choice and our best variant stand beside the best peer, and
/// what wrong choices cost.
[[nodiscard]] Json kernel_summary_json(const std::vector<KernelCase>& cases);
[[nodiscard]] std::string kernel_summary_text(const std::vector<KernelCase>& cases);
[[nodiscard]] std::string kernels_text(const std::vector<KernelCase>& cases);

/// For each matrix and space, our fastest state against the fastest peer in whatever format.
[[nodiscard]] Json best_formats_json(const std::vector<KernelCase>& cases);
[[nodiscard]] std::string best_formats_text(const std::vector<KernelCase>& cases);

/// For each matrix and device, what the least prediction of all states and variants takes beside
/// the fastest; null where there are no predictions.
[[nodiscard]] Json long_horizon_json(const std::vector<KernelCase>& cases);
[[nodiscard]] std::string long_horizon_text(const std::vector<KernelCase>& cases);

/// A text of at most that many places, its end left out where it is longer.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most);

/// The bandwidth of the largest footprint in each space.
[[nodiscard]] std::map<std::string, double> largest_bandwidths(
    const std::vector<KernelCase>& cases);

}  // namespace switchyard::command::bench
