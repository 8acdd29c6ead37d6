// Products by cblas_?gemv.
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
  const Dense<T>& a = small_dense(problem);
  const auto rows = narrow<int>(a.rows);
  const auto cols = narrow<int>(a.cols);
  auto y = std::make_shared<std::vector<T>>(static_cast<std::size_t>(rows));
  const auto call = [&a, x = problem.x.data(), y, rows, cols](Gemv<T>* gemv) {
    gemv(row_major, as_it_is, rows, cols, T{1}, a.values.data(), std::max(cols, 1), x, 1, T{0},
         y->data(), 1);
  };
  if constexpr (std::same_as<T, float>) return product_into<T>(y, [=, f = sgemv] { call(f); });
  if constexpr (std::same_as<T, double>) return product_into<T>(y, [=, f = dgemv] { call(f); });
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
