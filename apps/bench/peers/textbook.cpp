// The loop that every textbook has, with one line of OpenMP: the least that anyone would write.
#include "cblas.hpp"

namespace switchyard::command::bench {
namespace {

template <Element T, class Offset>
void multiply(const Csr<T>& a, const Array<Offset>& offsets, const T* x, T* y) {
  const Offset* const offset = offsets.data();
  const Column* const column = a.columns.data();
  const T* const value = a.values.data();
#pragma omp parallel for
  for (Index i = 0; i < a.rows; ++i) {
    T sum{0};
    for (Offset k = offset[i]; k < offset[i + 1]; ++k) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

template <Element T>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  auto y = std::make_shared<std::vector<T>>(static_cast<std::size_t>(problem.csr.rows));
  return product_into<T>(y, [&a = problem.csr, x = problem.x.data(), y] {
    std::visit([&](const auto& offsets) { multiply(a, offsets, x, y->data()); }, a.offsets);
  });
}

}  // namespace

PeerLibrary textbook_peer() {
  return {
      .name = "textbook",
      .products = {{"textbook", Format::Csr, PeerPlace::Host, &prepare<float>, &prepare<double>}}};
}

}  // namespace switchyard::command::bench
