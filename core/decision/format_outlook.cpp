// Sizes, obstacles and features of one matrix in all formats.
#include "format_outlook.hpp"

#include <algorithm>

namespace switchyard {
namespace {

// A product reads the whole matrix: a format that takes so many times the bytes of another one is
// not the fastest, and a copy in it costs time and memory.
constexpr double largest_size = 1.5;

}  // namespace

FormatOutlook::FormatOutlook(const Situation& situation)
    : features_(situation.structure, situation.precision),
      pinned_(situation.pinned),
      equal_values_(situation.structure.distinct_values == 1),
      request_(situation.request) {
  for (const FormatFacts& facts : format_table) {
    Facts& here = facts_[static_cast<std::size_t>(facts.format)];
    here.bytes = features_.bytes(facts.format);
    here.obstacle = obstacle_to(facts.format, situation.structure);
  }
  for (const State copy : situation.valid) {
    facts_[static_cast<std::size_t>(copy.format)].has_copy = true;
  }
}

bool FormatOutlook::too_large(Format format) const noexcept {
  if (is_given(format) || in_use(format)) return false;
  return bytes(format) > largest_size * std::min(bytes(Format::Csr), bytes(Format::Dense));
}

Refusal FormatOutlook::size_refusal(Format format) const noexcept {
  const bool csr = bytes(Format::Csr) < bytes(Format::Dense);
  const Format smaller = csr ? Format::Csr : Format::Dense;
  return Refusal::too_large(bytes(format) / bytes(smaller), smaller, largest_size);
}

bool FormatOutlook::needless(Format format) const noexcept {
  return equal_values_ && facts_of(format).values == ValueCoding::Dictionary8 && !in_use(format);
}

const Features& FormatOutlook::multiply_features(Format format) noexcept {
  Facts& here = facts_[static_cast<std::size_t>(format)];
  if (!here.has_features) here.multiply = features_.multiply(format, here.bytes, request_);
  here.has_features = true;
  return here.multiply;
}

}  // namespace switchyard
