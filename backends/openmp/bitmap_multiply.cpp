// y = alpha A x + beta y for bitmap rows, on the host's threads.
#include <algorithm>
#include <array>

#include "openmp/bitmap.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows summed together, so that x is loaded once for both.
constexpr Index rows_together = 2;
/// Each thread should have so many rows at least, unless they are cut.
constexpr Index fewest_rows = 4;

/// Two rows are two streams of values, which the processor's own prefetching finds too late. So the
/// next two rows are asked for meanwhile, from the same place on; of very short or long ones, what
/// comes soon (2 Zen 5 cores, one thread, 6144 x 8192 float, density 0.5: 4.5 ms with 1536 bytes,
/// 3.9 with 4096, and 2.8 with the next two rows).
constexpr Index least_ahead = 4096;
constexpr Index most_ahead = 1 << 18;
Index bytes_ahead(Index of_both_rows) {
  return of_both_rows < least_ahead || of_both_rows > most_ahead ? least_ahead : of_both_rows;
}

template <Element T, class Offset>
struct Work {
  const MultiplyArguments<T>& arguments;
  const Bitmap<T>& a;
  const Offset* offsets;
};

/// The sums of `rows` rows, one or two, over words [begin, end).
template <Element T, class Offset>
void sum_words(const Work<T, Offset>& work, Index row, Index rows, Index begin, Index end,
               T* sums) {
  const auto& [arguments, a, offsets] = work;
  // There are no values, from which a kernel could count places.
  if (a.nnz == 0) return static_cast<void>(std::fill_n(sums, rows, T{0}));
  const auto& kernels = best_row_kernels<T>();
  const Index words = a.words_of_row();
  BitmapRows<T> piece{};
  for (Index r = 0; r < rows; ++r) {
    const std::uint64_t* const masks = a.masks.data() + (row + r) * words;
    piece.masks[r] = masks + begin;
    piece.values[r] =
        a.values.data() + offsets[row + r] + (begin > 0 ? kernels.count_bits(masks, begin) : 0);
  }
  piece.x = arguments.x.data() + begin * bitmap_word_columns;
  piece.cols = std::min(end * bitmap_word_columns, a.cols) - begin * bitmap_word_columns;
  piece.values_follow = offsets[row + rows] + values_ahead <= a.nnz;
  piece.stored_share =
      static_cast<double>(a.nnz) / (static_cast<double>(a.rows) * static_cast<double>(a.cols));
  piece.value_bytes_ahead =
      bytes_ahead((Index{offsets[row + rows]} - Index{offsets[row]}) * Index{sizeof(T)});
  piece.mask_bytes_ahead = bytes_ahead(rows * words * Index{sizeof(std::uint64_t)});
  kernels.bitmap_sums(piece, rows, sums);
}

template <Element T, class Offset>
void multiply_rows(const Work<T, Offset>& work, Index begin, Index end) {
  const auto& [arguments, a, offsets] = work;
  for (Index i = begin; i < end; i += rows_together) {
    const Index rows = std::min(rows_together, end - i);
    std::array<T, rows_together> sums;
    sum_words(work, i, rows, 0, a.words_of_row(), sums.data());
    for (Index r = 0; r < rows; ++r) {
      T& y = arguments.y.data()[i + r];
      y = updated(arguments.alpha, sums[static_cast<std::size_t>(r)], arguments.beta, y);
    }
  }
}

/// Splits each row over the threads: for matrices with so few rows that whole ones would leave
/// threads without work.
template <Element T, class Offset>
void multiply_few_rows(const Work<T, Offset>& work, const Shares& shares) {
  const auto& arguments = work.arguments;
  const auto& a = work.a;
  std::array<std::array<T, rows_together>, most_threads> partial;
  for (Index first = 0; first < a.rows; first += rows_together) {
    const Index rows = std::min(rows_together, a.rows - first);
    share_out(shares, [&](int part) {
      sum_words(work, first, rows, part_begin(a.words_of_row(), part, shares.parts),
                part_begin(a.words_of_row(), part + 1, shares.parts),
                partial[static_cast<std::size_t>(part)].data());
    });
    // Added in the order of the parts, so that the same call gives the same bits.
    for (Index r = 0; r < rows; ++r) {
      const auto place = static_cast<std::size_t>(r);
      T sum = 0;
      for (int part = 0; part < shares.parts; ++part) {
        sum += partial[static_cast<std::size_t>(part)][place];
      }
      T& y = arguments.y.data()[first + r];
      y = updated(arguments.alpha, sum, arguments.beta, y);
    }
  }
}

/// The first row of a thread's share: shares have about the same number of bytes.
template <Element T, class Offset>
Index share_begin(const Work<T, Offset>& work, int part, int parts) {
  const Index row_bytes = work.a.words_of_row() * Index{sizeof(std::uint64_t)} + Index{sizeof(T)};
  const auto bytes_before = [&](Index i) {
    return i * row_bytes + work.offsets[i] * Index{sizeof(T)};
  };
  const Index target = part_begin(bytes_before(work.a.rows), part, parts);
  Index low = 0;
  Index high = work.a.rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (bytes_before(middle) < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <Element T, class Offset>
void run(const Work<T, Offset>& work) {
  const Bitmap<T>& a = work.a;
  const Shares shares = shares_of_product(
      work.arguments, a.nnz * Index{sizeof(T)} + a.masks.size() * Index{sizeof(std::uint64_t)});
  if (shares.parts == 1) return multiply_rows(work, 0, a.rows);
  if (a.rows < fewest_rows_to_share(shares, fewest_rows) && a.words_of_row() > a.rows) {
    return multiply_few_rows(work, shares);
  }
  const auto share_end = [&](int part) {
    return part == shares.parts ? a.rows : share_begin(work, part, shares.parts);
  };
  share_out(shares, [&](int part) { multiply_rows(work, share_end(part), share_end(part + 1)); });
}

}  // namespace

template <Element T>
void multiply_bitmap(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Bitmap<T>>(arguments.matrix);
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        run(Work<T, Offset>{arguments, a, offsets.data()});
      },
      a.offsets);
}

template void multiply_bitmap(const MultiplyArguments<float>&);
template void multiply_bitmap(const MultiplyArguments<double>&);

}  // namespace switchyard::openmp
