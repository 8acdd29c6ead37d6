// What a program is built for, as options of the OpenCL compiler.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <switchyard/containers/array.hpp>
#include <switchyard/containers/numbers.hpp>

#include "tuning.hpp"

namespace switchyard::opencl {

/// How wide the row offsets are that a program is built for. Programs that have none are built
/// narrow.
enum class OffsetWidth { Narrow, Wide };

template <class Offset>
[[nodiscard]] constexpr OffsetWidth width_of(const Array<Offset>&) noexcept {
  return sizeof(Offset) == 4 ? OffsetWidth::Narrow : OffsetWidth::Wide;
}

/// What to build: a kernel file, for a precision and an offset width.
struct ProgramKey {
  std::string_view stem;
  Precision precision = Precision::Float;
  OffsetWidth width = OffsetWidth::Narrow;
  auto operator<=>(const ProgramKey&) const = default;
};

/// What the definitions of a program depend on beside its key.
struct BuildTarget {
  Tuning tuning;              ///< its groups are no larger than the device allows
  bool has_double = false;    ///< the device computes in double, whatever a program is built for
  bool is_nvidia = false;     ///< driven by NVIDIA's own driver, which takes PTX
  bool copies_ahead = false;  ///< and copies to local memory while it computes: from sm_80 on
  bool multiplies_doubles = false;  ///< and multiplies tiles in double at once: from sm_90 on
};

/// The definitions that every kernel file is compiled with: those that prelude.cl describes and
/// those of `definitions`. Each begins with a blank.
[[nodiscard]] std::string program_definitions(const BuildTarget& target, const ProgramKey& key);

}  // namespace switchyard::opencl
