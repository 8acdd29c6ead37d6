// Folding each row of a matrix with a vector: products with other operations than plus and times.
#include <array>
#include <switchyard/containers/threads.hpp>

#include "execution/matrix_state.hpp"
#include "execution/vector_work.hpp"

namespace switchyard {
namespace {

/// Elements that are computed at once, and then folded.
constexpr std::size_t chunk = 256;

/// The elements of one row that are not zero, with those of x, some at a time.
template <Element T>
class RowFold {
 public:
  RowFold(const UserFunction<T>& function, const UserFold<T>& fold)
      : function_(function), fold_(fold), folded_(fold.identity) {}

  void add(Index row, Column column, T a, T x) {
    const std::array<T, 2> pair{a, x};
    if (function_.by_place) {
      values_[count_++] = function_.at(function_.object, row, column, pair.data());
    } else {
      as_[count_] = a;
      xs_[count_++] = x;
    }
    if (count_ == chunk) fold_chunk();
  }
  [[nodiscard]] double result() {
    fold_chunk();
    return folded_;
  }

 private:
  void fold_chunk() {
    if (count_ == 0) return;
    const auto count = static_cast<Index>(count_);
    if (!function_.by_place) {
      const std::array<const T*, 2> operands{as_.data(), xs_.data()};
      function_.map(function_.object, {operands.data(), 0, count, count, 1, {}}, values_.data());
    }
    folded_ = fold_.combine(fold_.object, folded_,
                            fold_.fold_in_order(fold_.object, values_.data(), count));
    count_ = 0;
  }

  const UserFunction<T>& function_;
  const UserFold<T>& fold_;
  double folded_;
  std::size_t count_ = 0;
  std::array<T, chunk> as_;
  std::array<T, chunk> xs_;
  std::array<T, chunk> values_;
};

template <Element T>
void fold_rows_of(const Csr<T>& matrix, const UserFunction<T>& function, const UserFold<T>& fold,
                  const Array<T>& x, Array<T>& y) {
  const Index bytes =
      matrix.nnz * Index{2 * sizeof(T) + sizeof(Column)} + matrix.rows * Index{2 * sizeof(T)};
  share_out_items(shares_of(bytes), matrix.rows, 64 / Index{sizeof(T)},
                  [&](Index begin, Index end) {
                    for (Index row = begin; row < end; ++row) {
                      RowFold<T> folded(function, fold);
                      for (Index k = matrix.offset(row); k < matrix.offset(row + 1); ++k) {
                        const Column column = matrix.columns[k];
                        if (matrix.values[k] != T{0})
                          folded.add(row, column, matrix.values[k], x[column]);
                      }
                      y[row] = static_cast<T>(folded.result());
                    }
                  });
}

}  // namespace

template <Element T>
void MatrixState<T>::fold_rows(const UserFunction<T>& function, const UserFold<T>& fold,
                               const Vector<T>& x, Vector<T>& y) {
  check_size(x.size(), cols_);
  check_size(y.size(), rows_);
  if (&x == &y) throw Error(ErrorCode::InvalidArgument, "x and y must not be the same");
  const Lock lock(mutex_);
  require_a_copy();
  constexpr State state{Space::host(), Format::Csr};
  go_to(state);
  const auto& host = runtime_->executor(Space::host())->memory();
  const Array<T>& from = x.in(host);
  Array<T>& to = y.target_in(host, false);
  fold_rows_of(std::get<Csr<T>>(contents_.copies.find(state)->storage()), function, fold, from, to);
  y.combined_in(Space::host());
}

template void MatrixState<float>::fold_rows(const UserFunction<float>&, const UserFold<float>&,
                                            const Vector<float>&, Vector<float>&);
template void MatrixState<double>::fold_rows(const UserFunction<double>&, const UserFold<double>&,
                                             const Vector<double>&, Vector<double>&);

}  // namespace switchyard
