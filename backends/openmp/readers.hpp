// What reads the values of a sparse matrix, whatever their coding: each is used like a pointer.
#pragma once

#include <cstdint>

#include "vector_types.hpp"

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp::SWITCHYARD_ISA {

inline constexpr int line = 64;

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, std::int64_t count) {
  const auto* const bytes = reinterpret_cast<const char*>(from);
  for (std::int64_t b = 0; b < count * std::int64_t{sizeof(T)}; b += line) {
    __builtin_prefetch(bytes + b);
  }
}

template <class T>
[[gnu::always_inline]] inline Four<T> four_of(const T* from) {
  return load<Four<T>>(from);
}

/// The one value of all elements.
template <class T>
struct Constant {
  T value;
  T operator[](std::int64_t /*k*/) const { return value; }
  Constant operator+(std::int64_t /*k*/) const { return *this; }
};

template <class T>
[[gnu::always_inline]] inline void prefetch(Constant<T> /*from*/, std::int64_t /*count*/) {}

template <class T>
[[gnu::always_inline]] inline Four<T> four_of(Constant<T> from) {
  return Four<T>{from.value, from.value, from.value, from.value};
}

/// Values by their places in a dictionary.
template <class T>
struct Coded {
  const std::uint8_t* codes;
  const T* dictionary;
  T operator[](std::int64_t k) const { return dictionary[codes[k]]; }
  Coded operator+(std::int64_t k) const { return {codes + k, dictionary}; }
};

template <class T>
[[gnu::always_inline]] inline void prefetch(Coded<T> from, std::int64_t count) {
  prefetch(from.codes, count);
}

template <class T>
[[gnu::always_inline]] inline Four<T> four_of(Coded<T> from) {
  return Four<T>{from[0], from[1], from[2], from[3]};
}

}  // namespace switchyard::openmp::SWITCHYARD_ISA
