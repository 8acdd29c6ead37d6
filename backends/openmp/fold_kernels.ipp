// Folds and prefixes in vectors. Compiled once for each instruction set, with SWITCHYARD_ISA naming
// it (see backends/CMakeLists.txt).
#include "fold_kernels.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// Vectors that are folded side by side, so that operations need not wait for each other. Of four
/// numbers on every processor, so that all round alike; wider ones were no faster.
constexpr int vectors = 8;

// The operations. `V` is a number or a vector of them.

struct Sum {
  static constexpr bool in_order = false;
  template <class T>
  using Folded = double;
  template <class F>
  static constexpr F identity = 0;
  template <class V>
  static V of(V a, V b) {
    return a + b;
  }
};

struct Product {
  /// Products of elements far from the first may overflow where no prefix does.
  static constexpr bool in_order = true;
  template <class T>
  using Folded = double;
  template <class F>
  static constexpr F identity = 1;
  template <class V>
  static V of(V a, V b) {
    return a * b;
  }
};

// NaN if either is, and the second of equal ones, as in `fold`.

struct Least {
  static constexpr bool in_order = false;
  template <class T>
  using Folded = T;
  template <class F>
  static constexpr F identity = F(__builtin_inf());
  template <class V>
  static V of(V a, V b) {
    return ((a != a) | (a < b)) ? a : b;
  }
};

struct Greatest {
  static constexpr bool in_order = false;
  template <class T>
  using Folded = T;
  template <class F>
  static constexpr F identity = F(-__builtin_inf());
  template <class V>
  static V of(V a, V b) {
    return ((a != a) | (a > b)) ? a : b;
  }
};

template <class F>
Four<F> all(F number) {
  return Four<F>{number, number, number, number};
}

template <class F, class T>
Four<F> numbers_at(const T* values) {
  return __builtin_convertvector(load<Four<T>>(values), Four<F>);
}

template <class T, class Operation>
double fold(const T* values, std::int64_t count) {
  using F = typename Operation::template Folded<T>;
  constexpr F identity = Operation::template identity<F>;
  Four<F> folds[vectors];
  for (auto& each : folds) each = all(identity);
  std::int64_t i = 0;
  for (; i + 4 * vectors <= count; i += 4 * vectors) {
    for (int v = 0; v < vectors; ++v) {
      folds[v] = Operation::of(folds[v], numbers_at<F>(values + i + 4 * v));
    }
  }
  F result = identity;
  for (; i < count; ++i) result = Operation::of(result, F(values[i]));
  for (int step = vectors / 2; step > 0; step /= 2) {
    for (int v = 0; v < step; ++v) folds[v] = Operation::of(folds[v], folds[v + step]);
  }
  for (int lane = 0; lane < 4; ++lane) result = Operation::of(result, F(folds[0][lane]));
  return double(result);
}

/// The prefixes of four numbers, by ever larger steps (Hillis and Steele 1986, "Data parallel
/// algorithms").
template <class Operation, class F>
Four<F> prefixes(Four<F> a) {
  const auto first = all(Operation::template identity<F>);
  a = Operation::of(__builtin_shufflevector(first, a, 0, 4, 5, 6), a);
  return Operation::of(__builtin_shufflevector(first, a, 0, 1, 4, 5), a);
}

template <class F>
Four<F> last_of(Four<F> a) {
  return __builtin_shufflevector(a, a, 3, 3, 3, 3);
}

/// Writes four numbers, perhaps past the caches, which REQUIRES an address that is a multiple of
/// their length in bytes.
template <bool past_caches, class T>
void write(T* to, Four<T> numbers) {
#if defined(__SSE2__)
  if constexpr (past_caches && sizeof(T) == 4) {
    _mm_stream_ps(to, (__m128)numbers);
    return;
  }
#if defined(__AVX__)
  if constexpr (past_caches && sizeof(T) == 8) {
    _mm256_stream_pd(to, (__m256d)numbers);
    return;
  }
#endif
#endif
  store(to, numbers);
}

template <class T, class Operation, bool past_caches>
void scan(double before, const T* values, std::int64_t count, T* out) {
  using F = typename Operation::template Folded<T>;
  auto carried = all(F(before));
  std::int64_t i = 0;
  for (; !Operation::in_order && i + 8 <= count; i += 8) {
    const auto low = prefixes<Operation, F>(numbers_at<F>(values + i));
    const auto high =
        Operation::of(last_of<F>(low), prefixes<Operation, F>(numbers_at<F>(values + i + 4)));
    const Four<F> results[2] = {Operation::of(carried, low), Operation::of(carried, high)};
    // Not the last result: the next eight would wait for more than one operation.
    carried = Operation::of(carried, last_of<F>(high));
    write<past_caches>(out + i, __builtin_convertvector(results[0], Four<T>));
    write<past_caches>(out + i + 4, __builtin_convertvector(results[1], Four<T>));
  }
  F last = carried[0];
  for (; i < count; ++i) {
    last = Operation::of(last, F(values[i]));
    out[i] = T(last);
  }
#if defined(__SSE2__)
  if constexpr (past_caches) _mm_sfence();
#endif
}

template <class T, class Operation>
constexpr FoldKernel<T> kernel{&fold<T, Operation>, &scan<T, Operation, false>,
                               &scan<T, Operation, true>};

}  // namespace

template <class T>
FoldKernels<T> fold_kernels() {
  return {.plus = kernel<T, Sum>,
          .times = kernel<T, Product>,
          .min = kernel<T, Least>,
          .max = kernel<T, Greatest>};
}

template FoldKernels<float> fold_kernels();
template FoldKernels<double> fold_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
