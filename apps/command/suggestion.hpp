// The known word that a misspelt one was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace switchyard::command {

/// The candidate with the smallest edit distance (insertions, deletions, substitutions, swapped
/// neighbours) from `word`; empty where none is within a third of the word's length, rounded up.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "did you mean 'multiply'?", or an empty text where no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

}  // namespace switchyard::command
