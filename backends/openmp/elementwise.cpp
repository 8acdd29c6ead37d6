// Elementwise operations on the host's threads.
#include "team.hpp"
#include "vector_operations.hpp"

namespace switchyard::openmp {
namespace {

/// Elements that no two threads share: a cache line of them.
template <Element T>
constexpr Index line = 64 / Index{sizeof(T)};

/// Calls `work(begin, end)` for stretches of `size` elements, on as many threads as `arrays` arrays
/// of that size are worth.
template <Element T, class Work>
void in_stretches(const Executor& executor, Index size, Index arrays, const Work& work) {
  share_out_items(shares_of_work(executor, size * arrays * Index{sizeof(T)}), size, line<T>, work);
}

}  // namespace

// Within each loop elements are independent, also where x, y and z are one array: hence `simd`.

template <Element T>
void axpby(Executor& executor, const ElementwiseOperands<T>& operands) {
  const T a = operands.a;
  const T b = operands.b;
  const T* const x = operands.x->data();
  T* const z = operands.z->data();
  const auto overwrite = [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) z[i] = a * x[i];
  };
  const auto update = [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) z[i] = a * x[i] + b * z[i];
  };
  const Index size = operands.z->size();
  return b == T{0} ? in_stretches<T>(executor, size, 2, overwrite)
                   : in_stretches<T>(executor, size, 3, update);
}

template <Element T>
void scale(Executor& executor, const ElementwiseOperands<T>& operands) {
  in_stretches<T>(executor, operands.z->size(), 2,
                  [a = operands.a, z = operands.z->data()](Index begin, Index end) {
#pragma omp simd
                    for (Index i = begin; i < end; ++i) z[i] *= a;
                  });
}

template <Element T>
void fill(Executor& executor, const ElementwiseOperands<T>& operands) {
  in_stretches<T>(executor, operands.z->size(), 1,
                  [a = operands.a, z = operands.z->data()](Index begin, Index end) {
                    std::fill(z + begin, z + end, a);
                  });
}

template <Element T>
void add(Executor& executor, const ElementwiseOperands<T>& operands) {
  in_stretches<T>(executor, operands.z->size(), 2,
                  [a = operands.a, z = operands.z->data()](Index begin, Index end) {
#pragma omp simd
                    for (Index i = begin; i < end; ++i) z[i] += a;
                  });
}

template <Element T>
void relu(Executor& executor, const ElementwiseOperands<T>& operands) {
  in_stretches<T>(executor, operands.z->size(), 2,
                  [z = operands.z->data()](Index begin, Index end) {
#pragma omp simd
                    for (Index i = begin; i < end; ++i) z[i] = z[i] < T{0} ? T{0} : z[i];
                  });
}

template <Element T>
void multiply_elements(Executor& executor, const ElementwiseOperands<T>& operands) {
  const T* const x = operands.x->data();
  const T* const y = operands.y->data();
  T* const z = operands.z->data();
  in_stretches<T>(executor, operands.z->size(), 3, [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) z[i] = x[i] * y[i];
  });
}

template void axpby(Executor& executor, const ElementwiseOperands<float>&);
template void axpby(Executor& executor, const ElementwiseOperands<double>&);
template void scale(Executor& executor, const ElementwiseOperands<float>&);
template void scale(Executor& executor, const ElementwiseOperands<double>&);
template void fill(Executor& executor, const ElementwiseOperands<float>&);
template void fill(Executor& executor, const ElementwiseOperands<double>&);
template void add(Executor& executor, const ElementwiseOperands<float>&);
template void add(Executor& executor, const ElementwiseOperands<double>&);
template void relu(Executor& executor, const ElementwiseOperands<float>&);
template void relu(Executor& executor, const ElementwiseOperands<double>&);
template void multiply_elements(Executor& executor, const ElementwiseOperands<float>&);
template void multiply_elements(Executor& executor, const ElementwiseOperands<double>&);

}  // namespace switchyard::openmp
