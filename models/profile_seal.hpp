// The checksum at the end of a profile.
#pragma once

#include <string>
#include <string_view>

namespace switchyard {

/// Closes a document that still lacks its last member and closing brace: adds the checksum of all
/// bytes before it as that member.
[[nodiscard]] std::string sealed(std::string body);

/// What is at the end of a document.
enum class Seal {
  None,    ///< nothing that looks like what `sealed` adds
  Broken,  ///< the checksum is not that of the bytes before
  Whole
};

/// FNV-1a maps no two texts that differ in one byte to the same number.
[[nodiscard]] Seal seal_of(std::string_view text) noexcept;

}  // namespace switchyard
