// Matrices with the structure of real problems, reproducible from a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <switchyard/containers/csr.hpp>

namespace switchyard {

/// `Uniform`: nonzeros anywhere, each position with probability `density`.
/// `Banded`: within `bandwidth` of the diagonal, with probability `density` there.
/// `Poisson2d`, `Poisson3d`: the 5- and 7-point stencil on a square or cubic grid. `rows` is
/// rounded down to a square or cube.
/// `PowerLaw`: row lengths and column popularity follow a power law, as in a social graph.
/// `density` sets the mean row length.
/// `Pruned`: weights of a neural network after magnitude pruning. The density varies from row to
/// row, and no value is close to zero.
enum class MatrixKind { Uniform, Banded, Poisson2d, Poisson3d, PowerLaw, Pruned };

/// "uniform", "banded", "poisson2d", "poisson3d", "powerlaw", "pruned".
[[nodiscard]] std::string_view name(MatrixKind kind) noexcept;
/// The inverse of `name`. Returns nothing for any other word.
[[nodiscard]] std::optional<MatrixKind> parse_matrix_kind(std::string_view text) noexcept;

/// What matrix to generate.
struct GenerateOptions {
  MatrixKind kind = MatrixKind::Uniform;  ///< the kind of structure
  Index rows = 0;                         ///< at least 1
  Index cols = 0;                         ///< 0: as many as rows
  /// In (0, 1]. Defaults: 0.01 for `Uniform`, 1 for `Banded`, 0.3 for `Pruned`, and 16 nonzeros a
  /// row on average for `PowerLaw`. An error with the stencils.
  std::optional<double> density = std::nullopt;
  Index bandwidth = 0;     ///< `Banded` only; 0: a default of 1 % of the columns, at least 2
  std::uint64_t seed = 1;  ///< of the random numbers
  /// If not 0: the values are drawn from so many, at most 65,536, also in stencils.
  Index distinct_values = 0;
};

/// Generates a matrix. Values are the stencil's own, else random in +-[0.5, 1.5). The time is in
/// proportion to rows and nonzeros. The same options give the same matrix on every machine, for
/// every number of threads, and with the same values in both precisions.
/// Throws `Error(InvalidArgument)` for invalid options, and `Error(OutOfRange)` for sizes that do
/// not fit.
template <Element T>
[[nodiscard]] Csr<T> generate(const GenerateOptions& options);

}  // namespace switchyard
