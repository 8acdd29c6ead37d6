// Recording: appending nodes and constants to a function.
#include <algorithm>
#include <array>
#include <cmath>
#include <switchyard/backends/symbol.hpp>

namespace switchyard {
namespace {

/// Whether the value is known to be finite where all operands are zero: 0 times another is not 0.
bool is_finite(const RecordedFunction& function, std::uint8_t number) {
  const RecordedNode& node = function.nodes[number];
  switch (node.operation) {
    case SymbolicOperation::Operand:
    case SymbolicOperation::Position:
      return true;
    case SymbolicOperation::Constant:
      return std::isfinite(function.constants[node.a].real);
    case SymbolicOperation::Convert:
    case SymbolicOperation::Negate:
    case SymbolicOperation::Absolute:
      return node.type != ValueType::Boolean && is_finite(function, node.a);
    default:
      return false;
  }
}

}  // namespace

std::uint8_t add_node(RecordedFunction& function, const RecordedNode& node) {
  const auto nodes = function.all_nodes();
  const auto same = std::ranges::find(nodes, node);
  if (same != nodes.end()) return static_cast<std::uint8_t>(same - nodes.begin());
  if (nodes.size() == RecordedFunction::most_nodes) {
    throw NotRecordable("it has more than 64 operations");
  }
  function.nodes[nodes.size()] = node;
  return function.node_count++;
}

std::uint8_t add_constant(RecordedFunction& function, const RecordedConstant& constant) {
  const std::uint8_t number = function.constant_count;
  if (number == RecordedFunction::most_constants) {
    throw NotRecordable("it holds more than 16 numbers");
  }
  // Numbers that happen to be equal are not one: the kernel must not depend on what they are.
  function.constants[number] = constant;
  ++function.constant_count;
  return add_node(function,
                  {.operation = SymbolicOperation::Constant, .type = constant.type, .a = number});
}

bool keeps_zeros(const RecordedFunction& function) {
  std::array<bool, RecordedFunction::most_nodes> zero{};
  std::size_t number = 0;
  for (const RecordedNode& node : function.all_nodes()) {
    const bool a = zero[node.a];
    const bool b = zero[node.b];
    const auto value = [&] {
      switch (node.operation) {
        case SymbolicOperation::Operand:
          return true;
        case SymbolicOperation::Constant: {
          const RecordedConstant& constant = function.constants[node.a];
          return constant.real == 0 && constant.integer == 0;
        }
        case SymbolicOperation::Convert:
        case SymbolicOperation::Negate:
        case SymbolicOperation::Absolute:
        case SymbolicOperation::SquareRoot:
        case SymbolicOperation::Sine:
        case SymbolicOperation::HyperbolicTangent:
        case SymbolicOperation::Floor:
        case SymbolicOperation::Ceiling:
          return a;
        case SymbolicOperation::Add:
        case SymbolicOperation::Subtract:
        case SymbolicOperation::Smaller:
        case SymbolicOperation::Larger:
          return a && b;
        case SymbolicOperation::Multiply:
          return (a && is_finite(function, node.b)) || (b && is_finite(function, node.a));
        case SymbolicOperation::Where:
          return b && zero[node.c];
        default:
          return false;
      }
    };
    zero[number++] = value();
  }
  return number > 0 && zero[number - 1];
}

}  // namespace switchyard
