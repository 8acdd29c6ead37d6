// Functions for users' functions, of numbers and of symbols.
#pragma once

#include <bit>
#include <cmath>
#include <switchyard/backends/symbol.hpp>

namespace switchyard {

// Functions for user functions, called without a namespace, of numbers and of symbols. Those of
// numbers are what a lambda computes on the host.

/// A number as one of type T: `as<float>(row)`.
template <Element T, PlainNumber A>
[[nodiscard]] constexpr T as(A a) noexcept {
  return static_cast<T>(a);
}
/// See above.
template <Element T, SymbolicValue S>
[[nodiscard]] Symbol<T> as(const Symbol<S>& a) {
  return {a.function, node_as<T>(*a.function, a)};
}

/// a where the condition holds, otherwise b. Both are computed.
template <PlainNumber A, PlainNumber B>
[[nodiscard]] constexpr auto where(bool condition, A a, B b) noexcept {
  using S = std::common_type_t<A, B>;
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>) {
    // By bits: of a conditional expression GCC makes a branch, which keeps loops from being
    // vectorized, because arithmetic that moves into it might trap.
    using Bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    const Bits mask = Bits{0} - Bits{condition};
    return std::bit_cast<S>((std::bit_cast<Bits>(static_cast<S>(a)) & mask) |
                            (std::bit_cast<Bits>(static_cast<S>(b)) & ~mask));
  } else {
    return condition ? static_cast<S>(a) : static_cast<S>(b);
  }
}
/// See above.
template <class C, class A, class B>
requires SymbolicOperands<C, A, B>
[[nodiscard]] auto where(const C& condition, const A& a, const B& b) {
  using S = common_value_t<A, B>;
  RecordedFunction& function = function_of(condition, a, b);
  const RecordedNode node{.operation = SymbolicOperation::Where,
                          .type = value_type_of<S>,
                          .a = node_as<bool>(function, condition),
                          .b = node_as<S>(function, a),
                          .c = node_as<S>(function, b)};
  return Symbol<S>{&function, add_node(function, node)};
}

/// The smaller one, a if neither is: as std::min, so that NaN as b does not count.
template <PlainNumber A, PlainNumber B>
[[nodiscard]] constexpr auto min(A a, B b) noexcept {
  using S = std::common_type_t<A, B>;
  return static_cast<S>(b) < static_cast<S>(a) ? static_cast<S>(b) : static_cast<S>(a);
}
/// See above.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto min(const A& a, const B& b) {
  return combined<common_value_t<A, B>, common_value_t<A, B>>(SymbolicOperation::Smaller, a, b);
}
/// The larger one, a if neither is: as std::max, so that NaN as b does not count.
template <PlainNumber A, PlainNumber B>
[[nodiscard]] constexpr auto max(A a, B b) noexcept {
  using S = std::common_type_t<A, B>;
  return static_cast<S>(a) < static_cast<S>(b) ? static_cast<S>(b) : static_cast<S>(a);
}
/// See above.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto max(const A& a, const B& b) {
  return combined<common_value_t<A, B>, common_value_t<A, B>>(SymbolicOperation::Larger, a, b);
}

/// The type of a function of one number: integers are computed in double, as in C++.
template <class A>
using function_value_t =
    std::conditional_t<std::same_as<symbolic_value_t<A>, float>, float, double>;

/// The argument of a function of real numbers: float, double or a symbol.
template <class A>
concept RealOrSymbol = Element<A> || is_symbol<A>;

/// The node of a function of one symbol.
template <SymbolicValue S>
[[nodiscard]] auto applied(SymbolicOperation operation, const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(operation, a);
}

/// |a|.
template <RealOrSymbol A>
[[nodiscard]] auto fabs(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Absolute, a);
  } else {
    return std::fabs(a);
  }
}
/// The square root.
template <RealOrSymbol A>
[[nodiscard]] auto sqrt(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::SquareRoot, a);
  } else {
    return std::sqrt(a);
  }
}
/// e to the power of a.
template <RealOrSymbol A>
[[nodiscard]] auto exp(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Exponential, a);
  } else {
    return std::exp(a);
  }
}
/// The natural logarithm.
template <RealOrSymbol A>
[[nodiscard]] auto log(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Logarithm, a);
  } else {
    return std::log(a);
  }
}
/// The sine.
template <RealOrSymbol A>
[[nodiscard]] auto sin(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Sine, a);
  } else {
    return std::sin(a);
  }
}
/// The cosine.
template <RealOrSymbol A>
[[nodiscard]] auto cos(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Cosine, a);
  } else {
    return std::cos(a);
  }
}
/// The hyperbolic tangent.
template <RealOrSymbol A>
[[nodiscard]] auto tanh(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::HyperbolicTangent, a);
  } else {
    return std::tanh(a);
  }
}
/// The largest whole number that is not larger.
template <RealOrSymbol A>
[[nodiscard]] auto floor(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Floor, a);
  } else {
    return std::floor(a);
  }
}
/// The smallest whole number that is not smaller.
template <RealOrSymbol A>
[[nodiscard]] auto ceil(const A& a) {
  if constexpr (is_symbol<A>) {
    return applied(SymbolicOperation::Ceiling, a);
  } else {
    return std::ceil(a);
  }
}
/// a to the power of b.
template <Element A>
[[nodiscard]] A pow(A a, std::type_identity_t<A> b) noexcept {
  return std::pow(a, b);
}
/// See above.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto pow(const A& a, const B& b) {
  using S = function_value_t<Symbol<common_value_t<A, B>>>;
  return combined<S, S>(SymbolicOperation::Power, a, b);
}

}  // namespace switchyard
