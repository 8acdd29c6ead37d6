// Matrices and numbers of every awkward kind, from a seed.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <switchyard/containers/formats.hpp>

namespace switchyard::testing {

/// Numbers among which are zeros of both signs, denormals, very large and very small ones and,
/// where `special`, NaN and infinities. Products of three of them stay within float.
template <Element T>
class Numbers {
 public:
  Numbers(std::uint32_t seed, bool special) : engine_(seed), special_(special) {}

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Value, std::size_t n>
  Value one_of(const std::array<Value, n>& values) {
    return values[below(n)];
  }

  T number() {
    using Limits = std::numeric_limits<T>;
    if (!one_in(8)) return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(engine_));
    if (special_ && one_in(4)) {
      return one_of(std::array{Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()});
    }
    return one_of(std::array{T(0), T(-0.0), T(1), T(-3), T(1e10), T(-1e10), T(1e-10), Limits::min(),
                             -Limits::min(), Limits::denorm_min(), Limits::min() / 3});
  }
  /// For alpha and beta: a larger one would enlarge the rounding of denormals beyond the bound.
  T factor() {
    if (special_ && one_in(20)) {
      return one_of(
          std::array{std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()});
    }
    return one_of(std::array{T(0), T(-0.0), T(1), T(-1), T(0.5), T(2)});
  }
  std::vector<T> numbers(Index size) {
    std::vector<T> values(static_cast<std::size_t>(size));
    for (T& value : values) value = number();
    return values;
  }

  /// Shapes at the widths of vectors and work-groups, with rows that are empty or full. The
  /// elements of many have one value, or few.
  Dense<T> matrix() {
    constexpr std::array<Index, 14> sizes{0, 1, 1, 2, 3, 5, 8, 13, 16, 31, 33, 64, 65, 130};
    auto dense = Dense<T>::sized(one_of(sizes), one_of(sizes));
    const double density = one_of(std::array{0.0, 0.05, 0.3, 0.7, 1.0});
    std::bernoulli_distribution stored(density);
    constexpr std::array<Index, 4> most_values{0, 1, 1, 9};
    const std::vector<T> values = numbers(one_of(most_values));
    const auto element = [&] { return values.empty() ? number() : values[below(values.size())]; };
    for (Index i = 0; i < dense.rows; ++i) {
      const std::size_t kind = below(8);
      for (Index j = 0; j < dense.cols; ++j) {
        const bool is_stored = kind == 0 || (kind > 1 && stored(engine_));
        dense.values[i * dense.cols + j] = is_stored ? element() : T(0);
      }
    }
    return dense;
  }

 private:
  std::mt19937 engine_;
  bool special_;
};

/// The elements that are not zero.
template <Element T>
Csr<T> compressed(const Dense<T>& dense) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < dense.rows; ++i) {
    for (Index j = 0; j < dense.cols; ++j) {
      const T value = dense.values[i * dense.cols + j];
      if (value != T(0)) triplets.push_back({i, j, value});
    }
  }
  return csr_from_triplets<T>(dense.rows, dense.cols, triplets);
}

template <Element T>
Dense<T> copied(const Dense<T>& dense) {
  return {dense.rows, dense.cols, copy_of(std::as_const(dense.values).span())};
}

}  // namespace switchyard::testing
