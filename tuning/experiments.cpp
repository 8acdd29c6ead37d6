// The design of the experiments: points spread evenly over size, shape, density and kind.
#include "experiments.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace switchyard {
namespace {

/// How many matrices, and how large.
struct Extent {
  int dense_matrices = 0;
  int sparse_matrices = 0;
  int large_matrices = 0;    ///< for GPUs
  double most_elements = 0;  ///< of a matrix held in dense form
  double most_nonzeros = 0;  ///< of a matrix held in sparse form only
  double for_gpus = 0;       ///< nonzeros of the large matrices, about
  int transfers = 0;
  double most_transfer_bytes = 0;
  double seconds = 0;   ///< the time that it should not exceed
  double patience = 1;  ///< the share of the usual time for one measurement
};

/// In the order of `Effort`.
constexpr std::array extents{
    Extent{.dense_matrices = 36,
           .sparse_matrices = 30,
           .large_matrices = 4,
           .most_elements = 1.2e7,
           .most_nonzeros = 4e6,
           .for_gpus = 4e6,
           .transfers = 20,
           .most_transfer_bytes = 3.2e7,
           .seconds = 18,
           .patience = 0.25},
    Extent{.dense_matrices = 80,
           .sparse_matrices = 72,
           .large_matrices = 24,
           .most_elements = 5e7,
           .most_nonzeros = 8e6,
           .for_gpus = 2e7,
           .transfers = 30,
           .most_transfer_bytes = 1.28e8,
           .seconds = 115,
           .patience = 0.4},
    Extent{.dense_matrices = 160,
           .sparse_matrices = 144,
           .large_matrices = 48,
           .most_elements = 1e8,
           .most_nonzeros = 5e7,
           .for_gpus = 5e7,
           .transfers = 60,
           .most_transfer_bytes = 1e9,
           .seconds = 600,
           .patience = 1},
};

/// So many sparse experiments from one with a hub to the next.
constexpr int hub_every = 5;

const Extent& extent_of(Effort effort) { return extents[static_cast<std::size_t>(effort)]; }

/// The digits of `i` in base `base`, mirrored at the point: in [0, 1).
double radical_inverse(int i, int base) {
  double inverse = 0;
  double place = 1;
  for (; i > 0; i /= base) {
    place /= base;
    inverse += place * (i % base);
  }
  return inverse;
}

/// The i-th point of the Halton sequence, which fills the unit cube evenly however soon it is
/// stopped, and so does each coordinate by itself, the first one best (J. H. Halton, "On the
/// efficiency of certain quasi-random sequences of points", Numerische Mathematik 2, 1960).
std::array<double, 4> quasirandom(int i) {
  return {radical_inverse(i + 1, 2), radical_inverse(i + 1, 3), radical_inverse(i + 1, 5),
          radical_inverse(i + 1, 7)};
}

double between_logs(double low, double high, double share) {
  return low * std::pow(high / low, share);
}

Index whole(double value) { return std::max<Index>(static_cast<Index>(std::llround(value)), 1); }

/// From this place in the range of sizes on, matrices have densities of 5 to 100 % evenly: whether
/// dense, a bitmap or CSR is fastest turns there, and turns elsewhere in a cache than out of it.
constexpr double evenly_dense_from = 0.8;

/// Matrices that may be worth holding in dense form: any shape, density from 0.2 % to 100 %.
MatrixExperiment dense_experiment(int i, double most_elements) {
  const auto [size, shape, density, kind] = quasirandom(i);
  const double elements = between_logs(256, most_elements, size);
  const double aspect = between_logs(1.0 / 512, 512, shape);
  GenerateOptions matrix;
  matrix.kind = kind < 0.6 ? MatrixKind::Uniform : MatrixKind::Pruned;
  matrix.rows = whole(std::sqrt(elements * aspect));
  matrix.cols = whole(std::sqrt(elements / aspect));
  matrix.density = size < evenly_dense_from ? std::min(between_logs(0.002, 1.3, density), 1.0)
                                            : 0.05 + 0.95 * density;
  matrix.seed = static_cast<std::uint64_t>(i) + 1;
  return {matrix, true, 1e-4 + elements * 2e-9};
}

/// Matrices that only a sparse format can hold: rows of 1 to 200 nonzeros, of every kind.
MatrixExperiment sparse_experiment(int i, double most_nonzeros) {
  constexpr std::array kinds{MatrixKind::Uniform,   MatrixKind::PowerLaw, MatrixKind::Banded,
                             MatrixKind::Poisson2d, MatrixKind::PowerLaw, MatrixKind::Poisson3d};
  const auto [size, shape, row, turn] = quasirandom(i);
  const double nonzeros = between_logs(2000, most_nonzeros, size);
  const double mean_row = between_logs(1, 200, row);
  GenerateOptions matrix;
  matrix.kind = kinds[static_cast<std::size_t>(turn * kinds.size())];
  matrix.rows = whole(std::max(nonzeros / mean_row, 64.0));
  matrix.seed = static_cast<std::uint64_t>(i) + 1000;
  const auto cols = static_cast<double>(matrix.rows);
  if (matrix.kind == MatrixKind::Banded) {
    matrix.bandwidth = std::min(whole(mean_row * (1 + 3 * shape)), matrix.rows);
    matrix.density = std::clamp(mean_row / (2 * static_cast<double>(matrix.bandwidth)), 1e-3, 1.0);
  } else if (matrix.kind != MatrixKind::Poisson2d && matrix.kind != MatrixKind::Poisson3d) {
    matrix.density = std::clamp(mean_row / cols, 1e-9, 1.0);
  }
  return {matrix, false, 1e-4 + nonzeros * 1e-8, i % hub_every == hub_every - 1};
}

/// One in so many matrices for GPUs is so large that nothing but bandwidth counts, and every other
/// one of these is square and as full as bitmaps and packed CSR are worth having.
constexpr int huge_every = 4;
static_assert(between_every == 2 * huge_every);
/// What an element of a sparse matrix takes in double, its index included.
constexpr double bytes_of_nonzero = 12;

/// A matrix between dense and CSR is measured in about so many times as many formats as others.
constexpr double formats_between = 3;

MatrixExperiment for_gpus(int i, double nonzeros, GenerateOptions matrix) {
  matrix.seed = static_cast<std::uint64_t>(i) + 2000;
  return {.matrix = matrix, .dense = false, .weight = 1e-4 + nonzeros * 1e-8, .for_gpus = true};
}

/// A square matrix of 5 to 95 %. Only matrices measured in all formats between dense and CSR
/// separate the cost of rows and blocks from that of bytes.
MatrixExperiment between_experiment(int i, double nonzeros, double share) {
  const double density = 0.05 + 0.9 * share;
  MatrixExperiment experiment =
      for_gpus(i, nonzeros, {.rows = whole(std::sqrt(nonzeros / density)), .density = density});
  experiment.between = true;
  experiment.weight *= formats_between;
  return experiment;
}

/// Matrices beyond the cache of a GPU, with rows of 1 to 8192 nonzeros and any density, or square:
/// of those above, the large ones have short rows.
MatrixExperiment large_experiment(int i, double usual_nonzeros, double most_nonzeros) {
  const auto [size, density, row, kind] = quasirandom(i);
  // Of those huge ones, `size` is below a fourth.
  const double wanted =
      i % huge_every == huge_every - 1
          ? between_logs(2.5 * usual_nonzeros, 6 * usual_nonzeros, huge_every * size)
          : between_logs(usual_nonzeros / 5, 1.5 * usual_nonzeros, size);
  const double nonzeros = std::min(wanted, most_nonzeros);
  if (i % between_every == huge_every - 1) return between_experiment(i, nonzeros, density);
  const bool is_uneven = kind < 0.2;
  const double mean_row = between_logs(1, is_uneven ? 128 : 8192, row);
  const double cols = is_uneven ? nonzeros / mean_row : mean_row / between_logs(0.001, 1, density);
  GenerateOptions matrix;
  matrix.kind = is_uneven ? MatrixKind::PowerLaw : MatrixKind::Uniform;
  matrix.rows = whole(nonzeros / mean_row);
  matrix.cols = whole(cols);
  matrix.density = std::min(mean_row / static_cast<double>(matrix.cols), 1.0);
  return for_gpus(i, nonzeros, matrix);
}

}  // namespace

bool fits(const MatrixExperiment& experiment, Format format, const Structure& structure,
          Precision precision) {
  constexpr double most_times_csr = 2;
  const auto bytes = [&](Format any) { return bytes_in(any, structure, size_of(precision)); };
  // Negated nowhere: the bytes of a format may be unknown, and are NaN then.
  if (bytes(format) <= most_times_csr * bytes(Format::Csr)) return true;
  return experiment.dense && bytes(format) <= bytes(Format::Dense);
}

std::vector<MatrixExperiment> matrix_experiments(Effort effort, double dense_bytes) {
  const Extent& extent = extent_of(effort);
  const double most_elements = std::min(extent.most_elements, dense_bytes / 8);
  std::vector<MatrixExperiment> experiments;
  for (int i = 0; i < std::max(extent.dense_matrices, extent.sparse_matrices); ++i) {
    if (i < extent.dense_matrices) experiments.push_back(dense_experiment(i, most_elements));
    if (i < extent.sparse_matrices) {
      experiments.push_back(
          sparse_experiment(i, std::min(extent.most_nonzeros, dense_bytes / bytes_of_nonzero)));
    }
    if (i < extent.large_matrices) {
      experiments.push_back(large_experiment(i, extent.for_gpus, dense_bytes / bytes_of_nonzero));
    }
  }
  for (MatrixExperiment& experiment : experiments) {
    experiment.few_formats = effort == Effort::Quick;
  }
  return experiments;
}

std::vector<Index> transfer_sizes(Effort effort, double most_bytes, bool only_copied) {
  const Extent& extent = extent_of(effort);
  const double most = std::min(extent.most_transfer_bytes, most_bytes);
  // Half of them by even factors, where latency counts, and half by even steps, where bandwidth
  // counts and caches end.
  const double turn = most / 16;
  const int half = extent.transfers / (only_copied ? 4 : 2);
  std::vector<Index> sizes;
  for (int i = 0; i < half; ++i) {
    sizes.push_back(whole(between_logs(std::min(1024.0, turn), turn, i / (half - 1.0))));
  }
  for (int i = 1; i <= half; ++i) sizes.push_back(whole(turn + (most - turn) * i / half));
  return sizes;
}

double seconds_for(Effort effort) noexcept { return extent_of(effort).seconds; }

double patience_for(Effort effort) noexcept { return extent_of(effort).patience; }

}  // namespace switchyard
