// The readable multiplication that every kernel is tested against.
#include <algorithm>
#include <cmath>
#include <limits>
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

using Real = long double;

/// Adds value x to the columns of a row of the result.
template <Element T>
void add_terms(T value, std::span<const T> x, std::span<ReferenceRow> sums) {
  for (std::size_t c = 0; c < x.size(); ++c) {
    const Real term = Real{value} * Real{x[c]};
    sums[c].value += term;
    sums[c].magnitude += std::abs(term);
    ++sums[c].terms;
  }
}

/// The elements of a row of a row-major array.
template <class Value>
std::span<Value> row_of(std::span<Value> values, Index row, Index columns) {
  return values.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns));
}

template <StoredMatrix Matrix, Element T>
void add_transposed(const Matrix& matrix, std::span<const T> x, Index columns,
                    std::span<ReferenceRow> sums) {
  for (Index i = 0; i < matrix.rows; ++i) {
    matrix.row(i, [&](Column j, T value) {
      add_terms(value, row_of(x, i, columns), row_of(sums, j, columns));
    });
  }
}

/// Whether two results agree in the ways in which NaN and infinities can.
bool same_special(Real expected, Real got) {
  return (std::isnan(expected) && std::isnan(got)) || expected == got;
}

template <Element T>
double error_of_row(const ReferenceRow& row, T got) {
  const auto expected = static_cast<Real>(row.value);
  // The exact result may lie beyond what T can hold: then infinity is the right answer.
  const bool overflows = std::isinf(static_cast<T>(expected)) && !std::isinf(expected);
  if (overflows) return static_cast<T>(expected) == got ? 0.0 : 1.0;
  if (!std::isfinite(expected) || !std::isfinite(got)) {
    // A sum of huge terms may overflow on the way in T and not in long double.
    const bool overflow_on_the_way =
        std::isfinite(expected) && row.magnitude > Real{std::numeric_limits<T>::max()} / 4;
    if (overflow_on_the_way || same_special(expected, got)) return 0.0;
    return std::numeric_limits<double>::infinity();
  }
  const Real unit = Real{std::numeric_limits<T>::epsilon()} / 2;
  const auto gamma = [unit](Real n) { return n * unit / (1 - n * unit); };
  const auto n = static_cast<Real>(row.terms + 2);
  const Real bound =
      gamma(n) * row.magnitude + gamma(2) * row.kept + n * Real{std::numeric_limits<T>::min()};
  return static_cast<double>(std::abs(expected - Real{got}) / bound);
}

}  // namespace

template <Element T>
std::vector<ReferenceRow> reference_multiply(const Storage<T>& matrix, T alpha,
                                             std::span<const T> x, T beta, std::span<const T> y,
                                             const Request& request) try {
  const Index columns = request.columns;
  const Index rows = y_rows(request, rows_of(matrix), cols_of(matrix));
  std::vector<ReferenceRow> sums(static_cast<std::size_t>(rows * columns));
  const std::span<ReferenceRow> all(sums);
  if (request.operand == Operand::Transpose) {
    std::visit([&](const auto& m) { add_transposed(m, x, columns, all); }, matrix);
  }
  const auto compute = [&](Index i) {
    const std::span<ReferenceRow> row = row_of(all, i, columns);
    const auto add = [&](Column j, T value) { add_terms(value, row_of(x, j, columns), row); };
    if (request.operand == Operand::Matrix) {
      std::visit([&](const auto& m) { m.row(i, add); }, matrix);
    }
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c].value *= Real{alpha};
      row[c].magnitude *= std::abs(Real{alpha});
      if (beta == T{0}) continue;
      const Real kept = Real{beta} * Real{row_of(y, i, columns)[c]};
      row[c].value += kept;
      row[c].kept = std::abs(kept);
    }
  };
  constexpr Index block = 64;
  const Index blocks = (rows + block - 1) / block;
  share_out_steps(blocks, blocks > 1, [&](Index b) {
    for (Index i = b * block; i < std::min((b + 1) * block, rows); ++i) compute(i);
  });
  return sums;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

template <Element T>
double worst_error(std::span<const ReferenceRow> expected, std::span<const T> got) {
  if (expected.size() != got.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = error_of_row(expected[i], got[i]);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

template std::vector<ReferenceRow> reference_multiply(const Storage<float>&, float,
                                                      std::span<const float>, float,
                                                      std::span<const float>, const Request&);
template std::vector<ReferenceRow> reference_multiply(const Storage<double>&, double,
                                                      std::span<const double>, double,
                                                      std::span<const double>, const Request&);
template double worst_error(std::span<const ReferenceRow>, std::span<const float>);
template double worst_error(std::span<const ReferenceRow>, std::span<const double>);

}  // namespace switchyard
