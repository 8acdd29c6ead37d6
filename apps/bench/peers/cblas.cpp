// Products by cblas_?gemv and cblas_?gemm.
#include "cblas.hpp"

#include <algorithm>
#include <limits>

namespace switchyard::command::bench {

template <Element T>
const Dense<T>& small_dense(const PeerProblem<T>& problem) {
  if (!problem.dense) throw Error(ErrorCode::Unsupported, "there is no dense form");
  static_cast<void>(narrow<std::int32_t>(problem.dense->rows));
  static_cast<void>(narrow<std::int32_t>(problem.dense->cols));
  return *problem.dense;
}

template <Element T>
PeerProduct<T> product_into(std::shared_ptr<std::vector<T>> y, std::function<void()> call) {
  return {.call = std::move(call),
          .fetch = [y](std::span<T> result) { std::ranges::copy(*y, result.begin()); }};
}

template <Element T>
PeerProduct<T> Cblas::product(const PeerProblem<T>& problem) const {
  constexpr int row_major = 101;
  constexpr int as_it_is = 111;
  constexpr int transposed = 112;
  const Dense<T>& a = small_dense(problem);
  const auto rows = narrow<int>(a.rows);
  const auto cols = narrow<int>(a.cols);
  const auto columns = narrow<int>(problem.request.columns);
  const int form = problem.transposed() ? transposed : as_it_is;
  auto y = std::make_shared<std::vector<T>>(problem.y_size());
  const auto call = [=, &a, x = problem.x.data()](Gemv<T>* gemv, Gemm<T>* gemm) {
    const int lda = std::max(cols, 1);
    if (columns == 1) {
      gemv(row_major, form, rows, cols, T{1}, a.values.data(), lda, x, 1, T{0}, y->data(), 1);
    } else {
      const int outer = form == transposed ? cols : rows;
      gemm(row_major, form, as_it_is, outer, columns, rows + cols - outer, T{1}, a.values.data(),
           lda, x, columns, T{0}, y->data(), columns);
    }
  };
  if constexpr (std::same_as<T, float>) {
    return product_into<T>(y, [=, v = sgemv, m = sgemm] { call(v, m); });
  } else {
    return product_into<T>(y, [=, v = dgemv, m = dgemm] { call(v, m); });
  }
}

template const Dense<float>& small_dense(const PeerProblem<float>&);
template const Dense<double>& small_dense(const PeerProblem<double>&);
template PeerProduct<float> product_into(std::shared_ptr<std::vector<float>>,
                                         std::function<void()>);
template PeerProduct<double> product_into(std::shared_ptr<std::vector<double>>,
                                          std::function<void()>);
template PeerProduct<float> Cblas::product(const PeerProblem<float>&) const;
template PeerProduct<double> Cblas::product(const PeerProblem<double>&) const;

}  // namespace switchyard::command::bench
