// Conversions between CSR and packed CSR, on the host's threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <string>
#include <switchyard/containers/distinct_values.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "copy_arrays.hpp"
#include "packed.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// The rows of tile t end before this one.
template <class Matrix>
Index end_of_tile(const Matrix& matrix, Index t) {
  return std::min((t + 1) * packed_tile_rows, matrix.rows);
}

/// The base of tile t.
template <Element T>
Index base_of(const Csr<T>& from, Index t) {
  Index first = std::numeric_limits<Index>::max();
  Index last = -1;
  Index begin = from.offset(t * packed_tile_rows);
  for (Index i = t * packed_tile_rows; i < end_of_tile(from, t); ++i) {
    const Index end = from.offset(i + 1);
    if (end > begin) {
      first = std::min<Index>(first, from.columns[begin]);
      last = std::max<Index>(last, from.columns[end - 1]);
    }
    begin = end;
  }
  return last < 0 ? 0 : packed_base(first, last);
}

/// Finds the base of each tile, and what is before it. Returns the elements in narrow tiles.
template <Element T>
Index lay_tiles(const Csr<T>& from, Packed<T>& to, const Shares& shares) {
  // First its elements, where its shift will be: the one thread that adds up reads tiles only.
  share_out_items(shares, to.tile_count(), 1, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const Index first = from.offset(t * packed_tile_rows);
      to.tiles[t] = {from.offset(end_of_tile(from, t)) - first, base_of(from, t)};
    }
  });
  Index narrow = 0;
  Index wide = 0;
  for (PackedTile& tile : to.tiles.span()) {
    const bool is_wide = tile.base < 0;
    const Index elements = std::exchange(tile.shift, is_wide ? narrow : wide);
    (is_wide ? wide : narrow) += elements;
  }
  return narrow;
}

template <Element T>
void pack_tiles(const Csr<T>& from, Packed<T>& to, Index first_tile, Index end_tile) {
  for (Index t = first_tile; t < end_tile; ++t) {
    const PackedTile tile = to.tiles[t];
    const Index begin = from.offset(t * packed_tile_rows);
    const Index count = from.offset(end_of_tile(from, t)) - begin;
    const Column* const columns = from.columns.data() + begin;
    if (tile.base < 0) {
      std::copy_n(columns, count, to.wide.data() + (begin - tile.shift));
      continue;
    }
    std::uint16_t* const narrow = to.narrow.data() + (begin - tile.shift);
    const auto base = static_cast<Column>(tile.base);
    for (Index k = 0; k < count; ++k) narrow[k] = static_cast<std::uint16_t>(columns[k] - base);
  }
}

template <Element T>
void unpack_tiles(const Packed<T>& from, Csr<T>& to, Index first_tile, Index end_tile) {
  for (Index t = first_tile; t < end_tile; ++t) {
    const PackedTile tile = from.tiles[t];
    const Index begin = from.offset(t * packed_tile_rows);
    const Index count = from.offset(end_of_tile(from, t)) - begin;
    Column* const columns = to.columns.data() + begin;
    if (tile.base < 0) {
      std::copy_n(from.wide.data() + (begin - tile.shift), count, columns);
      continue;
    }
    const std::uint16_t* const narrow = from.narrow.data() + (begin - tile.shift);
    const auto base = static_cast<Column>(tile.base);
    for (Index k = 0; k < count; ++k) columns[k] = base + narrow[k];
  }
}

std::uint32_t block_of(Column column) {
  return static_cast<std::uint32_t>(column) / std::uint32_t{packed_block};
}

/// Counts the heads of each row into first_heads, one place on, and adds them up. Returns all of
/// them.
template <Element T>
Index lay_heads(const Csr<T>& from, Packed<T>& to, const Shares& shares) {
  return std::visit(
      [&]<class Offset>(Array<Offset>& first_heads) {
        first_heads[0] = 0;
        share_out_items(shares, from.rows, 1, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) {
            const Index first = from.offset(i);
            const Column* const columns = from.columns.data() + first;
            const Index length = from.offset(i + 1) - first;
            std::uint32_t heads = length > 0 ? 1 : 0;
            for (Index k = 1; k < length; ++k) {
              heads += block_of(columns[k]) != block_of(columns[k - 1]) ? 1 : 0;
            }
            first_heads[i + 1] = static_cast<Offset>(heads);
          }
        });
        for (Index i = 0; i < from.rows; ++i) first_heads[i + 1] += first_heads[i];
        return Index{first_heads[from.rows]};
      },
      to.first_heads);
}

template <Element T>
void set_head(Packed<T>& to, Index h, std::uint32_t block, Index start) {
  const auto bits = static_cast<std::uint32_t>(static_cast<std::uint16_t>(start));
  if (words_of_head(to.cols) == 1) {
    to.heads[h] = block << 16U | bits;
  } else {
    to.heads[2 * h] = block;
    to.heads[2 * h + 1] = bits;
  }
}

template <Element T>
void block_rows(const Csr<T>& from, Packed<T>& to, Index first_row, Index end_row) {
  for (Index k = from.offset(first_row); k < from.offset(end_row); ++k) {
    to.low[k] = static_cast<std::uint8_t>(from.columns[k]);
  }
  for (Index i = first_row; i < end_row; ++i) {
    const Index begin = from.offset(i);
    Index k = from.offset(i + 1);
    if (k == begin) continue;
    // Backwards, so that the last of the writes to a head, whose element is its first one, stays:
    // the number of elements in a block cannot be predicted.
    Index h = offset_at(to.first_heads, i + 1) - 1;
    std::uint32_t block = block_of(from.columns[k - 1]);
    for (--k; k >= begin; --k) {
      const std::uint32_t its_block = block_of(from.columns[k]);
      h -= its_block != block ? 1 : 0;
      block = its_block;
      set_head(to, h, block, k);
    }
  }
}

template <Element T>
void unblock_rows(const Packed<T>& from, Csr<T>& to, Index first_row, Index end_row) {
  for (Index i = first_row; i < end_row; ++i) {
    from.heads_of_row(i, [&](Index h, Index begin, Index end) {
      const auto column = static_cast<Column>(from.head(h).block * packed_block);
      for (Index k = begin; k < end; ++k) to.columns[k] = column + from.low[k];
    });
  }
}

template <Element T>
void unpack_values(const Packed<T>& from, Csr<T>& to, const Shares& shares) {
  if (from.coding().values == ValueCoding::Plain) {
    return copy_elements(from.values, to.values, shares);
  }
  const T* const values = from.values.data();
  T* const unpacked = to.values.data();
  share_out_items(shares, from.nnz, 64, [&](Index begin, Index end) {
    if (from.coding().values == ValueCoding::Constant) {
      std::fill(unpacked + begin, unpacked + end, *values);
    } else {
      for (Index k = begin; k < end; ++k) unpacked[k] = values[from.codes[k]];
    }
  });
}

[[noreturn]] void refuse_values(const char* format, const char* why) {
  throw Error(ErrorCode::Unsupported, std::string("the matrix ") + why, format);
}

/// Whether any of so many values has other bits than the first. In as many bits as they have, and
/// without a branch: it is then done for several at once.
template <Element T>
bool any_differs(const T* values, Index count, T first) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  const auto expected = std::bit_cast<Bits>(first);
  Bits differences = 0;
  for (Index k = 0; k < count; ++k) differences |= std::bit_cast<Bits>(values[k]) ^ expected;
  return differences != 0;
}

template <Element T>
void keep_constant(const Csr<T>& from, Packed<T>& to, const Shares& shares) {
  const T constant = from.nnz > 0 ? from.values[0] : T{0};
  to.values[0] = constant;
  std::atomic<bool> differs{false};
  share_out_items(shares, from.nnz, 64, [&](Index begin, Index end) {
    if (any_differs(from.values.data() + begin, end - begin, constant)) differs = true;
  });
  if (differs) refuse_values("csr+const", "has more than one distinct value");
}

/// What one thread's part of the values has.
struct PartOfValues {
  DistinctValues values;
  std::array<std::uint8_t, dictionary8_values> codes{};  ///< of the part's values, in all
};

/// Each part numbers its values as it meets them; then their numbers become those of all.
template <Element T>
void look_up_values(const Csr<T>& from, Packed<T>& to, const Shares& shares) {
  std::vector<PartOfValues> parts(static_cast<std::size_t>(shares.parts));
  std::atomic<bool> too_many{false};
  const auto begin_of = [&](int part) { return part_begin(from.nnz, part, shares.parts, 64); };
  share_out(shares, [&](int p) {
    DistinctValues& values = parts[static_cast<std::size_t>(p)].values;
    if (too_many) return;
    for (Index k = begin_of(p); k < begin_of(p + 1); ++k) {
      const int code = values.code_of(bits_of(from.values[k]));
      if (code == DistinctValues::no_code) {
        too_many = true;
        return;
      }
      to.codes[k] = static_cast<std::uint8_t>(code);
    }
  });
  DistinctValues all;
  for (PartOfValues& part : parts) {
    for (std::size_t v = 0; v < part.values.values().size(); ++v) {
      const int code = all.code_of(part.values.values()[v]);
      if (code == DistinctValues::no_code) too_many = true;
      part.codes[v] = static_cast<std::uint8_t>(code);
    }
  }
  if (too_many) refuse_values("csr+dict8", "has more than 256 distinct values");
  share_out(shares, [&](int p) {
    const auto& codes = parts[static_cast<std::size_t>(p)].codes;
    for (Index k = begin_of(p); k < begin_of(p + 1); ++k) to.codes[k] = codes[to.codes[k]];
  });
  for (Index v = 0; v < to.values.size(); ++v) {
    to.values[v] = v < all.size() ? value_of<T>(all.values()[static_cast<std::size_t>(v)]) : T{0};
  }
}

template <Element T>
void pack_values(const Csr<T>& from, Packed<T>& to, const Shares& shares) {
  switch (to.coding().values) {
    case ValueCoding::Constant:
      return keep_constant(from, to, shares);
    case ValueCoding::Dictionary8:
      return look_up_values(from, to, shares);
    default:
      return copy_elements(from.values, to.values, shares);
  }
}

}  // namespace

template <Element T, Format format>
Storage<T> convert_csr_to_packed(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  auto to = Packed<T>::beside(from, format, executor.memory());
  const Shares shares =
      shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)} + from.rows);
  pack_values(from, to, shares);  // first, since this may fail
  if (to.coding().columns == ColumnCoding::Plain) return to;
  if (to.coding().columns == ColumnCoding::Blocked8) {
    to.add_heads(lay_heads(from, to, shares), executor.memory());
    share_out_items(shares, to.rows, 1,
                    [&](Index begin, Index end) { block_rows(from, to, begin, end); });
    return to;
  }
  to.add_columns(lay_tiles(from, to, shares), executor.memory());
  share_out_items(shares, to.tile_count(), 1,
                  [&](Index begin, Index end) { pack_tiles(from, to, begin, end); });
  return to;
}

template <Element T>
Storage<T> convert_packed_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Packed<T>>(matrix);
  auto to = from.csr_beside(executor.memory());
  const Shares shares =
      shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)} + from.rows);
  if (from.coding().columns == ColumnCoding::Blocked8) {
    share_out_items(shares, from.rows, 1,
                    [&](Index begin, Index end) { unblock_rows(from, to, begin, end); });
  } else if (from.coding().columns == ColumnCoding::Tiled16) {
    share_out_items(shares, from.tile_count(), 1,
                    [&](Index begin, Index end) { unpack_tiles(from, to, begin, end); });
  }
  unpack_values(from, to, shares);
  return to;
}

template Storage<float> convert_csr_to_packed<float, Format::Csr16>(Executor&,
                                                                    const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr16>(Executor&,
                                                                      const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::CsrConst>(Executor&,
                                                                       const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::CsrConst>(Executor&,
                                                                         const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::CsrDict8>(Executor&,
                                                                       const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::CsrDict8>(Executor&,
                                                                         const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::Csr16Const>(Executor&,
                                                                         const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr16Const>(Executor&,
                                                                           const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::Csr16Dict8>(Executor&,
                                                                         const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr16Dict8>(Executor&,
                                                                           const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::Csr8>(Executor&,
                                                                   const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr8>(Executor&,
                                                                     const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::Csr8Const>(Executor&,
                                                                        const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr8Const>(Executor&,
                                                                          const Storage<double>&);
template Storage<float> convert_csr_to_packed<float, Format::Csr8Dict8>(Executor&,
                                                                        const Storage<float>&);
template Storage<double> convert_csr_to_packed<double, Format::Csr8Dict8>(Executor&,
                                                                          const Storage<double>&);
template Storage<float> convert_packed_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_packed_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
