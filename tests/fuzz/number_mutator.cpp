// A mutation that libFuzzer does not know: of one number of a text, which stays a text otherwise.
// Linked into a target, it makes half of that target's mutations.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::array<std::string_view, 24> numbers{
    "0",      "-0",     "1",     "-1",  "2",          "3",          "7",          "255",
    "256",    "0.5",    "1e-9",  "1e9", "1e18",       "1e300",      "1e308",      "1e309",
    "-1e308", "5e-324", "1e-99", "1e6", "2147483647", "4294967296", "1000000001", "null"};

bool in_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+' ||
         c == 'e';
}

/// The first number at or after `from`; empty at the end.
std::string_view number_after(std::string_view text, std::size_t from) {
  while (from < text.size() && !std::isdigit(static_cast<unsigned char>(text[from]))) ++from;
  std::size_t begin = from;
  while (begin > 0 && begin < text.size() && in_number(text[begin - 1])) --begin;
  std::size_t end = from;
  while (end < text.size() && in_number(text[end])) ++end;
  return text.substr(std::min(begin, text.size()), end - begin);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 2 == 0 || size == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string_view old = number_after(text, random() % size);
  if (old.empty()) return LLVMFuzzerMutate(data, size, most);
  std::string fresh(numbers[random() % numbers.size()]);
  if (random() % 2 == 0) {
    fresh.assign(old);
    fresh[random() % fresh.size()] = static_cast<char>('0' + random() % 10);
  }
  const auto begin = static_cast<std::size_t>(old.data() - text.data());
  std::string mutated = text;
  mutated.replace(begin, old.size(), fresh);
  if (mutated.size() > most) return size;
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
