// The words for a request.
#include <fmt/format.h>

#include <switchyard/containers/request.hpp>

namespace switchyard {

std::string name(const Request& request) {
  const bool transposed = request.operand == Operand::Transpose;
  std::string words = transposed ? "multiply transposed" : "multiply";
  if (request.columns == 1) return words;
  return words + fmt::format("{} {} columns", transposed ? "," : "", request.columns);
}

}  // namespace switchyard
