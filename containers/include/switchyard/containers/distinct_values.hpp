// Distinct values, numbered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <switchyard/containers/coding.hpp>

namespace switchyard {

/// Up to `dictionary8_values` distinct values, as bits, numbered in the order in which they were
/// met. Allocates nothing. Threads: used by one thread at a time.
class DistinctValues {
 public:
  /// What `code_of` returns for a value that has no room.
  static constexpr int no_code = dictionary8_values;

  /// The number of values met.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// The values, by their numbers.
  [[nodiscard]] std::span<const std::uint64_t> values() const noexcept {
    return {values_.data(), static_cast<std::size_t>(size_)};
  }

  /// The number of that value, which is added if it is new. `no_code` if there is no room for it.
  int code_of(std::uint64_t bits) noexcept {
    // Open addressing in a table that is a quarter full at most.
    std::size_t place = (bits * 0x9E3779B97F4A7C15U) >> (64 - log2_places);
    for (;; place = (place + 1) % places) {
      const int code = codes_[place] - 1;
      if (code < 0) return added(bits, place);
      if (values_[static_cast<std::size_t>(code)] == bits) return code;
    }
  }

 private:
  static constexpr int log2_places = 10;
  static constexpr std::size_t places = std::size_t{1} << log2_places;

  int added(std::uint64_t bits, std::size_t place) noexcept {
    if (size_ == dictionary8_values) return no_code;
    values_[static_cast<std::size_t>(size_)] = bits;
    codes_[place] = static_cast<std::uint16_t>(size_ + 1);
    return size_++;
  }

  std::array<std::uint64_t, dictionary8_values> values_{};
  std::array<std::uint16_t, places> codes_{};  // 0: free; else a number and one
  int size_ = 0;
};

}  // namespace switchyard
