// FNV-1a over the bytes of a profile (Fowler, Noll, Vo; RFC 9923).
#include "profile_seal.hpp"

#include <array>
#include <cstdint>

namespace switchyard {

namespace {

constexpr std::string_view before_digits = "\"checksum\":\"";
constexpr std::string_view after_digits = "\"\n}\n";
constexpr std::size_t digits = 16;

std::array<char, digits> checksum_of(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  std::array<char, digits> text{};
  for (std::size_t i = digits; i-- > 0; hash >>= 4U) text[i] = "0123456789abcdef"[hash & 15U];
  return text;
}

}  // namespace

std::string sealed(std::string body) {
  const std::array<char, digits> checksum = checksum_of(body);
  body += before_digits;
  body.append(checksum.data(), digits);
  body += after_digits;
  return body;
}

Seal seal_of(std::string_view text) noexcept {
  constexpr std::size_t length = before_digits.size() + digits + after_digits.size();
  if (text.size() < length) return Seal::None;
  const std::string_view body = text.substr(0, text.size() - length);
  const std::string_view seal = text.substr(body.size());
  if (!seal.starts_with(before_digits) || !seal.ends_with(after_digits)) return Seal::None;
  const std::array<char, digits> checksum = checksum_of(body);
  const bool same =
      seal.substr(before_digits.size(), digits) == std::string_view(checksum.data(), digits);
  return same ? Seal::Whole : Seal::Broken;
}

}  // namespace switchyard
