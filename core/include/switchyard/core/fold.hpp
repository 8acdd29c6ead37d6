// Operations that fold many numbers into one.
#pragma once

#include <limits>
#include <switchyard/backends/symbol_functions.hpp>
#include <type_traits>
#include <utility>

/// Operations that fold many numbers into one.
namespace switchyard::fold {

/// Sums, in double where that exists.
struct Plus {
  static constexpr bool in_double = true;  ///< folds in double, and not in T
  /// What changes nothing.
  template <Element T>
  static constexpr T identity{0};
  /// a + b.
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

/// Products, in double where that exists.
struct Times {
  static constexpr bool in_double = true;  ///< folds in double, and not in T
  /// What changes nothing.
  template <Element T>
  static constexpr T identity{1};
  /// a * b.
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a * b;
  }
};

/// The smallest; NaN if any is.
struct Smallest {
  static constexpr bool in_double = false;  ///< folds in double, and not in T
  /// What changes nothing.
  template <Element T>
  static constexpr T identity = std::numeric_limits<T>::infinity();
  /// The smaller one.
  template <class A>
  constexpr auto operator()(const A& a, const A& b) const {
    return where(a != a, a, min(b, a));
  }
};

/// The largest; NaN if any is.
struct Largest {
  static constexpr bool in_double = false;  ///< folds in double, and not in T
  /// What changes nothing.
  template <Element T>
  static constexpr T identity = -std::numeric_limits<T>::infinity();
  /// The larger one.
  template <class A>
  constexpr auto operator()(const A& a, const A& b) const {
    return where(a != a, a, max(b, a));
  }
};

inline constexpr Plus plus{};     ///< the sum; of nothing 0
inline constexpr Times times{};   ///< the product; of nothing 1
inline constexpr Smallest min{};  ///< the smallest number; of nothing infinity
inline constexpr Largest max{};   ///< the largest number; of nothing -infinity

/// A function of two numbers as an operation: see `by`.
template <class F, class I>
struct By {
  static constexpr bool in_double = false;  ///< folds in double, and not in T
  F function;                               ///< associative, and commutative but for `scan`
  I start;                                  ///< what changes nothing
  /// Calls it.
  template <class A>
  constexpr auto operator()(const A& a, const A& b) const -> decltype(function(a, b)) {
    return function(a, b);
  }
};

/// `function(a, b)` as an operation: associative up to rounding, and commutative but for `scan`,
/// with an `identity` that changes nothing on either side.
template <class F, class I>
requires std::is_arithmetic_v<I>
[[nodiscard]] constexpr By<F, I> by(F function, I identity) {
  return {std::move(function), identity};
}

}  // namespace switchyard::fold
