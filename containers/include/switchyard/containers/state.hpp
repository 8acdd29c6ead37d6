// Where a matrix can stand: a storage format in a memory space.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace switchyard {

/// How the elements are laid out. Each has a struct of its name and an entry in `formats.hpp`.
enum class Format : std::uint8_t { Dense, Csr };

/// Where the bytes live: the host's memory, or that of the k-th device.
class Space {
 public:
  /// Devices are numbered below this: sets of spaces are kept as the bits of 64.
  static constexpr int most_devices = 63;

  constexpr Space() = default;
  /// The host's memory.
  [[nodiscard]] static constexpr Space host() noexcept { return Space(0); }
  /// The memory of device k, from 0.
  [[nodiscard]] static constexpr Space device(int k) noexcept {
    return Space(static_cast<std::uint8_t>(k + 1));
  }
  /// Whether ordinary code can read what is there.
  [[nodiscard]] constexpr bool is_host() const noexcept { return index_ == 0; }
  /// 0 for the host, k + 1 for device k.
  [[nodiscard]] constexpr int index() const noexcept { return index_; }
  auto operator<=>(const Space&) const = default;

 private:
  explicit constexpr Space(std::uint8_t index) : index_(index) {}
  std::uint8_t index_ = 0;
};

/// One track of the yard. Ordered by space, then format, so that the four core states have the
/// numbers of the thesis (Figure 3.4): 0 `dense@host`, 1 `csr@host`, 2 `dense@device0`, 3
/// `csr@device0`.
struct State {
  Space space;                    ///< the memory
  Format format = Format::Dense;  ///< the layout
  auto operator<=>(const State&) const = default;
};

/// "dense", "csr".
[[nodiscard]] std::string_view name(Format format) noexcept;
/// "host", "device0", "device1", ...
[[nodiscard]] std::string name(Space space);
/// The pattern is format, `@`, space: "csr@device0".
[[nodiscard]] std::string name(State state);

/// The inverses of `name`; nothing where the text is no such name.
[[nodiscard]] std::optional<Format> parse_format(std::string_view text) noexcept;
/// As above, for spaces.
[[nodiscard]] std::optional<Space> parse_space(std::string_view text) noexcept;
/// As above, for states.
[[nodiscard]] std::optional<State> parse_state(std::string_view text) noexcept;

}  // namespace switchyard
