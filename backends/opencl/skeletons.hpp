// Skeletons on a device, with kernels made of recorded functions.
#pragma once

#include <switchyard/backends/skeleton_operations.hpp>

namespace switchyard::opencl {

template <Element T>
void map(Executor& executor, const SkeletonOperands<T>& operands, Array<T>& out);
template <Element T>
[[nodiscard]] double reduce(Executor& executor, const SkeletonOperands<T>& operands,
                            const UserFold<T>& fold, const RecordedFunction* recorded_fold);
template <Element T>
void scan(Executor& executor, const UserFold<T>& fold, const RecordedFunction* recorded_fold,
          const Array<T>& in, Array<T>& out);

}  // namespace switchyard::opencl
