// Skeletons on the elements of a matrix on the host's threads.
#pragma once

#include <switchyard/backends/matrix_skeletons.hpp>

namespace switchyard::openmp {

template <Element T>
void map_places(Executor& executor, const ElementFunction<T>& function, Csr<T>& matrix);
template <Element T>
[[nodiscard]] double fold_places(Executor& executor, const ElementFunction<T>& function,
                                 const ElementFold<T>& fold, const Csr<T>& matrix);
template <Element T>
void fold_rows(Executor& executor, const RowFold<T>& work, Array<T>& y);

}  // namespace switchyard::openmp
