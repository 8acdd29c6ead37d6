// Names of spaces and states, and their inverses.
#include <charconv>
#include <switchyard/containers/state.hpp>

namespace switchyard {
namespace {

constexpr std::string_view device_word = "device";

}  // namespace

std::string name(Space space) {
  return space.is_host() ? "host" : std::string(device_word) + std::to_string(space.index() - 1);
}

std::string name(State state) { return std::string(name(state.format)) + "@" + name(state.space); }

std::optional<Space> parse_space(std::string_view text) noexcept {
  if (text == "host") return Space::host();
  if (!text.starts_with(device_word)) return std::nullopt;
  text.remove_prefix(device_word.size());
  int k = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), k);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  const bool canonical =
      whole && k >= 0 && k < Space::most_devices && (text.size() == 1 || text[0] != '0');
  if (!canonical) return std::nullopt;
  return Space::device(k);
}

std::optional<State> parse_state(std::string_view text) noexcept {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  const auto format = parse_format(text.substr(0, at));
  const auto space = parse_space(text.substr(at + 1));
  if (!format || !space) return std::nullopt;
  return State{*space, *format};
}

}  // namespace switchyard
