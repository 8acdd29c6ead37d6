// Packed CSR: sizes, checks and estimates.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <switchyard/containers/packed.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

/// Tiles are sampled where there are more than so many, at most one in so many. The first and last
/// column of each row of a tile are looked at, which costs some 10 ns a row.
constexpr Index fewest_tiles = 16;
constexpr Index tiles_for_one = 32;
constexpr Index sampled_tiles_worth_threads = 32;

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a packed matrix needs ") + why);
}

/// The elements of a tile, and its base.
struct TileFacts {
  Index elements = 0;
  Index base = 0;
};

TileFacts tile_facts(const RowView& matrix, Index tile) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Index, packed_tile_rows> buffer;
  const Index first_row = tile * packed_tile_rows;
  const std::span lengths(
      buffer.data(), static_cast<std::size_t>(std::min(packed_tile_rows, matrix.rows - first_row)));
  matrix.lengths(first_row, lengths);
  TileFacts facts;
  Index first = std::numeric_limits<Index>::max();
  Index last = -1;
  Index row = first_row;
  for (const Index length : lengths) {
    std::array<Column, 1> column{};
    if (length > 0) {
      first = std::min<Index>(first, matrix.columns(row, column).front());
      last = std::max<Index>(last, matrix.columns(row, column, length - 1).front());
    }
    facts.elements += length;
    ++row;
  }
  if (last >= 0) facts.base = packed_base(first, last);
  return facts;
}

template <Element T>
void check_tiles(const Packed<T>& matrix) {
  Index narrow = 0;
  Index wide = 0;
  for (Index t = 0; t < matrix.tile_count(); ++t) {
    const PackedTile& tile = matrix.tiles[t];
    const Index begin = matrix.offset(t * packed_tile_rows);
    const Index end = matrix.offset(std::min((t + 1) * packed_tile_rows, matrix.rows));
    if (begin > end) refuse("offsets that ascend");
    const bool is_wide = tile.base < 0;
    if (tile.base < -1 || tile.shift != (is_wide ? narrow : wide)) refuse("tiles in their order");
    (is_wide ? wide : narrow) += end - begin;
  }
  if (narrow != matrix.narrow.size() || wide != matrix.wide.size()) {
    refuse("as many columns as its tiles have elements");
  }
}

template <Element T>
void check_heads(const Packed<T>& matrix) {
  const Index count = matrix.heads.size() / words_of_head(matrix.cols);
  const Offsets& first = matrix.first_heads;
  if (first.index() != matrix.offsets.index() || size_of(first) != matrix.rows + 1 ||
      offset_at(first, 0) != 0 || offset_at(first, matrix.rows) != count ||
      matrix.heads.size() % words_of_head(matrix.cols) != 0 || matrix.low.size() != matrix.nnz) {
    refuse("heads for its rows and a byte for each element");
  }
  for (Index i = 0; i < matrix.rows; ++i) {
    const Index first_head = offset_at(first, i);
    const Index end_head = offset_at(first, i + 1);
    const Index length = matrix.offset(i + 1) - matrix.offset(i);
    if (first_head > end_head || end_head > count || length < 0 ||
        (first_head == end_head) != (length == 0)) {
      refuse("offsets that ascend");
    }
    Index end_of_row = matrix.offset(i);
    Index block = -1;
    bool in_order = true;
    matrix.heads_of_row(i, [&](Index h, Index begin, Index end) {
      const PackedHead head = matrix.head(h);
      in_order = in_order && head.start == static_cast<std::uint16_t>(begin) &&
                 head.block > block && head.block * packed_block < matrix.cols && begin < end &&
                 end - begin <= packed_block;
      block = head.block;
      end_of_row = end;
    });
    if (!in_order || end_of_row != matrix.offset(i + 1)) refuse("heads in their order");
  }
}

/// Columns of the matrix that are looked at to count heads: so many, but at least and at most as
/// many as these, and so many in a row.
constexpr Index nonzeros_for_a_column = 256;
constexpr Index fewest_columns = 1024;
constexpr Index most_columns = 16384;
constexpr Index most_counted_rows = 4096;
constexpr std::size_t longest_piece = 256;
constexpr Index columns_worth_threads = 2048;

/// A row, of which a part was looked at.
struct RowFacts {
  Index elements = 0;
  Index heads = 0;
};

/// `turn`, in [0, 1), says which part of a long row is looked at.
RowFacts row_facts(const RowView& matrix, Index row, double turn) {
  std::array<Index, 1> length{};
  matrix.lengths(row, length);
  std::array<Column, longest_piece + 1> buffer;
  const Index spare = std::max<Index>(length.front() - Index{longest_piece}, 0);
  const auto begin = static_cast<Index>(turn * static_cast<double>(spare));
  // The element before it tells whether the first one begins a head.
  std::span<const Column> columns = matrix.columns(row, buffer, std::max<Index>(begin - 1, 0));
  Index block = -1;
  if (begin > 0) {
    block = columns.front() / packed_block;
    columns = columns.subspan(1);
  }
  columns = columns.first(std::min(columns.size(), longest_piece));
  if (columns.empty()) return {};
  Index heads = 0;
  for (const Column column : columns) {
    heads += column / packed_block != block ? 1 : 0;
    block = column / packed_block;
  }
  return {length.front(), heads * length.front() / static_cast<Index>(columns.size())};
}

/// Adds what is not plain CSR's, uninitialised: tiles, blocks, and values. REQUIRES: offsets.
template <Element T>
void add_coded(Packed<T>& packed, const std::shared_ptr<MemorySpace>& memory) {
  packed.tiles = Array<PackedTile>(packed.tile_count(), memory);
  const auto [columns, values] = packed.coding();
  if (columns == ColumnCoding::Blocked8) {
    packed.first_heads = offsets_like(packed.offsets, packed.rows + 1, memory);
    packed.low = Array<std::uint8_t>(packed.nnz, memory);
  }
  const bool dictionary = values == ValueCoding::Dictionary8;
  const Index single = dictionary ? Index{dictionary8_values} : 1;
  packed.values = Array<T>(values == ValueCoding::Plain ? packed.nnz : single, memory);
  packed.codes = Array<std::uint8_t>(dictionary ? packed.nnz : 0, memory);
}

}  // namespace

template <Element T>
Packed<T> Packed<T>::sized(const Packed& header, const std::shared_ptr<MemorySpace>& memory) {
  (void)switchyard::narrow<Column>(header.cols);  // columns must fit
  Packed packed = header.header();
  packed.offsets = sized_offsets(header.rows + 1, header.nnz, memory);
  const bool plain = packed.coding().columns == ColumnCoding::Plain;
  if (plain) packed.wide = Array<Column>(header.nnz, memory);
  add_coded(packed, memory);
  return packed;
}

template <Element T>
Packed<T> Packed<T>::beside(const Csr<T>& csr, Format format,
                            const std::shared_ptr<MemorySpace>& memory) {
  Packed packed{format, csr.rows, csr.cols, csr.nnz};
  packed.offsets = shared_offsets(csr.offsets);
  const bool plain = packed.coding().columns == ColumnCoding::Plain;
  if (plain) packed.wide = csr.columns.shared();
  add_coded(packed, memory);
  return packed;
}

template <Element T>
Csr<T> Packed<T>::csr_beside(const std::shared_ptr<MemorySpace>& memory) const {
  const bool plain = coding().columns == ColumnCoding::Plain;
  return {rows,
          cols,
          nnz,
          shared_offsets(offsets),
          plain ? wide.shared() : Array<Column>(nnz, memory),
          Array<T>(nnz, memory)};
}

template <Element T>
void Packed<T>::add_columns(Index narrow_columns, const std::shared_ptr<MemorySpace>& memory) {
  narrow = Array<std::uint16_t>(narrow_columns, memory);
  wide = Array<Column>(nnz - narrow_columns, memory);
}

template <Element T>
void Packed<T>::add_heads(Index count, const std::shared_ptr<MemorySpace>& memory) {
  heads = Array<std::uint32_t>(count * words_of_head(cols), memory);
}

template <Element T>
void Packed<T>::check() const {
  if (rows < 0 || cols < 0 || nnz < 0 || size_of(offsets) != rows + 1 || offset(0) != 0 ||
      offset(rows) != nnz) {
    refuse("rows + 1 offsets, from 0 to the number of elements");
  }
  const auto [columns, value_coding] = coding();
  if (tiles.size() != tile_count()) refuse("a tile for each 64 rows");
  if (columns == ColumnCoding::Tiled16) {
    check_tiles(*this);
  } else if (columns == ColumnCoding::Blocked8) {
    check_heads(*this);
  } else if (narrow.size() != 0 || wide.size() != nnz) {
    refuse("a column for each element");
  }
  const bool dictionary = value_coding == ValueCoding::Dictionary8;
  const Index single = dictionary ? Index{dictionary8_values} : 1;
  if (values.size() != (value_coding == ValueCoding::Plain ? nnz : single) ||
      codes.size() != (dictionary ? nnz : 0)) {
    refuse("values as its coding has them");
  }
}

template <Element T>
void Packed<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::visit(
      [&](const auto& array) {
        const auto* const at = array.data() + first;
        for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = at[i + 1] - at[i];
      },
      offsets);
}

double packed_slots(const Structure& structure, const RowView* rows) {
  // The same in all packed formats, the first of which the table has first.
  const double known = structure.slots[static_cast<std::size_t>(Format::Csr16)];
  if (!std::isnan(known)) return known;
  const auto nnz = static_cast<double>(structure.nnz);
  if (structure.cols <= packed_reach) return nnz;
  if (!rows) return 2 * nnz;
  const Index tiles = (structure.rows + packed_tile_rows - 1) / packed_tile_rows;
  const Index step = tiles <= fewest_tiles ? 1 : std::min(tiles / fewest_tiles, tiles_for_one);
  const Index samples = tiles / step;
  std::atomic<Index> elements{0};
  std::atomic<Index> wide{0};
  share_out_steps(samples, samples > sampled_tiles_worth_threads, [&](Index s) {
    const TileFacts facts = tile_facts(*rows, s * step + step / 2);
    elements += facts.elements;
    if (facts.base < 0) wide += facts.elements;
  });
  if (step == 1) return nnz + static_cast<double>(wide);
  if (elements == 0) return nnz;
  return nnz * (1 + static_cast<double>(wide) / static_cast<double>(elements));
}

double packed_heads(const Structure& structure, const RowView* rows) {
  const double known = structure.slots[static_cast<std::size_t>(Format::Csr8)];
  if (!std::isnan(known)) return known;
  const auto nnz = static_cast<double>(structure.nnz);
  const Index blocks = (structure.cols + packed_block - 1) / packed_block;
  if (blocks == 1 && structure.exact) {
    return static_cast<double>(structure.rows - structure.empty_rows);
  }
  if (!rows || structure.nnz == 0) {
    return std::min(nnz, static_cast<double>(structure.rows) * static_cast<double>(blocks));
  }
  const Index wanted =
      std::clamp(structure.nnz / nonzeros_for_a_column, fewest_columns, most_columns);
  const auto mean_piece =
      std::clamp<Index>(structure.nnz / structure.rows, 1, Index{longest_piece});
  const bool all = structure.nnz <= fewest_columns && structure.rows <= most_counted_rows &&
                   structure.longest_row <= Index{longest_piece};
  const Index samples = all ? structure.rows : std::min(wanted / mean_piece, structure.rows);
  std::atomic<Index> elements{0};
  std::atomic<Index> heads{0};
  share_out_steps(samples, wanted > columns_worth_threads, [&](Index s) {
    const double turn = std::fmod(static_cast<double>(s) * 0.6180339887498949, 1.0);
    const Index row = (2 * s + 1) * structure.rows / (2 * samples);
    const RowFacts facts = row_facts(*rows, row, turn);
    elements += facts.elements;
    heads += facts.heads;
  });
  if (all) return static_cast<double>(heads);
  if (elements == 0) return nnz;
  return nnz * static_cast<double>(heads) / static_cast<double>(elements);
}

std::string_view coding_obstacle(ValueCoding coding, const Structure& structure) {
  if (coding == ValueCoding::Plain) return {};
  if (!structure.distinct_values) return "distinct values were not counted";
  const bool constant = coding == ValueCoding::Constant;
  if (*structure.distinct_values <= (constant ? 1 : dictionary8_values)) return {};
  return constant ? "has more than one distinct value" : "has more than 256 distinct values";
}

double packed_shared_bytes(Format format, const Structure& structure) {
  const auto offsets = static_cast<double>((structure.rows + 1) * offset_bytes(structure.nnz));
  const bool plain = packed_coding(format).columns == ColumnCoding::Plain;
  return plain ? offsets + static_cast<double>(structure.nnz) * sizeof(Column) : offsets;
}

double packed_bytes(Format format, const Structure& structure, Index element_bytes) {
  const auto [columns, values] = packed_coding(format);
  if (!coding_obstacle(values, structure).empty()) return std::numeric_limits<double>::infinity();
  const auto nnz = static_cast<double>(structure.nnz);
  const auto element = static_cast<double>(element_bytes);
  double bytes = static_cast<double>((structure.rows + 1) * offset_bytes(structure.nnz));
  if (columns == ColumnCoding::Tiled16) {
    const Index tiles = (structure.rows + packed_tile_rows - 1) / packed_tile_rows;
    bytes += 2 * structure.slots[static_cast<std::size_t>(format)] +
             static_cast<double>(tiles * Index{sizeof(PackedTile)});
  } else if (columns == ColumnCoding::Blocked8) {
    const double heads = std::round(structure.slots[static_cast<std::size_t>(format)]);
    bytes += bytes + nnz + heads * 4 * static_cast<double>(words_of_head(structure.cols));
  } else {
    bytes += nnz * sizeof(Column);
  }
  switch (values) {
    case ValueCoding::Constant:
      return bytes + element;
    case ValueCoding::Dictionary8:
      return bytes + nnz + dictionary8_values * element;
    default:
      return bytes + nnz * element;
  }
}

template struct Packed<float>;
template struct Packed<double>;

}  // namespace switchyard
