// A user's function as data: what a lambda computes, recorded by calling it once with symbols.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace switchyard {

/// The types of values within a recorded function.
enum class ValueType : std::uint8_t { Boolean, Integer, Float, Double };

/// What one node of a recorded function computes. The order is that of `symbolic_operations`.
enum class SymbolicOperation : std::uint8_t {
  Operand,   ///< the element of operand `a`, `shift` places further; where b is 1, so many rows
             ///< below and `across` columns to the right
  Position,  ///< the place of the element: its number, or where b is 1, its row or column `a`
  Constant,  ///< constant `a`
  Convert,   ///< a as another type
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Less,
  LessEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Where,  ///< a ? b : c
  Absolute,
  SquareRoot,
  Exponential,
  Logarithm,
  Sine,
  Cosine,
  HyperbolicTangent,
  Floor,
  Ceiling,
  Power,
  Smaller,  ///< b < a ? b : a
  Larger    ///< a < b ? b : a
};

/// One node. `a`, `b` and `c` are numbers of earlier nodes, as many as the operation takes.
struct RecordedNode {
  SymbolicOperation operation = SymbolicOperation::Constant;  ///< what it computes
  ValueType type = ValueType::Float;                          ///< of its value
  std::uint8_t a = 0;                                         ///< the first operand
  std::uint8_t b = 0;                                         ///< the second
  std::uint8_t c = 0;                                         ///< the third
  std::int32_t shift = 0;                                     ///< see `Operand`
  std::int32_t across = 0;                                    ///< see `Operand`
  bool operator==(const RecordedNode&) const = default;
};

/// A number that the function holds. Kernels get it as an argument, so that the same lambda with
/// other numbers is the same kernel.
struct RecordedConstant {
  ValueType type = ValueType::Double;  ///< Integer, Float or Double
  double real = 0;                     ///< its value, of the latter two
  std::int64_t integer = 0;            ///< its value, of the first
};

/// A function as a list of nodes, each after those that it uses. The last one is the result. It
/// holds no memory: recording allocates nothing.
struct RecordedFunction {
  static constexpr std::size_t most_nodes = 64;      ///< that fit
  static constexpr std::size_t most_constants = 16;  ///< that fit

  std::array<RecordedNode, most_nodes> nodes{};              ///< see `all_nodes`
  std::array<RecordedConstant, most_constants> constants{};  ///< see `all_constants`
  std::uint8_t node_count = 0;                               ///< of nodes in use
  std::uint8_t constant_count = 0;                           ///< of constants in use
  /// Why the function could not be recorded, or null. Such a function runs on the host only.
  const char* problem = nullptr;

  /// The nodes in use.
  [[nodiscard]] std::span<const RecordedNode> all_nodes() const noexcept {
    return {nodes.data(), node_count};
  }
  /// The constants in use.
  [[nodiscard]] std::span<const RecordedConstant> all_constants() const noexcept {
    return {constants.data(), constant_count};
  }
};

/// What the function computes, as statements of OpenCL C. REQUIRES: recorded without a problem.
[[nodiscard]] std::string recorded_text(const RecordedFunction& function);

}  // namespace switchyard
