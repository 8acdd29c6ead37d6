// The BSR format: sizes, checks and estimates.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <switchyard/containers/bsr.hpp>

namespace switchyard {
namespace {

/// All blocks of a matrix with at most so many rows and nonzeros are counted. Of others, the
/// beginnings of some block rows are: one column in 128, which costs 3 to 5 ns each, but between
/// 1024 and 4096 columns. Fewer of each block row, and blocks at the left would count too much.
constexpr Index counted_rows_and_nonzeros = 1024;
constexpr Index columns_for_one = 128;
constexpr Index fewest_columns = 1024;
constexpr Index most_columns = 4096;
constexpr Index most_of_block_row = 64;
constexpr Index fewest_of_block_row = 8;
/// Block rows that are looked at first, evenly spaced.
constexpr Index looked_at_first = 16;

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a BSR matrix needs ") + why);
}

/// The columns of a row, read a few at a time.
class RowReader {
 public:
  static constexpr Column no_column = std::numeric_limits<Column>::max();

  RowReader() = default;
  RowReader(const RowView& matrix, Index row) : matrix_(&matrix), row_(row) { read(); }

  /// The next column, or `no_column` behind the last one.
  [[nodiscard]] Column column() const noexcept { return at_ < size_ ? columns_[at_] : no_column; }
  void advance() {
    if (++at_ == columns_.size()) read();
  }

 private:
  void read() {
    size_ = matrix_->columns(row_, columns_, begin_).size();
    begin_ += static_cast<Index>(size_);
    at_ = 0;
  }

  const RowView* matrix_ = nullptr;
  Index row_ = 0;
  Index begin_ = 0;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::array<Column, 32> columns_{};
};

/// Some elements, and the blocks that they are in.
struct Counted {
  Index blocks = 0;
  Index elements = 0;
};

/// Counts the blocks of a block row from the left, until `most` elements are in them.
void count_blocks(const RowView& matrix, Index b, Index block_row, Index most, Counted& counted) {
  std::array<RowReader, largest_bsr_block> readers;
  const Index first = block_row * b;
  const Index height = std::min(b, matrix.rows - first);
  for (Index r = 0; r < height; ++r) {
    readers[static_cast<std::size_t>(r)] = RowReader(matrix, first + r);
  }
  const std::span rows(readers.data(), static_cast<std::size_t>(height));
  for (Index elements = 0; elements < most;) {
    Column next = RowReader::no_column;
    for (const RowReader& row : rows) next = std::min(next, row.column());
    if (next == RowReader::no_column) return;
    const Index end = (next / b + 1) * b;
    const Index before = elements;
    for (RowReader& row : rows) {
      for (; row.column() < end && row.column() != RowReader::no_column; row.advance()) ++elements;
    }
    ++counted.blocks;
    counted.elements += elements - before;
  }
}

/// Whether the matrix takes more than twice the bytes of CSR, whatever more is looked at: 1.5 b
/// slots for each element. A product reads all of them, so that no better estimate is needed.
bool are_nearly_empty(const Counted& counted, Index b) {
  return 2 * b * counted.blocks > 3 * counted.elements;
}

template <Element T>
void check_block_row(const Bsr<T>& matrix, Index block_row) {
  const Index b = matrix.block();
  const Index block_columns = (matrix.cols + b - 1) / b;
  const Index rows = std::min(b, matrix.rows - block_row * b);
  Index before = -1;
  for (Index k = matrix.offset(block_row); k < matrix.offset(block_row + 1); ++k) {
    const Index column = matrix.columns[k];
    if (column <= before || column >= block_columns) refuse("block columns that ascend");
    before = column;
    const Index cols = std::min(b, matrix.cols - column * b);
    unsigned inside = 0;
    for (Index r = 0; r < rows; ++r) inside |= ((1U << cols) - 1) << (r * b);
    const unsigned mask = matrix.masks[k];
    if (mask == 0 || (mask & ~inside) != 0) refuse("elements in every block, none outside");
  }
}

}  // namespace

template <Element T>
Bsr<T> Bsr<T>::sized(const Bsr& header, const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(header.cols);  // columns must fit
  (void)checked_product(header.rows, largest_bsr_block);
  (void)checked_product(header.nnz, largest_bsr_block * largest_bsr_block);
  Bsr bsr = header.header();
  bsr.offsets = sized_offsets(bsr.block_rows() + 1, bsr.nnz, memory);
  return bsr;
}

template <Element T>
void Bsr<T>::add_blocks(Index blocks, const std::shared_ptr<MemorySpace>& memory) {
  const Index slots = checked_product(blocks, block() * block());
  columns = Array<Column>(blocks, memory);
  masks = Array<std::uint16_t>(blocks, memory);
  values = Array<T>(slots, memory);
}

template <Element T>
void Bsr<T>::check() const {
  if (rows < 0 || cols < 0 || size_of(offsets) != block_rows() + 1 || offset(0) != 0) {
    refuse("block rows + 1 offsets from 0 on");
  }
  const Index blocks = offset(block_rows());
  if (blocks < 0 || columns.size() != blocks || masks.size() != blocks ||
      values.size() != checked_product(blocks, block() * block())) {
    refuse("a column, a mask and values for each block");
  }
  for (Index i = 0; i < block_rows(); ++i) {
    if (offset(i) > offset(i + 1) || offset(i + 1) > blocks) refuse("offsets that ascend");
    check_block_row(*this, i);
  }
  Index stored = 0;
  for (const std::uint16_t mask : masks.span()) stored += std::popcount(mask);
  if (stored != nnz) refuse("as many bits in its masks as it has elements");
}

template <Element T>
void Bsr<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  const Index b = block();
  for (Index& length : lengths) {
    const Index i = first++;
    length = 0;
    const Index end = offset(i / b + 1);
    for (Index k = offset(i / b); k < end; ++k) length += std::popcount(row_mask(k, i % b));
  }
}

double bsr_slots(Index b, const Structure& structure, const RowView* rows) {
  const Index block_rows = (structure.rows + b - 1) / b;
  const Index block_columns = (structure.cols + b - 1) / b;
  const auto nnz = static_cast<double>(structure.nnz);
  const auto area = static_cast<double>(b * b);
  const double all = static_cast<double>(block_rows) * static_cast<double>(block_columns);
  if (!rows) return area * std::min(nnz + structure.nnz_error, all);
  Counted counted;
  if (structure.rows + structure.nnz <= counted_rows_and_nonzeros) {
    for (Index i = 0; i < block_rows; ++i) count_blocks(*rows, b, i, whole_row, counted);
    return area * static_cast<double>(counted.blocks);
  }
  const Index wanted = std::clamp(structure.nnz / columns_for_one, fewest_columns, most_columns);
  const Index each_row =
      std::clamp(structure.nnz / block_rows, fewest_of_block_row, most_of_block_row);
  const Index samples = std::min(wanted / each_row, block_rows);
  const auto look_at = [&](Index s) {
    count_blocks(*rows, b, (2 * s + 1) * block_rows / (2 * samples), wanted / samples, counted);
  };
  // Where a few show that the blocks are nearly empty, the others need not be looked at.
  const Index step = std::max<Index>(samples / looked_at_first, 1);
  for (Index s = step / 2; s < samples; s += step) look_at(s);
  if (step > 1 && !are_nearly_empty(counted, b)) {
    for (Index s = 0; s < samples; ++s) {
      if (s % step != step / 2) look_at(s);
    }
  }
  if (counted.elements == 0) return area * std::min(nnz, all);
  const double each = static_cast<double>(counted.blocks) / static_cast<double>(counted.elements);
  return area * std::clamp(each * nnz, nnz / area, std::min(nnz, all));
}

double bsr_bytes(Format format, const Structure& structure, Index element_bytes) {
  const Index b = bsr_block(format);
  const Index block_rows = (structure.rows + b - 1) / b;
  const double slots = structure.slots[static_cast<std::size_t>(format)];
  constexpr auto block_bytes = double{sizeof(Column) + sizeof(std::uint16_t)};
  return slots * static_cast<double>(element_bytes) +
         slots / static_cast<double>(b * b) * block_bytes +
         static_cast<double>((block_rows + 1) * offset_bytes(structure.nnz));
}

template struct Bsr<float>;
template struct Bsr<double>;

}  // namespace switchyard
