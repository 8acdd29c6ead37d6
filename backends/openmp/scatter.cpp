// y = alpha A^T x + beta y by rows of A: element (i, j) adds its term of x_i to the sum of y_j.
#include "scatter.hpp"

#include <algorithm>
#include <vector>

#include "row_shares.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Stretches of rows have sums of their own. All together these take at most a part of the matrix:
/// they are set to zero, written and read once more.
constexpr Index nonzeros_per_sum = 8;
constexpr Index most_stretches = 64;

int stretches_of(Index nnz, Index sums) {
  const Index wanted = nnz / (nonzeros_per_sum * std::max<Index>(sums, 1));
  return static_cast<int>(std::clamp<Index>(wanted, 1, most_stretches));
}

/// Where stretch `stretch` of `stretches` begins.
template <StoredMatrix Matrix>
Index first_row(const Matrix& a, int stretch, int stretches) {
  return part_begin(a.rows, stretch, stretches);
}
/// As many rows and nonzeros in each.
template <Element T>
Index first_row(const Csr<T>& a, int stretch, int stretches) {
  if (stretch == stretches) return a.rows;
  const Index target = part_begin(a.rows + a.nnz, stretch, stretches);
  if (target == 0) return 0;
  return std::visit([&](const auto& offsets) { return row_at(offsets.data(), a.rows, target); },
                    a.offsets);
}

/// Memory for sums, kept from one call of this thread to the next.
template <Element T>
std::span<T> sums_of_size(Index size) {
  thread_local std::vector<T> kept;
  if (std::ssize(kept) < size) kept.resize(static_cast<std::size_t>(size));
  return std::span(kept).first(static_cast<std::size_t>(size));
}

template <StoredMatrix Matrix, Element T>
void add_rows(const Matrix& a, Index begin, Index end, const MultiplyArguments<T>& arguments,
              T* sums) {
  const Index columns = arguments.columns;
  const T* const x = arguments.x.data();
  for (Index i = begin; i < end; ++i) {
    if (columns == 1) {
      a.row(i, [&, xi = x[i]](Column j, T value) { sums[j] += value * xi; });
      continue;
    }
    a.row(i, [&](Column j, T value) {
      T* const sum = sums + j * columns;
#pragma omp simd
      for (Index c = 0; c < columns; ++c) sum[c] += value * x[i * columns + c];
    });
  }
}

template <StoredMatrix Matrix, Element T>
void multiply(const Matrix& a, const MultiplyArguments<T>& arguments) {
  const Index width = a.cols * arguments.columns;
  const int stretches = stretches_of(a.slots() * arguments.columns, width);
  const std::span<T> sums = sums_of_size<T>(width * stretches);
  Shares shares = shares_of_product(arguments, a.slots() * Index{sizeof(T)});
  shares.parts = stretches;
  shares.threads = std::min(shares.threads, stretches);
  share_out(shares, [&](int stretch) {
    T* const mine = sums.data() + stretch * width;
    std::fill_n(mine, width, T{0});
    add_rows(a, first_row(a, stretch, stretches), first_row(a, stretch + 1, stretches), arguments,
             mine);
  });
  T* const y = arguments.y.data();
  share_out_items(shares, width, 1024, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      T sum{};
      for (int stretch = 0; stretch < stretches; ++stretch) {
        sum += sums[static_cast<std::size_t>(stretch * width + j)];
      }
      y[j] = updated(arguments.alpha, sum, arguments.beta, y[j]);
    }
  });
}

}  // namespace

template <Element T>
void multiply_by_scatter(const MultiplyArguments<T>& arguments) {
  std::visit(
      [&](const auto& matrix) {
        if constexpr (requires { matrix.transpose; }) {
          multiply(matrix.transpose, arguments);
        } else {
          multiply(matrix, arguments);
        }
      },
      arguments.matrix);
}

bool suits_shared_scatter(const ExecutorFacts& facts, const Structure& structure) {
  const Index sums = std::max(structure.rows, structure.cols);
  return facts.compute_units > 1 && stretches_of(structure.nnz, sums) > 1;
}

template void multiply_by_scatter(const MultiplyArguments<float>&);
template void multiply_by_scatter(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
