// The bitmap format: its size and its checks.
#include <switchyard/containers/bitmap.hpp>

namespace switchyard {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a bitmap matrix needs ") + why);
}

/// Whether the row's bits are as many as its offsets say, none of them beyond the last column.
template <Element T>
bool row_fits(const Bitmap<T>& matrix, Index i) {
  const Index words = matrix.words_of_row();
  const std::uint64_t* const masks = matrix.masks.data() + i * words;
  Index bits = 0;
  for (Index w = 0; w < words; ++w) bits += std::popcount(masks[w]);
  const Index used = matrix.cols % bitmap_word_columns;
  if (used > 0 && masks[words - 1] >> used != 0) return false;
  return bits == matrix.offset(i + 1) - matrix.offset(i);
}

}  // namespace

template <Element T>
Bitmap<T> Bitmap<T>::sized(Index rows, Index cols, Index nnz,
                           const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(cols);  // columns must fit
  (void)checked_product(rows, cols);
  Bitmap bitmap{rows, cols, nnz, {}, {}, {}};
  bitmap.masks = Array<std::uint64_t>(checked_product(rows, bitmap.words_of_row()), memory);
  bitmap.offsets = sized_offsets(rows + 1, nnz, memory);
  bitmap.values = Array<T>(nnz, memory);
  return bitmap;
}

template <Element T>
void Bitmap<T>::check() const {
  if (rows < 0 || cols < 0 || size_of(offsets) != rows + 1 ||
      masks.size() != checked_product(rows, words_of_row())) {
    refuse("rows + 1 offsets, and words for each row");
  }
  if (values.size() != nnz || offset(0) != 0 || offset(rows) != nnz) {
    refuse("offsets that go from 0 to its number of values");
  }
  for (Index i = 0; i < rows; ++i) {
    if (!row_fits(*this, i)) refuse("as many bits in each row as its offsets say");
  }
}

template <Element T>
void Bitmap<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::visit(
      [&](const auto& array) {
        const auto* const at = array.data() + first;
        for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = at[i + 1] - at[i];
      },
      offsets);
}

double bitmap_bytes(const Structure& structure, Index element_bytes) {
  const Index words = (structure.cols + bitmap_word_columns - 1) / bitmap_word_columns;
  return static_cast<double>(structure.nnz) * static_cast<double>(element_bytes) +
         static_cast<double>(structure.rows) * static_cast<double>(words) *
             double{sizeof(std::uint64_t)} +
         static_cast<double>(structure.rows + 1) * static_cast<double>(offset_bytes(structure.nnz));
}

template struct Bitmap<float>;
template struct Bitmap<double>;

}  // namespace switchyard
