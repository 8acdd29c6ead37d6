// What is measured: which matrices, which sizes of transfers.
#pragma once

#include <switchyard/containers/generate.hpp>
#include <switchyard/tuning/calibrate.hpp>
#include <vector>

namespace switchyard {

/// One matrix to measure every operation on.
struct MatrixExperiment {
  GenerateOptions matrix;
  bool dense = true;  ///< small enough to be held in dense form too
  double weight = 1;  ///< about how long it takes, relative to the others
  /// One row is full, as in a graph with a hub that everybody knows.
  bool hub = false;
  /// So large, and so full of nonzeros, that only a GPU takes no time over it.
  bool for_gpus = false;
};

/// The matrix of an experiment, in host memory. Throws what `generate` throws.
template <Element T>
[[nodiscard]] Csr<T> matrix_of(const MatrixExperiment& experiment);

/// The matrices for an effort, none larger in dense form than `dense_bytes` at 8 bytes an element.
/// In an order in which every beginning covers the whole range of sizes, shapes and densities.
[[nodiscard]] std::vector<MatrixExperiment> matrix_experiments(Effort effort, double dense_bytes);

/// The sizes of transfers for an effort, ascending, in bytes, none larger than `most_bytes`.
[[nodiscard]] std::vector<Index> transfer_sizes(Effort effort, double most_bytes);

/// The time that an effort should not exceed, in seconds.
[[nodiscard]] double seconds_for(Effort effort) noexcept;
/// The share of the usual time that one measurement may take.
[[nodiscard]] double patience_for(Effort effort) noexcept;

}  // namespace switchyard
