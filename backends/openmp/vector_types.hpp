// Short vectors in the compiler's own notation, so that one text serves every instruction set.
#pragma once

#include <cstdint>

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp::SWITCHYARD_ISA {

template <class T, int length>
struct VectorOf {
  typedef T type __attribute__((vector_size(length * sizeof(T))));  // NOLINT(modernize-use-using)
};
template <class T, int length>
using Vector = typename VectorOf<T, length>::type;

/// Four elements: what a row's sum is gathered in.
template <class T>
using Four = Vector<T, 4>;
/// A register's worth, the widest that the instruction set has, and at least four elements.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif
template <class T>
inline constexpr int wide_length = register_bytes < 4 * static_cast<int>(sizeof(T))
                                       ? 4
                                       : register_bytes / static_cast<int>(sizeof(T));
template <class T>
using Wide = Vector<T, wide_length<T>>;

/// The integer as wide as T.
template <class T>
struct IntegerAs;
template <>
struct IntegerAs<float> {
  using type = std::int32_t;
};
template <>
struct IntegerAs<double> {
  using type = std::int64_t;
};
template <class T>
using Bits = typename IntegerAs<T>::type;

template <class V, class T>
V load(const T* from) {
  V value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <class V, class T>
void store(T* to, V value) {
  __builtin_memcpy(to, &value, sizeof value);
}

/// `value` as it is stored: what is added to it is not joined with its multiplication, which would
/// round once. Clang joins nothing beyond a statement.
template <class V>
[[gnu::always_inline]] inline V rounded(V value) {
#if defined(__GNUC__) && !defined(__clang__)
  return __builtin_assoc_barrier(value);
#else
  return value;
#endif
}

/// All ones in the first `count` places, then zeros: what load() takes from here, at
/// `first_places<T, length>(count)`.
template <class T, int length>
struct Places {
  Bits<T> ones[length];
  Bits<T> zeros[length];
  constexpr Places() : ones{}, zeros{} {
    for (auto& one : ones) one = -1;
  }
};
template <class T, int length>
inline constexpr Places<T, length> places;

/// `value` in its first `count` places and zero in the others, NaN or not. 0 <= count <= length.
template <class T, int length>
Vector<T, length> first_places(Vector<T, length> value, std::int64_t count) {
  using Integers = Vector<Bits<T>, length>;
  const auto mask = load<Integers>(places<T, length>.ones + (length - count));
  return (Vector<T, length>)((Integers)value & mask);
}

/// The sum of each of four vectors. Adds in the order of sum_of.
template <class T>
Four<T> sums_of(Four<T> a, Four<T> b, Four<T> c, Four<T> d) {
  const Four<T> ab =
      __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four<T> cd =
      __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

template <class T>
T sum_of(Four<T> a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}

template <class T, int length>
Four<T> folded(Vector<T, length> a) {
  if constexpr (length == 16) {
    const auto low = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7);
    return folded<T, 8>(low + __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15));
  } else if constexpr (length == 8) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  } else {
    return a;
  }
}

/// alpha sum + beta y for one row or several; beta == 0 never reads y.
template <class T, class V>
void update(T* y, T alpha, V sum, T beta) {
  const V scaled = alpha * sum;
  store(y, beta == T(0) ? scaled : scaled + beta * load<V>(y));
}

}  // namespace switchyard::openmp::SWITCHYARD_ISA
