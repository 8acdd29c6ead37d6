// A set of columns, to which those of a row are added while there is room.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// At most `most` columns. Kept in words of 64 neighbouring columns, found by their number in a
/// hash table: rows of most matrices touch few words. Threads: one at a time.
class ColumnSet {
 public:
  /// The columns that it has room for.
  static constexpr Index most = 2048;

  /// An empty set. Throws `Error(OutOfMemory)`.
  ColumnSet();

  /// Adds the columns of a row, and returns true; or returns false and adds none if there is no
  /// room for all. REQUIRES: `columns` ascend, and are `most` at most.
  [[nodiscard]] bool add(std::span<const Column> columns) noexcept;
  /// Different columns.
  [[nodiscard]] Index size() const noexcept { return size_; }
  /// Removes all.
  void clear() noexcept;

  /// Writes the columns to `to`, ascending, and prepares `place_of`.
  void sort_into(Column* to) noexcept;
  /// The place of `column` among all, ascending. REQUIRES: it is one of them, and nothing changed
  /// since `sort_into`.
  [[nodiscard]] Index place_of(Column column) const noexcept {
    const Word& word = words_[find(column >> word_bits)];
    const std::uint64_t below = bit_of(column) - 1;
    return word.first_place + std::popcount(word.columns & below);
  }

 private:
  static constexpr int word_bits = 6;
  // A row may add as many words as there are, before it is found not to fit.
  static constexpr std::size_t most_words = 2 * static_cast<std::size_t>(most);
  static constexpr int table_bits = 13;
  static constexpr std::uint16_t no_word = 0xffff;

  struct Word {
    Column number;              ///< of the word: its first column / 64
    std::uint16_t first_place;  ///< columns before this word
    std::uint16_t slot;         ///< in the table
    std::uint64_t columns;      ///< a bit for each
  };
  struct Change {
    std::uint64_t columns_before;
    std::size_t word;
  };

  [[nodiscard]] static constexpr std::uint64_t bit_of(Column column) noexcept {
    return std::uint64_t{1} << (static_cast<unsigned>(column) & 63U);
  }
  /// Where in the table the word is, or would be.
  [[nodiscard]] std::size_t slot_of(Column number) const noexcept {
    constexpr std::uint32_t spread = 2654435769U;  // 2^32 over the golden ratio
    std::size_t slot = static_cast<std::uint32_t>(number) * spread >> (32 - table_bits);
    while (table_[slot] != no_word && words_[table_[slot]].number != number) {
      slot = (slot + 1) & ((std::size_t{1} << table_bits) - 1);
    }
    return slot;
  }
  [[nodiscard]] std::size_t find(Column number) const noexcept { return table_[slot_of(number)]; }
  [[nodiscard]] std::size_t find_or_add(Column number) noexcept;

  std::unique_ptr<std::uint16_t[]> table_;  // places in `words_`
  std::unique_ptr<Word[]> words_;
  std::unique_ptr<std::uint64_t[]> order_;
  std::unique_ptr<Change[]> changes_;
  std::size_t word_count_ = 0;
  Index size_ = 0;
};

}  // namespace switchyard
