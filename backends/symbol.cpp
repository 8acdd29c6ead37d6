// Recording: appending nodes and constants to a function.
#include <algorithm>
#include <switchyard/backends/symbol.hpp>

namespace switchyard {

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

}  // namespace switchyard
