// Functions that derive from the members that all formats have.
#include <switchyard/containers/formats.hpp>

namespace switchyard {
namespace {

template <class T>
std::size_t bytes_of_array(const Array<T>& array) {
  return array.bytes();
}
std::size_t bytes_of_array(const Offsets& offsets) {
  return std::visit([](const auto& array) { return array.bytes(); }, offsets);
}

template <class T>
void move_array(const Array<T>& from, Array<T>& to, const std::shared_ptr<MemorySpace>& memory) {
  to = transferred(from, memory);
}
void move_array(const Offsets& from, Offsets& to, const std::shared_ptr<MemorySpace>& memory) {
  to = std::visit([&](const auto& array) -> Offsets { return transferred(array, memory); }, from);
}

template <class T>
void charge_array(Array<T>& array, const std::shared_ptr<MemorySpace>& memory) {
  array.charge_to(memory);
}
void charge_array(Offsets& offsets, const std::shared_ptr<MemorySpace>& memory) {
  std::visit([&](auto& array) { array.charge_to(memory); }, offsets);
}

}  // namespace

std::string_view name(Format format) noexcept { return facts_of(format).name; }

std::optional<Format> parse_format(std::string_view text) noexcept {
  for (const FormatFacts& facts : format_table) {
    if (facts.name == text) return facts.format;
  }
  return std::nullopt;
}

template <Element T>
Structure first_look(const Storage<T>& storage) {
  const auto* const dense = std::get_if<Dense<T>>(&storage);
  return dense ? sampled_structure_of(*dense) : structure_of(storage);
}

template <Element T>
std::size_t bytes_of(const Storage<T>& storage) {
  return std::visit(
      [](const auto& matrix) {
        return std::apply([](const auto&... array) { return (bytes_of_array(array) + ... + 0); },
                          matrix.arrays());
      },
      storage);
}

template <Element T>
Storage<T> transferred(const Storage<T>& storage, const std::shared_ptr<MemorySpace>& destination) {
  return std::visit(
      [&](const auto& matrix) -> Storage<T> {
        auto copy = matrix.header();
        const auto from = matrix.arrays();
        const auto to = copy.arrays();
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          (move_array(std::get<I>(from), std::get<I>(to), destination), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(from)>>{});
        return copy;
      },
      storage);
}

template <Element T>
void charge_to(Storage<T>& storage, const std::shared_ptr<MemorySpace>& memory) {
  std::visit(
      [&](auto& matrix) {
        std::apply([&](auto&... array) { (charge_array(array, memory), ...); }, matrix.arrays());
      },
      storage);
}

template Structure first_look(const Storage<float>&);
template Structure first_look(const Storage<double>&);
template std::size_t bytes_of(const Storage<float>&);
template std::size_t bytes_of(const Storage<double>&);
template Storage<float> transferred(const Storage<float>&, const std::shared_ptr<MemorySpace>&);
template Storage<double> transferred(const Storage<double>&, const std::shared_ptr<MemorySpace>&);
template void charge_to(Storage<float>&, const std::shared_ptr<MemorySpace>&);
template void charge_to(Storage<double>&, const std::shared_ptr<MemorySpace>&);

}  // namespace switchyard
