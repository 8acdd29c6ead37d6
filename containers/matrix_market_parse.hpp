// The lines after a Matrix Market header, one block at a time.
#pragma once

#include <array>
#include <vector>

#include "matrix_market_header.hpp"
#include "row_buckets.hpp"

namespace switchyard {

/// Blank lines that follow each other.
struct BlankLines {
  Index entries;  ///< before them
  Index blanks;   ///< up to the last of them, since the beginning of the block
};

/// What lenient reading forgives in lines of entries.
enum class Leniency { Words, Comment, Huge, Exponent, Fraction, Diagonal };
inline constexpr std::size_t leniencies = 6;

/// What was counted in one block of lines.
struct BlockLines {
  Index entries = 0;
  Index lines = 0;
  std::array<Index, leniencies> forgiven{};  ///< how many times, by `Leniency`
  /// Never more than entries, and one: a gzipped file of nothing but newlines takes no memory.
  std::vector<BlankLines> blank_at;
  /// The lines, from 1, of the first entry above and below the diagonal of a matrix of which the
  /// file holds one triangle; 0 where there is none.
  Index first_above = 0;
  Index first_below = 0;

  void add_blank();

  /// The line within the block, from 1, of the entry with that number, from 0.
  [[nodiscard]] Index line_of(Index entry) const;
};

/// A parsed block of a coordinate file.
template <Element T>
struct CoordinateBlock {
  BlockLines lines;
  EntryGroup<T> entries;  ///< with those that symmetry adds
};

/// A parsed block of an array file.
template <Element T>
struct ArrayBlock {
  BlockLines lines;
  std::vector<T> values;
};

/// Parses a block of lines "row column [value]". `scratch` is reused from call to call. Throws
/// `LineError` and bad_alloc.
template <Element T>
[[nodiscard]] CoordinateBlock<T> parse_coordinates(std::string_view text,
                                                   const MatrixMarketHeader& header,
                                                   const ReadOptions& options,
                                                   const RowBuckets& buckets,
                                                   std::vector<Triplet<T>>& scratch);

/// Parses a block of lines with one value each. Throws `LineError` and bad_alloc.
template <Element T>
[[nodiscard]] ArrayBlock<T> parse_values(std::string_view text, const MatrixMarketHeader& header,
                                         const ReadOptions& options);

}  // namespace switchyard
