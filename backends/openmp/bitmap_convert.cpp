// Bitmap from and to CSR and dense, on the host's threads. The values of CSR and of a bitmap are
// the same array: only columns and bits are converted.
#include "dense_blocks.hpp"
#include "openmp/bitmap.hpp"
#include "room.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Words that are converted before the result is written.
constexpr Index words_at_once = 16;
constexpr Index columns_at_once = words_at_once * bitmap_word_columns;

/// Writes arrays, past the caches if they are larger than these.
class Output {
 public:
  Output(const Executor& executor, std::size_t bytes)
      : past_caches_(exceeds_caches(executor, bytes)) {}

  template <class T>
  void write(T* to, const T* from, Index count) const {
    if (past_caches_) {
      best_row_kernels<float>().stream(to, from, count * Index{sizeof(T)});
    } else {
      std::copy_n(from, count, to);
    }
  }
  /// After the last of a thread's.
  void finish() const { best_row_kernels<float>().fence(); }

 private:
  bool past_caches_;
};

/// Between CSR and bitmap: copies offsets, and calls `rows(begin, end)` for stretches of rows whose
/// values are copied beside.
template <class From, class To, class Rows>
void convert_rows(const Executor& executor, const From& from, To& to, const Rows& rows) {
  const Output output(executor, to.values.bytes());
  const auto bytes = static_cast<Index>(from.values.bytes() + to.values.bytes());
  const auto copy = [&](const auto& offsets, auto& copies) {
    using Copy = std::remove_reference_t<decltype(copies[0])>;
    share_out_items(shares_of_work(executor, bytes), from.rows, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) copies[i] = static_cast<Copy>(offsets[i]);
      rows(begin, end, output);
      output.write(to.values.data() + offsets[begin], from.values.data() + offsets[begin],
                   offsets[end] - offsets[begin]);
      output.finish();
    });
    copies[from.rows] = static_cast<Copy>(offsets[from.rows]);
  };
  std::visit(copy, from.offsets, to.offsets);
}

/// The words of one row, from its columns.
inline void write_words(std::span<const Column> columns, std::span<std::uint64_t> words) {
  auto column = columns.begin();
  Index first = 0;
  for (std::uint64_t& word : words) {
    std::uint64_t bits = 0;
    for (; column != columns.end() && *column - first < bitmap_word_columns; ++column) {
      bits |= std::uint64_t{1} << (*column - first);
    }
    word = bits;
    first += bitmap_word_columns;
  }
}

/// The columns of rows [begin, end).
template <Element T>
void write_columns(const Bitmap<T>& from, Csr<T>& to, Index begin, Index end,
                   const Output& output) {
  const auto& kernels = best_row_kernels<T>();
  Column buffer[columns_at_once + compress_slack];
  Column* at = to.columns.data() + from.offset(begin);
  const Index words = from.words_of_row();
  for (Index i = begin; i < end; ++i) {
    const std::uint64_t* const masks = from.masks.data() + i * words;
    for (Index w = 0; w < words; w += words_at_once) {
      const Index found =
          kernels.mask_columns(masks + w, std::min(words_at_once, words - w),
                               static_cast<Column>(w * bitmap_word_columns), buffer);
      output.write(at, buffer, found);
      at += found;
    }
  }
}

/// A part of a row of a dense matrix: whole words, unless the row ends.
template <Element T>
struct RowPart {
  Index row = 0;
  Index word = 0;  ///< of all rows
  const T* elements = nullptr;
  Index count = 0;
  bool ends = false;  ///< with the row
};

/// Calls `visit` for the words [begin, end) of all rows, by parts of at most so many words.
template <Element T, class Visit>
void visit_parts(const Dense<T>& from, Index begin, Index end, Index most, const Visit& visit) {
  const Index words = (from.cols + bitmap_word_columns - 1) / bitmap_word_columns;
  Index row = begin / words;
  Index word = begin - row * words;
  for (Index at = begin; at < end;) {
    const Index count = std::min({most, words - word, end - at});
    const Index column = word * bitmap_word_columns;
    word += count;
    visit(RowPart<T>{row, at, from.values.data() + row * from.cols + column,
                     std::min(count * bitmap_word_columns, from.cols - column), word == words});
    at += count;
    if (word == words) {
      ++row;
      word = 0;
    }
  }
}

/// Fills in the whole bitmap and returns the nonzeros; where they are more than there is room for,
/// the rest of them is counted only.
template <Element T, class Offset>
Index fill_all(const Executor& executor, const Dense<T>& from, Bitmap<T>& to, Offset* offsets) {
  const auto& kernels = best_row_kernels<T>();
  const Output output(executor, to.values.bytes());
  constexpr Index block = block_bytes / Index{sizeof(T)} / bitmap_word_columns;
  const Index words = to.masks.size();
  const auto end_of = [&](Index b) { return std::min((b + 1) * block, words); };
  offsets[0] = 0;
  if (words == 0) std::fill(offsets, offsets + from.rows + 1, Offset{0});
  const auto nonzeros_of = [&](Index b, const auto& count_part) {
    Index nonzeros = 0;
    visit_parts(from, b * block, end_of(b), block,
                [&](const RowPart<T>& part) { nonzeros += count_part(part); });
    return nonzeros;
  };
  const auto count = [&](Index b) {
    return nonzeros_of(b, [&](const RowPart<T>& part) {
      return kernels.nonzero_masks(part.elements, part.count, to.masks.data() + part.word);
    });
  };
  const auto recount = [&](Index b) {
    return nonzeros_of(b, [&](const RowPart<T>& part) {
      return kernels.count_nonzeros(part.elements, part.count);
    });
  };
  const auto fill = [&](const CountedBlock& b) {
    T buffer[columns_at_once + compress_slack];
    Column columns[columns_at_once + compress_slack];
    Index place = b.begin;
    visit_parts(from, b.index * block, end_of(b.index), words_at_once, [&](const RowPart<T>& part) {
      const Index found = kernels.compress(part.elements, part.count, 0, buffer, columns);
      output.write(to.values.data() + place, buffer, found);
      place += found;
      if (part.ends) offsets[part.row + 1] = static_cast<Offset>(place);
    });
  };
  return scan_blocks(shares_of_work(executor, static_cast<Index>(from.values.bytes())),
                     {(words + block - 1) / block, to.values.size()}, count, recount, fill);
}

/// A matrix of room for `room` nonzeros, cut to those that were found; nothing if they are more.
/// Throws `Error(OutOfMemory)`.
template <Element T>
std::optional<Bitmap<T>> try_fill(Executor& executor, const Dense<T>& from, Index room) {
  auto to = Bitmap<T>::sized(from.rows, from.cols, room, executor.memory());
  const Index nnz = std::visit(
      [&](auto& offsets) { return fill_all(executor, from, to, offsets.data()); }, to.offsets);
  if (nnz > room) return std::nullopt;
  to.nnz = nnz;
  to.values.shrink(nnz);
  return to;
}

}  // namespace

template <Element T>
Storage<T> convert_csr_to_bitmap(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  const Index words = (from.cols + bitmap_word_columns - 1) / bitmap_word_columns;
  require_room(executor, from.rows, words, sizeof(std::uint64_t));
  auto to = Bitmap<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  convert_rows(executor, from, to, [&](Index begin, Index end, const Output&) {
    for (Index i = begin; i < end; ++i) {
      const Index first = from.offset(i);
      write_words(
          {from.columns.data() + first, static_cast<std::size_t>(from.offset(i + 1) - first)},
          {to.masks.data() + i * words, static_cast<std::size_t>(words)});
    }
  });
  return to;
}

template <Element T>
Storage<T> convert_bitmap_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Bitmap<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  convert_rows(executor, from, to, [&](Index begin, Index end, const Output& output) {
    write_columns(from, to, begin, end, output);
  });
  return to;
}

template <Element T>
Storage<T> convert_dense_to_bitmap(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Dense<T>>(matrix);
  auto to = filled_from(executor, from, [&](Index room) { return try_fill(executor, from, room); });
  narrow_offsets(to, executor.memory());
  return to;
}

template <Element T>
Storage<T> convert_bitmap_to_dense(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Bitmap<T>>(matrix);
  auto to = Dense<T>::sized(from.rows, from.cols, executor.memory());
  const auto& kernels = best_row_kernels<T>();
  const Output output(executor, to.values.bytes());
  const Index words = from.words_of_row();
  const auto bytes = static_cast<Index>(to.values.bytes());
  share_out_items(shares_of_work(executor, bytes), from.rows, 1, [&](Index begin, Index end) {
    T buffer[columns_at_once];
    for (Index i = begin; i < end; ++i) {
      const T* values = from.values.data() + from.offset(i);
      for (Index w = 0; w < words; w += words_at_once) {
        const Index column = w * bitmap_word_columns;
        values += kernels.expand(from.masks.data() + i * words + w,
                                 std::min(words_at_once, words - w), values, buffer);
        output.write(to.values.data() + i * to.cols + column, buffer,
                     std::min(columns_at_once, to.cols - column));
      }
    }
    output.finish();
  });
  return to;
}

template Storage<float> convert_csr_to_bitmap(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bitmap(Executor&, const Storage<double>&);
template Storage<float> convert_bitmap_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_bitmap_to_csr(Executor&, const Storage<double>&);
template Storage<float> convert_dense_to_bitmap(Executor&, const Storage<float>&);
template Storage<double> convert_dense_to_bitmap(Executor&, const Storage<double>&);
template Storage<float> convert_bitmap_to_dense(Executor&, const Storage<float>&);
template Storage<double> convert_bitmap_to_dense(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
