// How many bytes the heap held at most, where a sanitizer that can tell is in the program.
#pragma once

#include <cstddef>

namespace switchyard::fuzz {

/// Forgets the peak so far.
void forget_peak() noexcept;
/// The most bytes held at once since, beyond those held then; 0 without a sanitizer.
[[nodiscard]] std::size_t peak_bytes() noexcept;

}  // namespace switchyard::fuzz
