// Definitions for the OpenCL compiler.
#include "program_options.hpp"

#include <fmt/format.h>

namespace switchyard::opencl {

std::string program_definitions(const BuildTarget& target, const ProgramKey& key) {
  std::string text = fmt::format(
      " -D REAL={}{} -D OFFSET={} -D GROUP={} -D LARGE_GROUP={}{}", switchyard::name(key.precision),
      key.precision == Precision::Double ? " -D REAL_IS_DOUBLE" : "",
      key.width == OffsetWidth::Wide ? "long" : "int", target.tuning.group,
      target.tuning.large_group, target.has_double ? " -D HAS_DOUBLE" : "");
  if (target.is_nvidia) text += fmt::format(" -D NVIDIA_WARP={}", nvidia_warp);
  if (target.copies_ahead) text += " -D COPIES_AHEAD";
  if (target.multiplies_doubles && key.precision == Precision::Double) {
    text += " -D MULTIPLIES_DOUBLES";
  }
  for (const Definition& definition : definitions) {
    text += fmt::format(" -D {}={}", definition.name, target.tuning.*definition.value);
  }
  return text;
}

}  // namespace switchyard::opencl
