// The skeletons of each backend on the elements of a matrix.
#include "opencl/matrix_skeletons.hpp"

#include <switchyard/backends/matrix_skeletons.hpp>

#include "openmp/matrix_skeletons.hpp"

namespace switchyard {
namespace {

template <Element T>
constexpr MatrixSkeletons<T> on_host{&openmp::map_places<T>, &openmp::fold_places<T>,
                                     &openmp::fold_rows<T>,  &openmp::map_beside<T>,
                                     &openmp::merge<T>,      &openmp::transpose<T>};
template <Element T>
constexpr MatrixSkeletons<T> on_device{&opencl::map_places<T>, &opencl::fold_places<T>,
                                       &opencl::fold_rows<T>,  &opencl::map_beside<T>,
                                       &opencl::merge<T>,      &opencl::transpose<T>};

}  // namespace

template <Element T>
const MatrixSkeletons<T>& matrix_skeletons(Backend backend) {
  return backend == Backend::OpenMP ? on_host<T> : on_device<T>;
}

template const MatrixSkeletons<float>& matrix_skeletons(Backend);
template const MatrixSkeletons<double>& matrix_skeletons(Backend);

}  // namespace switchyard
