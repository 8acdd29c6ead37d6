// Skeletons on the elements of a matrix on the host's threads.
#pragma once

#include <switchyard/backends/matrix_skeletons.hpp>

namespace switchyard::openmp {

template <Element T>
void map_places(Executor& executor, const ElementFunction<T>& function, Storage<T>& matrix);
template <Element T>
[[nodiscard]] double fold_places(Executor& executor, const ElementFunction<T>& function,
                                 const ElementFold<T>& fold, const Storage<T>& matrix);
template <Element T>
void fold_rows(Executor& executor, const RowFold<T>& work, Array<T>& y);
template <Element T>
void map_beside(Executor& executor, const BesideMap<T>& work, Storage<T>& matrix);
template <Element T>
[[nodiscard]] Csr<T> merge(Executor& executor, const ElementFunction<T>& function,
                           std::span<const Csr<T>* const> in);
template <Element T>
[[nodiscard]] Storage<T> transpose(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
