// Symbols: what a generic lambda is called with to find out what it computes.
#pragma once

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

/// A value of type S that is not known yet. Arithmetic, comparisons, and the functions of
/// symbol_functions.hpp have the types and meanings that C++ gives them for S; the result is a
/// symbol again. A symbol that is used as a number or as a condition throws `NotRecordable`.
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

}  // namespace switchyard
