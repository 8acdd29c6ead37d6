// Where a matrix can be stored: a storage format in a memory space.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/format.hpp>

namespace switchyard {

/// A memory space: the host's memory or that of device k.
class Space {
 public:
  /// The maximum number of devices: a set of spaces is a 64-bit mask.
  static constexpr int most_devices = 63;

  constexpr Space() = default;
  /// The host's memory.
  [[nodiscard]] static constexpr Space host() noexcept { return Space(0); }
  /// The memory of device k, from 0. Throws `Error(OutOfRange)` unless 0 <= k < most_devices.
  [[nodiscard]] static constexpr Space device(int k) {
    if (k < 0 || k >= most_devices) {
      throw Error(ErrorCode::OutOfRange, "there is no device of number " + std::to_string(k));
    }
    return Space(static_cast<std::uint8_t>(k + 1));
  }
  /// Whether this is the host's memory.
  [[nodiscard]] constexpr bool is_host() const noexcept { return index_ == 0; }
  /// 0 for the host, k + 1 for device k.
  [[nodiscard]] constexpr int index() const noexcept { return index_; }
  auto operator<=>(const Space&) const = default;

 private:
  explicit constexpr Space(std::uint8_t index) : index_(index) {}
  std::uint8_t index_ = 0;
};

/// A format in a space. Ordered by space, then by format.
struct State {
  Space space;                    ///< the memory
  Format format = Format::Dense;  ///< the layout
  auto operator<=>(const State&) const = default;
};

/// "host", "device0", "device1", ...
[[nodiscard]] std::string name(Space space);
/// The pattern is format, `@`, space: "csr@device0".
[[nodiscard]] std::string name(State state);

/// The inverse of `name`. Returns nothing for any other text, and for a device number of
/// `most_devices` or more.
[[nodiscard]] std::optional<Space> parse_space(std::string_view text) noexcept;
/// As above, for states.
[[nodiscard]] std::optional<State> parse_state(std::string_view text) noexcept;

}  // namespace switchyard
