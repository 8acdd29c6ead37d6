// Writing recorded functions as OpenCL C. Every word comes from the tables below: nothing that a
// program hands over gets into the text, but the order of nodes and the numbers of shifts.
#include "recorded_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace switchyard::opencl {
namespace {

/// One `SymbolicOperation` in OpenCL C: {0}, {1} and {2} are its operands.
struct Spelling {
  SymbolicOperation operation;
  std::string_view text;
};

constexpr std::array spellings{
    Spelling{SymbolicOperation::Operand, ""},  // written by `Writer`, as are the next three
    Spelling{SymbolicOperation::Position, ""},
    Spelling{SymbolicOperation::Constant, ""},
    Spelling{SymbolicOperation::Convert, ""},
    Spelling{SymbolicOperation::Negate, "-{0}"},
    Spelling{SymbolicOperation::Not, "!{0}"},
    Spelling{SymbolicOperation::Add, "{0} + {1}"},
    Spelling{SymbolicOperation::Subtract, "{0} - {1}"},
    Spelling{SymbolicOperation::Multiply, "{0} * {1}"},
    Spelling{SymbolicOperation::Divide, "{0} / {1}"},
    Spelling{SymbolicOperation::Remainder, "{0} % {1}"},
    Spelling{SymbolicOperation::Less, "{0} < {1}"},
    Spelling{SymbolicOperation::LessEqual, "{0} <= {1}"},
    Spelling{SymbolicOperation::Equal, "{0} == {1}"},
    Spelling{SymbolicOperation::NotEqual, "{0} != {1}"},
    Spelling{SymbolicOperation::And, "{0} && {1}"},
    Spelling{SymbolicOperation::Or, "{0} || {1}"},
    Spelling{SymbolicOperation::Where, "{0} ? {1} : {2}"},
    Spelling{SymbolicOperation::Absolute, "fabs({0})"},
    Spelling{SymbolicOperation::SquareRoot, "sqrt({0})"},
    Spelling{SymbolicOperation::Exponential, "exp({0})"},
    Spelling{SymbolicOperation::Logarithm, "log({0})"},
    Spelling{SymbolicOperation::Sine, "sin({0})"},
    Spelling{SymbolicOperation::Cosine, "cos({0})"},
    Spelling{SymbolicOperation::HyperbolicTangent, "tanh({0})"},
    Spelling{SymbolicOperation::Floor, "floor({0})"},
    Spelling{SymbolicOperation::Ceiling, "ceil({0})"},
    Spelling{SymbolicOperation::Power, "pow({0}, {1})"},
    Spelling{SymbolicOperation::Smaller, "{1} < {0} ? {1} : {0}"},
    Spelling{SymbolicOperation::Larger, "{0} < {1} ? {1} : {0}"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    if (static_cast<std::size_t>(spellings[i].operation) != i) return false;
  }
  return true;
}
static_assert(in_order() && spellings.back().operation == SymbolicOperation::Larger);

constexpr std::string_view type_name(ValueType type) {
  constexpr std::array<std::string_view, 4> names{"int", "long", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

/// Where a function has its operands and the place of the element from.
enum class Leaves {
  Arrays,  ///< element i of arrays
  Values,  ///< values of an element at a row and a column
  Folded   ///< the two numbers that an operation folds
};

std::string operand_text(const RecordedNode& node, Leaves leaves) {
  if (leaves == Leaves::Folded) return node.a == 0 ? "a" : "b";
  if (leaves == Leaves::Values) return fmt::format("in{}", node.a);
  if (node.shift == 0 && node.across == 0) return fmt::format("in{}[i]", node.a);
  if (node.b == 1) {
    return fmt::format("element_around(in{}, i, {}, {}, size, columns, edge)", node.a, node.shift,
                       node.across);
  }
  return fmt::format("element_near(in{}, i, {}, size, edge)", node.a, node.shift);
}

std::string place_text(const RecordedNode& node, Leaves leaves) {
  if (leaves == Leaves::Values) return node.a == 0 ? "row" : "column";
  if (node.b == 0) return "i";
  return node.a == 0 ? "i / columns" : "i % columns";
}

/// The value of a node that is no operation on others, but for `Convert`.
std::string leaf(const RecordedNode& node, Leaves leaves) {
  switch (node.operation) {
    case SymbolicOperation::Operand:
      return operand_text(node, leaves);
    case SymbolicOperation::Position:
      return place_text(node, leaves);
    case SymbolicOperation::Constant:
      return fmt::format("{}constant{}", leaves == Leaves::Folded ? "fold_" : "", node.a);
    default:
      return node.type == ValueType::Boolean ? fmt::format("n{} != 0", node.a)
                                             : fmt::format("({})n{}", type_name(node.type), node.a);
  }
}

/// The nodes as statements, and what they return.
std::string body(const RecordedFunction& function, Leaves leaves) {
  std::string text;
  int number = 0;
  for (const RecordedNode& node : function.all_nodes()) {
    const auto& spelling = spellings[static_cast<std::size_t>(node.operation)];
    const auto name = [](std::uint8_t i) { return fmt::format("n{}", i); };
    const std::string value =
        spelling.text.empty()
            ? leaf(node, leaves)
            : fmt::format(fmt::runtime(spelling.text), name(node.a), name(node.b), name(node.c));
    text += fmt::format("  const {} n{} = {};\n", type_name(node.type), number++, value);
  }
  return text + fmt::format("  return n{};\n", number - 1);
}

/// Whether it is the element of the first operand.
bool is_same(const RecordedFunction& function) {
  const auto nodes = function.all_nodes();
  return nodes.size() == 1 && nodes[0].operation == SymbolicOperation::Operand && nodes[0].a == 0 &&
         nodes[0].shift == 0 && nodes[0].across == 0;
}

/// The constants as parameters and as arguments; `prefix` tells those of two functions apart.
std::string constants_text(const RecordedFunction& function, std::string_view prefix,
                           bool with_types) {
  std::string text;
  int number = 0;
  for (const RecordedConstant& constant : function.all_constants()) {
    const std::string type = with_types ? fmt::format("{} ", type_name(constant.type)) : "";
    text += fmt::format(", {}{}constant{}", type, prefix, number++);
  }
  return text;
}

/// What is computed must not depend on where: nothing is contracted.
constexpr std::string_view pragmas = R"(
#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
)";

constexpr std::string_view near_text = R"(
static REAL element_near(__global const REAL* array, long i, long shift, long size, REAL edge) {
  long at = i + shift;
#if EDGE == 1
  at = clamp(at, 0L, size - 1);
#elif EDGE == 2
  at %= size;
  if (at < 0) at += size;
#else
  if (at < 0 || at >= size) return edge;
#endif
  return array[at];
}

static REAL element_around(__global const REAL* array, long i, long down, long across, long size,
                           long columns, REAL edge) {
  const long rows = size / columns;
  long row = i / columns + down;
  long column = i % columns + across;
#if EDGE == 1
  row = clamp(row, 0L, rows - 1);
  column = clamp(column, 0L, columns - 1);
#elif EDGE == 2
  row %= rows;
  if (row < 0) row += rows;
  column %= columns;
  if (column < 0) column += columns;
#else
  if (row < 0 || row >= rows || column < 0 || column >= columns) return edge;
#endif
  return array[row * columns + column];
}
)";

}  // namespace

std::string recorded_pragmas() { return std::string(pragmas); }

std::string element_function_text(const RecordedFunction& function, std::size_t operands,
                                  int edge) {
  std::string arrays;
  std::string names;
  for (std::size_t k = 0; k < operands; ++k) {
    arrays += fmt::format(", __global const REAL* in{}", k);
    names += fmt::format(", in{}", k);
  }
  return fmt::format("#define EDGE {}\n", edge) +
         (is_same(function) ? "#define SAME_ELEMENTS\n" : "") +
         fmt::format("#define APPLY_PARAMETERS {}, REAL edge{}\n", arrays,
                     constants_text(function, "", true)) +
         fmt::format("#define APPLY_ARGUMENTS {}, edge{}\n", names,
                     constants_text(function, "", false)) +
         std::string(near_text) +
         "static REAL apply(long i, long size, long columns APPLY_PARAMETERS) {\n" +
         body(function, Leaves::Arrays) + "}\n";
}

std::string value_function_text(const RecordedFunction& function, std::size_t operands) {
  std::string values;
  for (std::size_t k = 0; k < operands; ++k) values += fmt::format(", REAL in{}", k);
  return fmt::format("#define VALUE_OPERANDS {}\n", operands) +
         fmt::format("#define VALUE_PARAMETERS {}\n", constants_text(function, "", true)) +
         fmt::format("#define VALUE_ARGUMENTS {}\n", constants_text(function, "", false)) +
         "static REAL apply_at(long row, long column" + values + " VALUE_PARAMETERS) {\n" +
         body(function, Leaves::Values) + "}\n";
}

std::string merge_text(std::size_t operands) {
  std::string parameters;
  std::string walks;
  std::string values;
  for (std::size_t k = 0; k < operands; ++k) {
    parameters += fmt::format(
        ", __global const OFFSET* offsets{0}, __global const int* columns{0}, "
        "__global const REAL* values{0}",
        k);
    const std::string_view comma = k == 0 ? "" : ", ";
    walks +=
        fmt::format("{1}{{columns{0}, values{0}, offsets{0}[row], offsets{0}[row + 1]}}", k, comma);
    values += fmt::format("{1}values[{0}]", k, comma);
  }
  return fmt::format("#define MERGE_PARAMETERS {}\n", parameters) +
         fmt::format("#define MERGE_WALKS {}\n", walks) +
         fmt::format("#define MERGED_VALUES {}\n", values);
}

std::string fold_text(const RecordedFunction& function, ValueType folded) {
  return fmt::format("#define FOLDED {}\n", type_name(folded)) +
         fmt::format("#define FOLD_PARAMETERS {}\n", constants_text(function, "fold_", true)) +
         fmt::format("#define FOLD_ARGUMENTS {}\n", constants_text(function, "fold_", false)) +
         "static FOLDED combine(FOLDED a, FOLDED b FOLD_PARAMETERS) {\n" +
         body(function, Leaves::Folded) + "}\n";
}

bool needs_double(const RecordedFunction& function) noexcept {
  return std::ranges::any_of(function.all_nodes(), [](const RecordedNode& node) {
    return node.type == ValueType::Double;
  });
}

}  // namespace switchyard::opencl

std::string switchyard::recorded_text(const RecordedFunction& function) {
  return opencl::body(function, opencl::Leaves::Arrays);
}
