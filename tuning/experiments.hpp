// What is measured: which matrices, which sizes of transfers.
#pragma once

#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/tuning/calibrate.hpp>
#include <vector>

namespace switchyard {

/// Of the matrices for GPUs, one in so many is `between`.
inline constexpr int between_every = 8;

/// One matrix to measure every operation on.
struct MatrixExperiment {
  GenerateOptions matrix;
  bool dense = true;         ///< small enough for formats as large as the dense one
  double weight = 1;         ///< about how long it takes, relative to the others
  bool hub = false;          ///< one row is full, as in a graph with a vertex next to all others
  bool for_gpus = false;     ///< so large that only a GPU is fast enough
  bool between = false;      ///< so full that any format between dense and CSR may be the fastest
  bool few_formats = false;  ///< leaves out formats that are seldom the fastest
  Index block = 1;  ///< each element of `matrix` becomes a block of so many rows and columns
};

/// The experiment with a matrix of about as many nonzeros that suits `format`, where not all
/// matrices do: of small dense blocks, of few full diagonals, of rows of about the same length, or
/// a tenth full at least. Unchanged for other formats.
[[nodiscard]] MatrixExperiment suited_to(Format format, MatrixExperiment experiment);

/// Whether the experiment's matrix, of that structure, is measured in `format`: one that takes more
/// than twice the bytes of CSR is never near the best, unless the experiment is for dense matrices
/// and it takes no more than the dense format.
[[nodiscard]] bool fits(const MatrixExperiment& experiment, Format format,
                        const Structure& structure, Precision precision);

/// The matrix of an experiment, in host memory. Throws what `generate` throws.
template <Element T>
[[nodiscard]] Csr<T> matrix_of(const MatrixExperiment& experiment);

/// The matrices for an effort, none larger in dense form than `dense_bytes` at 8 bytes an element.
/// In an order in which every beginning covers the whole range of sizes, shapes and densities.
[[nodiscard]] std::vector<MatrixExperiment> matrix_experiments(Effort effort, double dense_bytes);

/// The sizes of transfers for an effort, ascending, in bytes, none larger than `most_bytes`. Half
/// as many if they are only copied within the host's memory, which is simpler to model.
[[nodiscard]] std::vector<Index> transfer_sizes(Effort effort, double most_bytes,
                                                bool only_copied = false);

/// The time that an effort should not exceed, in seconds.
[[nodiscard]] double seconds_for(Effort effort) noexcept;
/// The share of the usual time that one measurement may take.
[[nodiscard]] double patience_for(Effort effort) noexcept;

}  // namespace switchyard
