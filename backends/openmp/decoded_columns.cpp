// Y = alpha A X + beta Y for many columns and any sparse format, on the host's threads.
#include <array>

#include "column_kernels.hpp"
#include "columns.hpp"
#include "far_rows.hpp"
#include "row_decoders.hpp"
#include "row_shares.hpp"

namespace switchyard::openmp {
namespace {

/// Elements and rows that are decoded together: with X's rows they fit into the first cache.
constexpr Index chunk_elements = 2048;
constexpr Index chunk_rows = 256;
/// Columns whose sums of a row that is longer than a chunk are kept at once.
constexpr Index long_row_columns = 64;

/// Decoded rows, multiplied where no more of them fit.
template <Element T, class Decoder>
class Chunk {
 public:
  Chunk(const MultiplyArguments<T>& arguments, Decoder decoder)
      : arguments_(arguments), decoder_(std::move(decoder)) {
    offsets_[0] = 0;
  }

  void multiply(Index begin, Index end) {
    for (Index position = begin; position < end; ++position) add(position);
    flush();
  }

 private:
  void add(Index position) {
    if (rows_ == chunk_rows || 2 * used() > chunk_elements) flush();
    if (rows_ == 0) stored_ = decoder_.stored_values(position);
    Decoded decoded = decoder_.decode(position, 0, target(used()));
    if (!decoded.is_whole && rows_ > 0) {
      flush();
      stored_ = decoder_.stored_values(position);
      decoded = decoder_.decode(position, 0, target(0));
    }
    if (!decoded.is_whole) return multiply_long(position);
    numbers_[static_cast<std::size_t>(rows_)] = decoder_.number(position);
    offsets_[static_cast<std::size_t>(rows_) + 1] = used() + decoded.elements;
    ++rows_;
  }

  void flush() {
    run_rows(best_column_kernels<T>(), work(), 0, rows_);
    rows_ = 0;
  }

  /// A row that is longer than a chunk, by panels of its columns.
  void multiply_long(Index position) {
    const Index k = arguments_.columns;
    for (Index first = 0; first < k; first += long_row_columns) {
      const Index count = std::min(long_row_columns, k - first);
      std::array<T, long_row_columns> sums{};
      Decoded decoded;
      for (Index begin = 0; !decoded.is_whole; begin += decoded.elements) {
        decoded = decoder_.decode(position, begin, target(0));
        add_stretch(begin, decoded.elements, first, count, sums);
      }
      T* const y = arguments_.y.data() + decoder_.number(position) * k + first;
      for (Index c = 0; c < count; ++c) {
        y[c] = updated(arguments_.alpha, sums[static_cast<std::size_t>(c)], arguments_.beta, y[c]);
      }
    }
  }

  /// Adds the elements of a row from `begin` on, which are decoded, times some columns of X.
  void add_stretch(Index begin, Index elements, Index first, Index count,
                   std::array<T, long_row_columns>& sums) {
    std::array<T, long_row_columns> stretch;
    const std::array<Index, 2> offsets{0, elements};
    ColumnRows<T, Index> part = work();
    part.offsets = offsets.data();
    if (stored_) part.values += begin;
    part.numbers = nullptr;
    part.count = count;
    part.x += first;
    part.alpha = T{1};
    part.beta = T{0};
    part.y = stretch.data();
    run_rows(best_column_kernels<T>(), part, 0, 1);
    for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c) sums[c] += stretch[c];
  }

  /// Of those that were decoded.
  [[nodiscard]] bool x_is_far() const {
    const Index x_rows = arguments_.x.size() / arguments_.columns;
    const Index row_bytes = arguments_.columns * Index{sizeof(T)};
    return reads_far_rows(columns_.data(), used(), rows_, x_rows, row_bytes, 16);
  }

  [[nodiscard]] Index used() const { return offsets_[static_cast<std::size_t>(rows_)]; }
  [[nodiscard]] DecodeTarget<T> target(Index at) {
    return {columns_.data() + at, stored_ ? nullptr : values_.data() + at, chunk_elements - at};
  }
  [[nodiscard]] ColumnRows<T, Index> work() const {
    const Index k = arguments_.columns;
    return {offsets_.data(),
            columns_.data(),
            stored_ ? stored_ : values_.data(),
            numbers_.data(),
            k,
            k,
            k,
            x_is_far(),
            arguments_.alpha,
            arguments_.x.data(),
            arguments_.beta,
            arguments_.y.data()};
  }

  const MultiplyArguments<T>& arguments_;
  Decoder decoder_;
  Index rows_ = 0;
  const T* stored_ = nullptr;  ///< the values of the first row, where they need no decoding
  std::array<Index, chunk_rows + 1> offsets_;
  std::array<Index, chunk_rows> numbers_;
  std::array<Column, chunk_elements + compress_slack> columns_;
  std::array<T, chunk_elements + compress_slack> values_;
};

/// The first row of a share, for rows of about equal length.
template <class Matrix>
Index share_begin(const Matrix& matrix, int part, int parts) {
  return part_begin(matrix.rows, part, parts, packed_tile_rows);
}
/// The same where it is known how many elements there are before each row.
template <class Matrix>
requires requires(const Matrix& matrix) { matrix.narrow; } || requires(const Matrix& matrix) {
  matrix.words_of_row();
}
Index share_begin(const Matrix& matrix, int part, int parts) {
  if (part == parts) return matrix.rows;
  const Index target = part_begin(matrix.rows + matrix.nnz, part, parts);
  return std::visit(
      [&](const auto& offsets) { return row_at(offsets.data(), matrix.rows, target); },
      matrix.offsets);
}

template <Element T, class Matrix>
void multiply_rows(const MultiplyArguments<T>& arguments, const Matrix& matrix) {
  const Index bytes = static_cast<Index>(bytes_of(arguments.matrix)) +
                      matrix.nnz * arguments.columns * Index{sizeof(T)};
  const Shares shares = shares_of_product(arguments, bytes);
  share_out(shares, [&](int part) {
    Chunk<T, decltype(decoder_of(matrix))> chunk(arguments, decoder_of(matrix));
    chunk.multiply(share_begin(matrix, part, shares.parts),
                   share_begin(matrix, part + 1, shares.parts));
  });
}

}  // namespace

template <Element T>
void multiply_decoded_columns(const MultiplyArguments<T>& arguments) {
  std::visit(
      [&](const auto& matrix) {
        // Kernels of their own serve these.
        using Matrix = std::remove_cvref_t<decltype(matrix)>;
        constexpr bool is_decoded = !std::is_same_v<Matrix, Dense<T>> &&
                                    !std::is_same_v<Matrix, Csr<T>> &&
                                    !std::is_same_v<Matrix, Csc<T>>;
        if constexpr (is_decoded) multiply_rows(arguments, matrix);
      },
      arguments.matrix);
}

template void multiply_decoded_columns(const MultiplyArguments<float>&);
template void multiply_decoded_columns(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
