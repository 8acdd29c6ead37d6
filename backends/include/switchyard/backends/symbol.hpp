// Symbols: what a generic lambda is called with to find out what it computes.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <exception>
#include <switchyard/backends/recorded_function.hpp>
#include <switchyard/containers/numbers.hpp>
#include <type_traits>

namespace switchyard {

/// Thrown while a function is recorded, and caught by `recorded`: it cannot be. The text says why.
class NotRecordable : public std::exception {
 public:
  /// `problem` must live for as long as the process.
  explicit NotRecordable(const char* problem) noexcept : problem_(problem) {}
  /// Why.
  [[nodiscard]] const char* what() const noexcept override { return problem_; }

 private:
  const char* problem_;
};

/// The types that values in a recorded function have.
template <class S>
concept SymbolicValue = std::same_as<S, bool> || std::same_as<S, std::int64_t> ||
    std::same_as<S, float> || std::same_as<S, double>;

/// The value type of S.
template <SymbolicValue S>
inline constexpr ValueType value_type_of = std::same_as<S, bool>           ? ValueType::Boolean
                                           : std::same_as<S, std::int64_t> ? ValueType::Integer
                                           : std::same_as<S, float>        ? ValueType::Float
                                                                           : ValueType::Double;

/// Appends a node, unless there is the same already, and returns its number. Throws
/// `NotRecordable` where there is no room.
[[nodiscard]] std::uint8_t add_node(RecordedFunction& function, const RecordedNode& node);
/// Appends a constant and its node. Throws as above.
[[nodiscard]] std::uint8_t add_constant(RecordedFunction& function,
                                        const RecordedConstant& constant);

/// Whether the result is certainly zero where all operands are, wherever the element is.
/// REQUIRES: recorded without a problem.
[[nodiscard]] bool keeps_zeros(const RecordedFunction& function);

/// A value of type S that is not known yet. Arithmetic, comparisons, `where` and the functions
/// below have the types and meanings that C++ gives them for S; the result is a symbol again. A
/// symbol that is used as a number or as a condition throws `NotRecordable`.
template <SymbolicValue S>
struct Symbol {
  RecordedFunction* function;  ///< that is being recorded
  std::uint8_t node;           ///< its number there

  /// Throws `NotRecordable`: whoever asks for a number does not take symbols.
  operator S() const {  // NOLINT(google-explicit-constructor): to reach `if` and calls by value
    throw NotRecordable(std::same_as<S, bool>
                            ? "it branches on a value: use where(condition, a, b)"
                            : "it needs a number where a device has a symbol: declare its "
                              "arguments auto, and call functions without std::");
  }
};

/// Whether V is a `Symbol`.
template <class V>
inline constexpr bool is_symbol = false;
/// See above.
template <class S>
inline constexpr bool is_symbol<Symbol<S>> = true;

/// A number in an expression with symbols.
template <class V>
concept PlainNumber = std::is_arithmetic_v<V>;
/// An operand of an expression with symbols.
template <class V>
concept SymbolOrNumber = is_symbol<V> || PlainNumber<V>;
/// Operands of an expression with symbols, at least one of which is one.
template <class... V>
concept SymbolicOperands = (SymbolOrNumber<V> && ...) && (is_symbol<V> || ...);

/// The value type that a symbol or a number has in a recorded function: all integers are of 64
/// bits.
template <class V>
struct SymbolicValueOf {
  /// The type.
  using type = std::conditional_t<std::is_floating_point_v<V>,
                                  std::conditional_t<std::same_as<V, float>, float, double>,
                                  std::conditional_t<std::same_as<V, bool>, bool, std::int64_t>>;
};
/// See above: S.
template <class S>
struct SymbolicValueOf<Symbol<S>> {
  using type = S;  ///< the type
};
/// The type of `SymbolicValueOf`.
template <class V>
using symbolic_value_t = typename SymbolicValueOf<V>::type;

/// The type in which C++ computes with both, with all integers of 64 bits.
template <class A, class B>
using common_value_t = symbolic_value_t<decltype(std::declval<symbolic_value_t<A>>() +
                                                 std::declval<symbolic_value_t<B>>())>;

/// The function that is being recorded by any of the operands.
template <class First, class... Rest>
[[nodiscard]] RecordedFunction& function_of(const First& first, const Rest&... rest) {
  if constexpr (is_symbol<First>) {
    return *first.function;
  } else {
    return function_of(rest...);
  }
}

/// The node of a symbol or a number as a value of type S.
template <SymbolicValue S, SymbolOrNumber V>
[[nodiscard]] std::uint8_t node_as(RecordedFunction& function, const V& value) {
  if constexpr (is_symbol<V>) {
    if constexpr (std::same_as<symbolic_value_t<V>, S>) return value.node;
    return add_node(
        function,
        {.operation = SymbolicOperation::Convert, .type = value_type_of<S>, .a = value.node});
  } else if constexpr (std::is_floating_point_v<V>) {
    using Held = symbolic_value_t<V>;
    const Symbol<Held> held{&function, add_constant(function, {.type = value_type_of<Held>,
                                                               .real = static_cast<Held>(value)})};
    return node_as<S>(function, held);
  } else {
    const Symbol<std::int64_t> held{
        &function, add_constant(function, {.type = ValueType::Integer,
                                           .integer = static_cast<std::int64_t>(value)})};
    return node_as<S>(function, held);
  }
}

/// A node with the operands as values of type `In`, as a symbol of type `Out`.
template <SymbolicValue Out, SymbolicValue In, SymbolOrNumber... V>
[[nodiscard]] Symbol<Out> combined(SymbolicOperation operation, const V&... operands) {
  RecordedFunction& function = function_of(operands...);
  const std::array<std::uint8_t, 3> nodes{node_as<In>(function, operands)...};
  return {&function, add_node(function, {.operation = operation,
                                         .type = value_type_of<Out>,
                                         .a = nodes[0],
                                         .b = nodes[1],
                                         .c = nodes[2]})};
}

/// -a.
template <class A>
requires SymbolicOperands<A>
[[nodiscard]] auto operator-(const A& a) {
  return combined<common_value_t<A, A>, common_value_t<A, A>>(SymbolicOperation::Negate, a);
}
/// Not a.
template <class A>
requires SymbolicOperands<A>
[[nodiscard]] auto operator!(const A& a) { return combined<bool, bool>(SymbolicOperation::Not, a); }

/// a + b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator+(const A& a, const B& b) {
  return combined<common_value_t<A, B>, common_value_t<A, B>>(SymbolicOperation::Add, a, b);
}
/// a - b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator-(const A& a, const B& b) {
  return combined<common_value_t<A, B>, common_value_t<A, B>>(SymbolicOperation::Subtract, a, b);
}
/// a * b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator*(const A& a, const B& b) {
  return combined<common_value_t<A, B>, common_value_t<A, B>>(SymbolicOperation::Multiply, a, b);
}
/// a / b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator/(const A& a, const B& b) {
  return combined<common_value_t<A, B>, common_value_t<A, B>>(SymbolicOperation::Divide, a, b);
}
/// Of integers only.
template <class A, class B>
requires SymbolicOperands<A, B> && std::integral<common_value_t<A, B>>
[[nodiscard]] auto operator%(const A& a, const B& b) {
  return combined<std::int64_t, std::int64_t>(SymbolicOperation::Remainder, a, b);
}

/// a < b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator<(const A& a, const B& b) {
  return combined<bool, common_value_t<A, B>>(SymbolicOperation::Less, a, b);
}
/// a > b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator>(const A& a, const B& b) { return b < a; }
/// a <= b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator<=(const A& a, const B& b) {
  return combined<bool, common_value_t<A, B>>(SymbolicOperation::LessEqual, a, b);
}
/// a >= b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator>=(const A& a, const B& b) { return b <= a; }
/// a == b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator==(const A& a, const B& b) {
  return combined<bool, common_value_t<A, B>>(SymbolicOperation::Equal, a, b);
}
/// a != b.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator!=(const A& a, const B& b) {
  return combined<bool, common_value_t<A, B>>(SymbolicOperation::NotEqual, a, b);
}
/// Both sides are computed, always.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator&&(const A& a, const B& b) {
  return combined<bool, bool>(SymbolicOperation::And, a, b);
}
/// Both sides are computed, always.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto operator||(const A& a, const B& b) {
  return combined<bool, bool>(SymbolicOperation::Or, a, b);
}

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

/// |a|.
template <Element A>
[[nodiscard]] A fabs(A a) noexcept {
  return std::fabs(a);
}
/// The square root.
template <Element A>
[[nodiscard]] A sqrt(A a) noexcept {
  return std::sqrt(a);
}
/// e to the power of a.
template <Element A>
[[nodiscard]] A exp(A a) noexcept {
  return std::exp(a);
}
/// The natural logarithm.
template <Element A>
[[nodiscard]] A log(A a) noexcept {
  return std::log(a);
}
/// The sine.
template <Element A>
[[nodiscard]] A sin(A a) noexcept {
  return std::sin(a);
}
/// The cosine.
template <Element A>
[[nodiscard]] A cos(A a) noexcept {
  return std::cos(a);
}
/// The hyperbolic tangent.
template <Element A>
[[nodiscard]] A tanh(A a) noexcept {
  return std::tanh(a);
}
/// The largest whole number that is not larger.
template <Element A>
[[nodiscard]] A floor(A a) noexcept {
  return std::floor(a);
}
/// The smallest whole number that is not smaller.
template <Element A>
[[nodiscard]] A ceil(A a) noexcept {
  return std::ceil(a);
}
/// a to the power of b.
template <Element A>
[[nodiscard]] A pow(A a, std::type_identity_t<A> b) noexcept {
  return std::pow(a, b);
}

/// See the function of numbers; so for all that follow.
template <SymbolicValue S>
[[nodiscard]] auto fabs(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Absolute, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto sqrt(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::SquareRoot, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto exp(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Exponential, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto log(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Logarithm, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto sin(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Sine, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto cos(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Cosine, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto tanh(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::HyperbolicTangent,
                                                            a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto floor(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Floor, a);
}
/// See above.
template <SymbolicValue S>
[[nodiscard]] auto ceil(const Symbol<S>& a) {
  return combined<function_value_t<S>, function_value_t<S>>(SymbolicOperation::Ceiling, a);
}
/// See above.
template <class A, class B>
requires SymbolicOperands<A, B>
[[nodiscard]] auto pow(const A& a, const B& b) {
  using S = function_value_t<Symbol<common_value_t<A, B>>>;
  return combined<S, S>(SymbolicOperation::Power, a, b);
}

}  // namespace switchyard
