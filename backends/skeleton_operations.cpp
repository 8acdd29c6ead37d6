// The skeletons of each backend.
#include <switchyard/backends/skeleton_operations.hpp>

#include "opencl/skeletons.hpp"
#include "openmp/skeletons.hpp"

namespace switchyard {
namespace {

template <Element T>
constexpr SkeletonOperations<T> on_host{&openmp::map<T>, &openmp::reduce<T>, &openmp::scan<T>};
template <Element T>
constexpr SkeletonOperations<T> on_device{&opencl::map<T>, &opencl::reduce<T>, &opencl::scan<T>};

}  // namespace

template <Element T>
const SkeletonOperations<T>& skeleton_operations(Backend backend) {
  return backend == Backend::OpenMP ? on_host<T> : on_device<T>;
}

template const SkeletonOperations<float>& skeleton_operations(Backend);
template const SkeletonOperations<double>& skeleton_operations(Backend);

}  // namespace switchyard
