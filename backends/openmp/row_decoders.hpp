// Decoders of rows: the stored elements of any sparse format as columns and values side by side.
#pragma once

#include <switchyard/containers/formats.hpp>

#include "row_kernels.hpp"

namespace switchyard::openmp {

/// What a decoder wrote.
struct Decoded {
  Index elements = 0;
  bool is_whole = false;  ///< nothing of the row is left
};

/// Where decoded elements go. Up to `compress_slack` elements behind them may be written.
template <Element T>
struct DecodeTarget {
  Column* columns;
  T* values;  ///< null where `stored_values` is not
  Index room;
};

// A decoder belongs to one thread, which asks for positions in ascending order, perhaps several
// times. `number(position)` is the row there; `decode(position, begin, to)` writes its elements
// from number `begin` on: as many as there is room for, or some fewer.

/// By the visit of a row that each format has.
template <class Matrix>
class VisitingDecoder {
 public:
  explicit VisitingDecoder(const Matrix& matrix) : matrix_(matrix) {}
  [[nodiscard]] static Index number(Index position) { return position; }
  [[nodiscard]] static std::nullptr_t stored_values(Index /*position*/) { return nullptr; }
  template <Element T>
  Decoded decode(Index position, Index begin, const DecodeTarget<T>& to) {
    Index k = 0;
    const auto visit = [&](Column column, T value) {
      to.columns[k] = column;
      to.values[k] = value;
      ++k;
    };
    matrix_.row(position, visit, begin, begin + to.room);
    return {k, k < to.room};
  }

 private:
  const Matrix& matrix_;
};

/// Sorted slices, in the order in which they lie in memory.
template <Element T>
class SlicedDecoder {
 public:
  explicit SlicedDecoder(const Sell<T>& matrix) : matrix_(matrix) {}
  [[nodiscard]] Index number(Index position) const { return matrix_.row_at(position); }
  [[nodiscard]] static std::nullptr_t stored_values(Index /*position*/) { return nullptr; }
  Decoded decode(Index position, Index begin, const DecodeTarget<T>& to) {
    const Index height = matrix_.shape().height;
    const Index length = matrix_.lengths[position];
    const Index end = std::min(length, begin + to.room);
    Index slot = matrix_.starts[position / height] * height + position % height + begin * height;
    for (Index k = begin; k < end; ++k, slot += height) {
      to.columns[k - begin] = matrix_.columns[slot];
      to.values[k - begin] = matrix_.values[slot];
    }
    return {end - begin, end == length};
  }

 private:
  const Sell<T>& matrix_;
};

/// Coordinates, where each row begins behind the one before it.
template <Element T>
class CoordinateDecoder {
 public:
  explicit CoordinateDecoder(const Coo<T>& matrix) : matrix_(matrix) {}
  [[nodiscard]] static Index number(Index position) { return position; }
  [[nodiscard]] const T* stored_values(Index position) {
    find(position);
    return matrix_.values.data() + first_;
  }
  Decoded decode(Index position, Index begin, const DecodeTarget<T>& to) {
    return std::visit(
        [&](const auto& rows) {
          const auto is_in_row = [&](Index k) { return k < matrix_.nnz && rows[k] == position; };
          find(position);
          Index k = first_ + begin;
          for (; k - first_ < begin + to.room && is_in_row(k); ++k) {
            to.columns[k - first_ - begin] = matrix_.columns[k];
          }
          next_ = std::max(next_, k);
          return Decoded{k - first_ - begin, !is_in_row(k)};
        },
        matrix_.row_indices);
  }

 private:
  /// Looks for the first row only.
  void find(Index position) {
    if (row_ == position) return;
    const bool follows = row_ >= 0 && row_ + 1 == position;
    first_ = follows ? next_ : first_in_row(matrix_.row_indices, position);
    next_ = first_;
    row_ = position;
  }

  const Coo<T>& matrix_;
  Index row_ = -1;
  Index first_ = 0;  ///< element of the row
  Index next_ = 0;   ///< behind those that were decoded
};

/// Packed columns and values, in any coding.
template <Element T>
class PackedDecoder {
 public:
  explicit PackedDecoder(const Packed<T>& matrix) : matrix_(matrix) {}
  [[nodiscard]] static Index number(Index position) { return position; }
  [[nodiscard]] const T* stored_values(Index position) const {
    if (matrix_.coding().values != ValueCoding::Plain) return nullptr;
    return matrix_.values.data() + matrix_.offset(position);
  }
  Decoded decode(Index row, Index begin, const DecodeTarget<T>& to) {
    const Index first = matrix_.offset(row) + begin;
    const Index last = matrix_.offset(row + 1);
    const Index count = std::min(to.room, last - first);
    if (count == 0) return {0, true};
    if (matrix_.coding().columns == ColumnCoding::Blocked8) {
      decode_blocks(row, first, count, to.columns);
    } else {
      decode_columns(row, first, count, to.columns);
    }
    if (to.values) decode_values(first, count, to.values);
    return {count, first + count == last};
  }

 private:
  void decode_columns(Index row, Index first, Index count, Column* columns) const {
    constexpr PackedTile untiled{.shift = 0, .base = -1};
    const PackedTile tile =
        matrix_.tiles.size() == 0 ? untiled : matrix_.tiles[row / packed_tile_rows];
    if (tile.base < 0) {
      std::copy_n(matrix_.wide.data() + (first - tile.shift), count, columns);
      return;
    }
    const auto base = static_cast<Column>(tile.base);
    const std::uint16_t* const narrow = matrix_.narrow.data() + (first - tile.shift);
    for (Index k = 0; k < count; ++k) columns[k] = base + narrow[k];
  }
  void decode_blocks(Index row, Index first, Index count, Column* columns) const {
    const std::uint8_t* const low = matrix_.low.data() + first;
    matrix_.heads_of_row(row, [&](Index h, Index begin, Index end) {
      const auto base = static_cast<Column>(matrix_.head(h).block * packed_block);
      const Index stop = std::min(end - first, count);
      for (Index k = std::max<Index>(begin - first, 0); k < stop; ++k) columns[k] = base + low[k];
    });
  }
  void decode_values(Index first, Index count, T* values) const {
    const ValueCoding coding = matrix_.coding().values;
    if (coding == ValueCoding::Constant) {
      std::fill_n(values, count, matrix_.values[0]);
    } else {
      const std::uint8_t* const codes = matrix_.codes.data() + first;
      for (Index k = 0; k < count; ++k) values[k] = matrix_.values[codes[k]];
    }
  }

  const Packed<T>& matrix_;
};

/// Bits of a bitmap, whole words at a time.
template <Element T>
class BitmapDecoder {
 public:
  explicit BitmapDecoder(const Bitmap<T>& matrix) : matrix_(matrix) {}
  [[nodiscard]] static Index number(Index position) { return position; }
  [[nodiscard]] const T* stored_values(Index position) const {
    return matrix_.values.data() + matrix_.offset(position);
  }
  Decoded decode(Index row, Index begin, const DecodeTarget<T>& to) {
    const RowKernels<T>& kernels = best_row_kernels<T>();
    const std::uint64_t* const masks = matrix_.masks.data() + row * matrix_.words_of_row();
    if (begin == 0) word_ = 0;
    Index end = word_;
    Index count = 0;
    for (; end < matrix_.words_of_row(); ++end) {
      const Index bits = kernels.count_bits(masks + end, 1);
      if (count + bits > to.room) break;
      count += bits;
    }
    (void)kernels.mask_columns(masks + word_, end - word_,
                               static_cast<Column>(word_ * bitmap_word_columns), to.columns);
    word_ = end;
    return {count, end == matrix_.words_of_row()};
  }

 private:
  const Bitmap<T>& matrix_;
  Index word_ = 0;  ///< the first that is not decoded
};

template <Element T>
[[nodiscard]] auto decoder_of(const Sell<T>& matrix) {
  return SlicedDecoder<T>(matrix);
}
template <Element T>
[[nodiscard]] auto decoder_of(const Coo<T>& matrix) {
  return CoordinateDecoder<T>(matrix);
}
template <Element T>
[[nodiscard]] auto decoder_of(const Packed<T>& matrix) {
  return PackedDecoder<T>(matrix);
}
template <Element T>
[[nodiscard]] auto decoder_of(const Bitmap<T>& matrix) {
  return BitmapDecoder<T>(matrix);
}
template <class Matrix>
[[nodiscard]] auto decoder_of(const Matrix& matrix) {
  return VisitingDecoder<Matrix>(matrix);
}

}  // namespace switchyard::openmp
