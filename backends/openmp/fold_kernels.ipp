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

/// Writes numbers, perhaps past the caches, which REQUIRES an address that is a multiple of their
/// length in bytes.
template <bool past_caches, class T, class V>
void write(T* to, V numbers) {
#if defined(__SSE2__)
  if constexpr (past_caches && sizeof(V) == 16) return _mm_stream_ps((float*)to, (__m128)numbers);
#endif
#if defined(__AVX__)
  if constexpr (past_caches && sizeof(V) == 32) {
    return _mm256_stream_ps((float*)to, (__m256)numbers);
  }
#endif
#if defined(__AVX512F__)
  if constexpr (past_caches && sizeof(V) == 64) {
    return _mm512_stream_ps((float*)to, (__m512)numbers);
  }
#endif
  store(to, numbers);
}

/// Eight numbers as two vectors. Their prefixes are made by ever larger steps (Hillis and Steele
/// 1986, "Data parallel algorithms").
template <class F, bool in_one_register>
struct Eight {
  Four<F> low;
  Four<F> high;

  explicit Eight(F number) : low(all(number)), high(low) {}
  Eight(Four<F> first, Four<F> second) : low(first), high(second) {}
  template <class T>
  explicit Eight(const T* values) : Eight(numbers_at<F>(values), numbers_at<F>(values + 4)) {}

  template <class Operation>
  static Four<F> prefixes_of(Four<F> a) {
    const auto first = all(Operation::template identity<F>);
    a = Operation::of(__builtin_shufflevector(first, a, 0, 4, 5, 6), a);
    return Operation::of(__builtin_shufflevector(first, a, 0, 1, 4, 5), a);
  }
  static Four<F> last_of(Four<F> a) { return __builtin_shufflevector(a, a, 3, 3, 3, 3); }

  template <class Operation>
  Eight prefixes() const {
    const auto first = prefixes_of<Operation>(low);
    return {first, Operation::of(last_of(first), prefixes_of<Operation>(high))};
  }
  template <class Operation>
  Eight after(Eight before) const {
    return {Operation::of(before.low, low), Operation::of(before.high, high)};
  }
  Eight last() const { return {last_of(high), last_of(high)}; }
  F first() const { return low[0]; }
  template <bool past_caches, class T>
  void write_to(T* to) const {
    write<past_caches>(to, __builtin_convertvector(low, Four<T>));
    write<past_caches>(to + 4, __builtin_convertvector(high, Four<T>));
  }
};

/// Eight numbers as one vector of them.
template <class T, class V>
V eight_at(const T* values, V /*kind*/) {
  return __builtin_convertvector(load<Vector<T, 8>>(values), V);
}
#if defined(__AVX512F__)
/// In one instruction: GCC 12 takes five. (Without a mask it warns of what its own header does.)
inline Vector<double, 8> eight_at(const float* values, Vector<double, 8> /*kind*/) {
  return (Vector<double, 8>)_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(values));
}
#endif

/// Eight numbers as one vector: the same operations on each, in half as many instructions.
template <class F>
struct Eight<F, true> {
  using Numbers = Vector<F, 8>;
  Numbers numbers;

  explicit Eight(F number)
      : numbers{number, number, number, number, number, number, number, number} {}
  explicit Eight(Numbers all_of_them) : numbers(all_of_them) {}
  template <class T>
  explicit Eight(const T* values) : numbers(eight_at(values, Numbers{})) {}

  template <class Operation>
  Eight prefixes() const {
    const Numbers first = Eight(Operation::template identity<F>).numbers;
    Numbers a = numbers;
    a = Operation::of(__builtin_shufflevector(first, a, 0, 8, 9, 10, 0, 12, 13, 14), a);
    a = Operation::of(__builtin_shufflevector(first, a, 0, 0, 8, 9, 0, 0, 12, 13), a);
    a = Operation::of(__builtin_shufflevector(first, a, 0, 0, 0, 0, 11, 11, 11, 11), a);
    return Eight(a);
  }
  template <class Operation>
  Eight after(Eight before) const {
    return Eight(Operation::of(before.numbers, numbers));
  }
  Eight last() const {
    return Eight(__builtin_shufflevector(numbers, numbers, 7, 7, 7, 7, 7, 7, 7, 7));
  }
  F first() const { return numbers[0]; }
  template <bool past_caches, class T>
  void write_to(T* to) const {
    using Written = Vector<T, 8>;
    write<past_caches>(to, __builtin_convertvector(numbers, Written));
  }
};

template <class T, class Operation, bool past_caches>
void scan(double before, const T* values, std::int64_t count, T* out) {
  using F = typename Operation::template Folded<T>;
  using Numbers = Eight<F, 8 * int(sizeof(F)) <= register_bytes>;
  F last = F(before);
  std::int64_t i = 0;
  if constexpr (!Operation::in_order) {
    Numbers carried(last);
    for (; i + 8 <= count; i += 8) {
      const Numbers found = Numbers(values + i).template prefixes<Operation>();
      const Numbers result = found.template after<Operation>(carried);
      // Not the last result: the next eight would wait for more than one operation.
      carried = found.last().template after<Operation>(carried);
      result.template write_to<past_caches>(out + i);
    }
    last = carried.first();
  }
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
