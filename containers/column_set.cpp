// A set of columns in words of 64, and its order.
#include <algorithm>
#include <switchyard/containers/column_set.hpp>
#include <switchyard/containers/out_of_memory.hpp>

namespace switchyard {

ColumnSet::ColumnSet() {
  with_enough_memory([this] {
    table_ = std::make_unique_for_overwrite<std::uint16_t[]>(std::size_t{1} << table_bits);
    words_ = std::make_unique_for_overwrite<Word[]>(most_words);
    order_ = std::make_unique_for_overwrite<std::uint64_t[]>(most_words);
    changes_ = std::make_unique_for_overwrite<Change[]>(static_cast<std::size_t>(most));
  });
  std::fill_n(table_.get(), std::size_t{1} << table_bits, no_word);
}

std::size_t ColumnSet::find_or_add(Column number) noexcept {
  const std::size_t slot = slot_of(number);
  if (table_[slot] == no_word) {
    table_[slot] = static_cast<std::uint16_t>(word_count_);
    words_[word_count_++] = {number, 0, static_cast<std::uint16_t>(slot), 0};
  }
  return table_[slot];
}

bool ColumnSet::add(std::span<const Column> columns) noexcept {
  const Index size_before = size_;
  std::size_t changes = 0;
  for (std::size_t k = 0; k < columns.size();) {
    const Column number = columns[k] >> word_bits;
    const std::size_t at = find_or_add(number);
    std::uint64_t added = 0;
    for (; k < columns.size() && columns[k] >> word_bits == number; ++k)
      added |= bit_of(columns[k]);
    Word& word = words_[at];
    changes_[changes++] = {word.columns, at};
    size_ += std::popcount(added & ~word.columns);
    word.columns |= added;
  }
  if (size_ <= most) return true;
  for (; changes > 0; --changes) {
    const Change& change = changes_[changes - 1];
    words_[change.word].columns = change.columns_before;
  }
  size_ = size_before;
  return false;
}

void ColumnSet::clear() noexcept {
  for (std::size_t w = 0; w < word_count_; ++w) table_[words_[w].slot] = no_word;
  word_count_ = 0;
  size_ = 0;
}

void ColumnSet::sort_into(Column* to) noexcept {
  for (std::size_t w = 0; w < word_count_; ++w) {
    order_[w] = static_cast<std::uint64_t>(words_[w].number) << 32 | w;
  }
  std::sort(order_.get(), order_.get() + word_count_);
  Index place = 0;
  for (std::size_t i = 0; i < word_count_; ++i) {
    Word& word = words_[order_[i] & 0xffffffffU];
    word.first_place = static_cast<std::uint16_t>(place);
    for (std::uint64_t left = word.columns; left != 0; left &= left - 1) {
      to[place++] = static_cast<Column>(word.number << word_bits) + std::countr_zero(left);
    }
  }
}

}  // namespace switchyard
