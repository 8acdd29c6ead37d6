// Rows of blocked columns times a vector: some rows' columns at a time are decoded into the first
// cache, and multiplied from there by the loops of csr_rows.ipp, which give the bits of plain CSR.
#include "csr_rows.ipp"
#include "packed_kernels.hpp"
#include "packed_readers.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// Columns that are decoded at once. A multiple of the blocks of csr_rows.ipp.
constexpr std::int64_t decoded_columns = 2048;
/// Columns that are decoded together, more than most heads have: a mispredicted branch costs as
/// much as decoding 64. Those behind a head are written again by the next one.
constexpr int decoded_step = 32;
/// How far ahead of the decoding heads and bytes are asked for, in bytes.
constexpr std::int64_t decoded_ahead = 4096;

/// Columns by the number of their element, as a reader of values has them.
struct Decoded {
  const std::int32_t* at;
  std::int32_t operator[](std::int64_t k) const { return at[k]; }
  Decoded operator+(std::int64_t k) const { return {at + k}; }
};

[[gnu::always_inline]] inline void prefetch(Decoded /*from*/, std::int64_t /*count*/) {}

/// Heads of one word or of two.
template <int words>
struct Heads {
  const std::uint32_t* at;

  [[nodiscard]] std::uint16_t start(std::int64_t h) const {
    return static_cast<std::uint16_t>(at[words * h + words - 1]);
  }
  /// The first column of its block.
  [[nodiscard]] std::int32_t column(std::int64_t h) const {
    const std::uint32_t block = words == 1 ? at[h] >> 16 : at[words * h];
    return static_cast<std::int32_t>(block << 8);
  }
};

/// What is decoded of a matrix, and where it goes.
struct Decoding {
  const std::uint8_t* low;
  std::int64_t nnz;
  std::int32_t* columns;  ///< of element 0, if it were among those decoded
};

/// `decoded_step` columns of one block. GCC 12 converts vectors of bytes element by element.
[[gnu::always_inline]] inline void decode_step(const std::uint8_t* low, std::int32_t column,
                                               std::int32_t* columns) {
#if defined(__AVX512F__)
  // The function without a mask makes GCC 12 warn of what is not initialised.
  const __m512i first = _mm512_set1_epi32(column);
  for (int i = 0; i < decoded_step; i += 16) {
    const __m512i places = _mm512_maskz_cvtepu8_epi32(0xffff, load<__m128i>(low + i));
    store(columns + i, _mm512_add_epi32(places, first));
  }
#elif defined(__AVX2__)
  const __m256i first = _mm256_set1_epi32(column);
  for (int i = 0; i < decoded_step; i += 8) {
    const __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(load<long long>(low + i)));
    store(columns + i, _mm256_add_epi32(places, first));
  }
#else
  for (int i = 0; i < decoded_step; ++i) columns[i] = column + low[i];
#endif
}

/// The columns of the elements [begin, end), all in one block.
[[gnu::always_inline]] inline void decode_head(const Decoding& to, std::int32_t column,
                                               std::int64_t begin, std::int64_t end) {
  std::int64_t k = begin;
  if (end + decoded_step <= to.nnz) {
    do {
      decode_step(to.low + k, column, to.columns + k);
      k += decoded_step;
    } while (k < end);
  } else {
    for (; k < end; ++k) to.columns[k] = column + to.low[k];
  }
}

/// The columns of the elements [begin, end), and behind them zeros for a block. The first of them
/// is in head `h`; no head after `last` is read. Returns the head of the last element.
template <int words>
std::int64_t decode(const Decoding& to, Heads<words> heads, std::int64_t h, std::int64_t last,
                    std::int64_t begin, std::int64_t end) {
  std::int64_t k = begin;
  for (; h < last; ++h) {
    const std::int64_t next = k + static_cast<std::uint16_t>(heads.start(h + 1) - k);
    if (next >= end) break;
    __builtin_prefetch(to.low + k + decoded_ahead);
    __builtin_prefetch(heads.at + words * h + decoded_ahead / 4);
    decode_head(to, heads.column(h), k, next);
    k = next;
  }
  decode_head(to, heads.column(h), k, end);
  for (int i = 0; i < block; ++i) to.columns[end + i] = 0;
  return h;
}

/// The head of element k of a row.
template <int words, class Rows>
std::int64_t head_of(const Rows& work, Heads<words> heads, std::int64_t row, std::int64_t k) {
  // 16 bits tell how far it is to the starts of the next 255 heads.
  std::int64_t at = work.offsets[row];
  std::int64_t h = work.first_heads[row];
  const std::int64_t end = work.first_heads[row + 1];
  constexpr std::int64_t strides[] = {255, 1};
  for (const std::int64_t step : strides) {
    for (; h + step < end; h += step) {
      const std::int64_t next = at + static_cast<std::uint16_t>(heads.start(h + step) - at);
      if (next > k) break;
      at = next;
    }
  }
  return h;
}

/// Where columns are decoded to.
struct Buffer {
  alignas(line) std::int32_t columns[decoded_columns + decoded_step + block];
};

/// The sum of the elements begin to end of a row, of any length.
template <class Values, int words, class T, class Offset>
T sum_of_elements(const BlockedRows<T, Offset>& work, std::int64_t row, std::int64_t begin,
                  std::int64_t end, Buffer& buffer) {
  const Heads<words> heads{work.heads};
  const auto values = reader(work.values, Values{});
  std::int64_t head = head_of(work, heads, row, begin);
  const auto decode_from = [&](std::int64_t k, std::int64_t count) {
    const Decoding to{work.low, work.nnz, buffer.columns - k};
    head = decode(to, heads, head, work.first_heads[row + 1] - 1, k, k + count);
  };
  const Decoded columns{buffer.columns};
  Four<T> sums[4] = {};
  std::int64_t k = begin;
  for (; end - k > decoded_columns; k += decoded_columns) {
    decode_from(k, decoded_columns);
    for (std::int64_t j = 0; j < decoded_columns; j += 2 * block) {
      add_two_blocks<T>(sums, multiplied<true>(values + k, columns, work.x), j);
    }
  }
  decode_from(k, end - k);
  if (k == begin) return exact_row<true>(values + k, columns, work.x, end - k);
  // As whole_blocks and exact_row go on.
  const std::int64_t whole = in_whole_blocks(end - k);
  std::int64_t j = 0;
  const auto at = multiplied<true>(values + k, columns, work.x);
  for (; j + 2 * block <= whole; j += 2 * block) add_two_blocks<T>(sums, at, j);
  for (; j < whole; j += block) add_block<T>(sums, at, j);
  return sum_of<T>((sums[0] + sums[1]) + (sums[2] + sums[3])) +
         exact_sum(values + (k + j), columns + j, work.x, end - k - j);
}

/// The end of the rows from `begin` on that are decoded together: in fours, if four fit.
template <class Offset>
std::int64_t end_of_decoded(const Offset* offsets, std::int64_t begin, std::int64_t end) {
  const std::int64_t limit = offsets[begin] + decoded_columns;
  std::int64_t i = begin;
  while (i + 4 <= end && offsets[i + 4] <= limit) i += 4;
  if (i > begin && i + 4 <= end) return i;
  while (i < end && offsets[i + 1] <= limit) ++i;
  return i;
}

template <class Values, int words, class T, class Offset>
void blocked_between(const BlockedRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  Buffer buffer;
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t stop = end_of_decoded(work.offsets, i, end);
    const std::int64_t first = work.offsets[i];
    if (stop == i) {
      const T sum = sum_of_elements<Values, words>(work, i, first, work.offsets[i + 1], buffer);
      update(work.y + i, work.alpha, sum, work.beta);
      ++i;
      continue;
    }
    if (first < work.offsets[stop]) {
      decode(Decoding{work.low, work.nnz, buffer.columns - first}, Heads<words>{work.heads},
             work.first_heads[i], work.first_heads[stop] - 1, first, work.offsets[stop]);
    }
    const ReadRows<T, Offset, Values, Decoded> read{{{buffer.columns - first},
                                                     reader(work.values, Values{}),
                                                     work.nnz,
                                                     work.alpha,
                                                     work.x,
                                                     work.beta,
                                                     work.y},
                                                    work.offsets};
    csr_between(read, work.nnz, i, stop);
    i = stop;
  }
}

template <class T, class Offset, class Values>
void blocked(const BlockedRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  const auto multiply = work.words == 1 ? &blocked_between<Values, 1, T, Offset>
                                        : &blocked_between<Values, 2, T, Offset>;
  multiply(work, begin, end);
}

template <class T, class Offset, class Values>
T blocked_sum(const BlockedRows<T, Offset>& work, std::int64_t row, std::int64_t begin,
              std::int64_t end) {
  Buffer buffer;
  const auto sum = work.words == 1 ? &sum_of_elements<Values, 1, T, Offset>
                                   : &sum_of_elements<Values, 2, T, Offset>;
  return sum(work, row, begin, end, buffer);
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
