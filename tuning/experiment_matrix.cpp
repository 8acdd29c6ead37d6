// Making the matrix of an experiment.
#include <algorithm>
#include <type_traits>
#include <variant>

#include "experiments.hpp"

namespace switchyard {
namespace {

/// The matrix with its middle row full.
template <Element T>
Csr<T> with_hub(Csr<T> csr) {
  const Index hub = csr.rows / 2;
  const Index before = csr.offset(hub);
  const Index after = csr.offset(hub + 1);
  auto with = Csr<T>::sized(csr.rows, csr.cols, csr.nnz - (after - before) + csr.cols);
  const auto join = [&](auto& to, const auto& from, auto&& of_hub) {
    const auto* const end = std::copy_n(from.data(), before, to.data());
    auto* at = to.data() + (end - to.data());
    for (Index j = 0; j < csr.cols; ++j) *at++ = of_hub(j);
    std::copy(from.data() + after, from.data() + from.size(), at);
  };
  join(with.columns, csr.columns, [](Index j) { return static_cast<Column>(j); });
  // Among the values that the matrix has anyway, so that it can be coded as before.
  join(with.values, csr.values,
       [&](Index j) { return csr.nnz > 0 ? csr.values[j % csr.nnz] : T(1); });
  std::visit(
      [&](auto& offsets) {
        using Offset = std::remove_reference_t<decltype(offsets[0])>;
        for (Index i = 0; i <= csr.rows; ++i) {
          const Index more = i > hub ? csr.cols - (after - before) : 0;
          offsets[i] = static_cast<Offset>(csr.offset(i) + more);
        }
      },
      with.offsets);
  return with;
}

/// The matrix with a dense block of so many rows and columns for each element.
template <Element T>
Csr<T> with_blocks(const Csr<T>& csr, Index block) {
  auto with = Csr<T>::sized(csr.rows * block, csr.cols * block, csr.nnz * block * block);
  Index at = 0;
  const auto add_row = [&](Index i) {
    for (Index k = csr.offset(i / block); k < csr.offset(i / block + 1); ++k) {
      for (Index c = 0; c < block; ++c, ++at) {
        with.columns[at] = static_cast<Column>(csr.columns[k] * block + c);
        with.values[at] = csr.values[at % csr.nnz];
      }
    }
  };
  std::visit(
      [&](auto& offsets) {
        using Offset = std::remove_reference_t<decltype(offsets[0])>;
        for (Index i = 0; i < with.rows; ++i) {
          offsets[i] = static_cast<Offset>(at);
          add_row(i);
        }
        offsets[with.rows] = static_cast<Offset>(at);
      },
      with.offsets);
  return with;
}

}  // namespace

template <Element T>
Csr<T> matrix_of(const MatrixExperiment& experiment) {
  auto csr = generate<T>(experiment.matrix);
  if (experiment.block > 1) csr = with_blocks(csr, experiment.block);
  return experiment.hub ? with_hub(std::move(csr)) : std::move(csr);
}

template Csr<float> matrix_of(const MatrixExperiment&);
template Csr<double> matrix_of(const MatrixExperiment&);

}  // namespace switchyard
