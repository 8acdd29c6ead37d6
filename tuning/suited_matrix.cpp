// Matrices for formats that not all matrices suit.
#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments.hpp"

namespace switchyard {
namespace {

Index rounded(double value) { return std::max<Index>(static_cast<Index>(std::llround(value)), 1); }

/// The experiment with the matrix made of dense blocks.
MatrixExperiment with_blocks(Index block, MatrixExperiment experiment) {
  GenerateOptions& matrix = experiment.matrix;
  const auto shrink = [&](Index& size) {
    if (size > 0) size = std::max<Index>(size / block, 1);
  };
  shrink(matrix.rows);
  shrink(matrix.cols);
  shrink(matrix.bandwidth);
  if (!matrix.density) shrink(matrix.rows);  // a stencil has rows that are `block` times as long
  experiment.block = block;
  return experiment;
}

/// The experiment with a square matrix of diagonals that are full to that share.
MatrixExperiment with_diagonals(double share, MatrixExperiment experiment) {
  experiment.hub = false;  // a full row lies on every diagonal
  GenerateOptions& matrix = experiment.matrix;
  const bool is_stencil = !matrix.density;
  if (is_stencil) return experiment;
  const auto rows = static_cast<double>(matrix.rows);
  const double cols = matrix.cols > 0 ? static_cast<double>(matrix.cols) : rows;
  if (matrix.kind != MatrixKind::Banded) {
    matrix.bandwidth = rounded(*matrix.density * std::sqrt(rows * cols) / (2 * share));
  }
  matrix.kind = MatrixKind::Banded;
  matrix.rows = rounded(std::sqrt(rows * cols));
  matrix.cols = 0;
  matrix.density = std::max(*matrix.density, share);
  return experiment;
}

/// The experiment with rows of lengths that differ little.
MatrixExperiment with_even_rows(MatrixExperiment experiment) {
  experiment.hub = false;
  if (experiment.matrix.kind == MatrixKind::PowerLaw) experiment.matrix.kind = MatrixKind::Uniform;
  return experiment;
}

double cols_of(const GenerateOptions& matrix) {
  return static_cast<double>(matrix.cols > 0 ? matrix.cols : matrix.rows);
}

double elements_of(const GenerateOptions& matrix) {
  return static_cast<double>(matrix.rows) * cols_of(matrix);
}

/// About how many nonzeros an experiment's matrix has.
double nonzeros_of(const GenerateOptions& matrix) {
  const auto rows = static_cast<double>(matrix.rows);
  if (matrix.kind == MatrixKind::Poisson2d) return 5 * rows;
  if (matrix.kind == MatrixKind::Poisson3d) return 7 * rows;
  const double cols = cols_of(matrix);
  const double most_of_row = matrix.kind == MatrixKind::Banded
                                 ? std::min(2 * static_cast<double>(matrix.bandwidth), cols)
                                 : cols;
  return rows * most_of_row * matrix.density.value();
}

/// The same, but for one row that is full, where a slice of so many rows with it takes less than
/// all others: a slice takes as long as its longest row, which even rows do not tell.
MatrixExperiment with_one_long_row(Index slice, MatrixExperiment experiment) {
  experiment = with_even_rows(experiment);
  if (experiment.dense || experiment.for_gpus) return experiment;
  const auto rows = static_cast<double>(experiment.matrix.rows);
  experiment.hub = nonzeros_of(experiment.matrix) > 2 * static_cast<double>(slice) * rows;
  return experiment;
}

/// The experiment with a square matrix that is worth holding in dense form: half full, or as full
/// as it was if that is a tenth at least.
MatrixExperiment made_dense(MatrixExperiment experiment) {
  if (experiment.dense) return experiment;
  constexpr double usual = 0.5;
  constexpr double least = 0.1;
  const double own = nonzeros_of(experiment.matrix) / elements_of(experiment.matrix);
  const double density = own >= least ? own : usual;
  const double rows = std::sqrt(nonzeros_of(experiment.matrix) / density);
  experiment.matrix = {.rows = rounded(rows), .density = density, .seed = experiment.matrix.seed};
  experiment.hub = false;
  experiment.dense = !experiment.for_gpus;
  return experiment;
}

}  // namespace

MatrixExperiment suited_to(Format format, MatrixExperiment experiment) {
  // Real matrices fill some blocks and diagonals in part: every other time, blocks are larger than
  // those of the format, and diagonals are half full.
  const bool is_full = experiment.matrix.seed / 8 % 2 == 0;
  switch (format) {
    case Format::Bsr2:
    case Format::Bsr3:
    case Format::Bsr4:
      // Multiples of all three where these take one turn.
      if (experiment.few_formats) return with_blocks(is_full ? 12 : 6, experiment);
      return with_blocks(bsr_block(format) + (is_full ? 0 : 1), experiment);
    case Format::Dia:
      return with_diagonals(is_full ? 1 : 0.5, experiment);
    case Format::Ell:
      return with_even_rows(experiment);
    case Format::Sell8:
      return is_full ? with_even_rows(experiment) : with_one_long_row(8, experiment);
    case Format::Sell32:
      return is_full ? with_even_rows(experiment) : with_one_long_row(32, experiment);
    case Format::Bitmap:
      return made_dense(experiment);
    default:
      return experiment;
  }
}

}  // namespace switchyard
