// Bitmap rows times a vector: of each register of x the elements at set bits are put side by side
// (compressed) and multiplied with as many packed values. Expanding the values instead is twice as
// slow on Zen 5 (`vexpandps` takes 6 cycles, `vcompressps` 2).
#include "bitmap_loops.ipp"
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// Asks for what lies so many bytes further on, into the second cache: the first holds x.
[[gnu::always_inline]] inline void ask_ahead(const void* from, std::int64_t bytes) {
  __builtin_prefetch(static_cast<const char*>(from) + bytes, 0, 2);
}

constexpr std::int64_t words_of_line = 8;

/// The sum of some words' places, one element after the other.
template <class T>
T plain_bitmap_sum(const std::uint64_t* masks, std::int64_t words, const T* values, const T* x) {
  T sums[4] = {};
  int k = 0;
  for (std::int64_t w = 0; w < words; ++w, x += 64) {
    for (std::uint64_t word = masks[w]; word != 0; word &= word - 1) {
      sums[k] += *values++ * x[__builtin_ctzll(word)];
      k = (k + 1) % 4;
    }
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

#if defined(__AVX512F__)
using Mask = unsigned;

inline __m512 compressed(Mask mask, __m512 x) {
  return _mm512_maskz_compress_ps(static_cast<__mmask16>(mask), x);
}
inline __m512d compressed(Mask mask, __m512d x) {
  return _mm512_maskz_compress_pd(static_cast<__mmask8>(mask), x);
}
inline __m512 masked_load(Mask mask, const float* from) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
}
inline __m512d masked_load(Mask mask, const double* from) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from);
}
inline __m512 multiply_add(__m512 a, __m512 b, __m512 sum) { return _mm512_fmadd_ps(a, b, sum); }
inline __m512d multiply_add(__m512d a, __m512d b, __m512d sum) {
  return _mm512_fmadd_pd(a, b, sum);
}

/// `w` bits of a word, by a load: shifting them out in a mask register takes longer (8192 x 8192
/// float, density 0.5: 6.1 ms, and 4.7 with loads).
template <int w>
[[gnu::always_inline]] inline Mask mask_at(const std::uint64_t* word, int i) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(word) + i * w / 8;
  if constexpr (w == 16) return load<std::uint16_t>(bytes);
  return *bytes;
}

/// Adds the places of one register, of which `mask` holds the bits, and others above. If `careful`,
/// nothing is read but stored elements and the elements of x beside them. Otherwise the values
/// behind them are read as well and multiplied with zeros: harmless, unless one of them is infinite
/// or NaN.
template <bool careful, class T>
[[gnu::always_inline]] inline Wide<T> with_register(Wide<T> sum, Mask mask, const T* values,
                                                    Wide<T> x) {
  if constexpr (!careful) return multiply_add(compressed(mask, x), load<Wide<T>>(values), sum);
  constexpr Mask all = (1U << wide_length<T>)-1;
  const Mask stored = (1U << __builtin_popcount(mask & all)) - 1;
  return multiply_add(compressed(mask, x), masked_load(stored, values), sum);
}

/// The sums of `rows` rows. Adds in the same order, careful or not.
template <bool careful, int rows, class T>
[[gnu::always_inline]] inline void sums_of_words(const BitmapRows<T>& work, T* sums) {
  constexpr int w = wide_length<T>;
  constexpr int registers = 64 / w;
  constexpr Mask all = (1U << w) - 1;
  Wide<T> partial[rows][2] = {};
  const T* values[rows];
  for (int r = 0; r < rows; ++r) values[r] = work.values[r];
  const std::int64_t whole = work.cols / 64;
  for (std::int64_t k = 0; k < whole; ++k) {
    const T* const x = work.x + 64 * k;
    for (int i = 0; i < registers; ++i) {
      const auto elements = load<Wide<T>>(x + i * w);
      for (int r = 0; r < rows; ++r) {
        const std::uint64_t word = work.masks[r][k];
        const T* const from = values[r] + bits_before(word, i * w);
        ask_ahead(from, work.value_bytes_ahead);
        partial[r][i % 2] = with_register<careful>(
            partial[r][i % 2], mask_at<w>(work.masks[r] + k, i), from, elements);
      }
    }
    for (int r = 0; r < rows; ++r) {
      if (k % words_of_line == 0) ask_ahead(work.masks[r] + k, work.mask_bytes_ahead);
      values[r] += __builtin_popcountll(work.masks[r][k]);
    }
  }
  if (work.cols > 64 * whole) {
    const T* const x = work.x + 64 * whole;
    for (int r = 0; r < rows; ++r) {
      const std::uint64_t word = work.masks[r][whole];
      for (int i = 0; i < registers; ++i) {
        const Mask mask = static_cast<Mask>(word >> (i * w)) & all;
        partial[r][i % 2] =
            with_register<true>(partial[r][i % 2], mask, values[r] + bits_before(word, i * w),
                                Wide<T>(masked_load(mask, x + i * w)));
      }
    }
  }
  for (int r = 0; r < rows; ++r) sums[r] = sum_of<T>(folded<T, w>(partial[r][0] + partial[r][1]));
}

/// What an infinite or NaN value was multiplied with zero for is NaN: then once more, carefully.
template <int rows, class T>
void sums_of_rows(const BitmapRows<T>& work, T* sums) {
  if (!work.values_follow) return sums_of_words<true, rows>(work, sums);
  sums_of_words<false, rows>(work, sums);
  bool is_nan = false;
  for (int r = 0; r < rows; ++r) is_nan |= sums[r] != sums[r];
  if (is_nan) sums_of_words<true, rows>(work, sums);
}

/// The columns of a word.
struct WordColumns {
  std::uint8_t place[64];
  constexpr WordColumns() : place{} {
    for (int i = 0; i < 64; ++i) place[i] = static_cast<std::uint8_t>(i);
  }
};
constexpr WordColumns word_columns;

// Rows with few bits: the columns of a word's bits are packed as bytes, and pick the elements of x
// out of the four registers that hold them. This takes its time for each register of values, the
// other loop for each of x (2 Zen 5 cores, in a cache: 0.6 of the other loop's time at density 0.2,
// 0.7 at 0.3, 0.9 at 0.5). What is not stored is neither read nor multiplied.

/// Adds up to 16 values, the first of `count`, beside the elements of x at `columns`.
[[gnu::always_inline, gnu::target("avx512vbmi2,bmi2")]] inline __m512 with_picked(
    __m512 sum, const __m512 (&x)[4], __m128i columns, const float* values, int count) {
  // Not the instructions without a mask, in which GCC 12 sees uninitialised registers.
  const __m512i index = _mm512_maskz_cvtepu8_epi32(0xffffU, columns);
  const __m512 low = _mm512_permutex2var_ps(x[0], index, x[1]);
  const __m512 high = _mm512_permutex2var_ps(x[2], index, x[3]);
  const __mmask16 is_high = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
  const auto stored = static_cast<__mmask16>(_bzhi_u32(0xffffU, static_cast<unsigned>(count)));
  return _mm512_mask3_fmadd_ps(_mm512_mask_mov_ps(low, is_high, high),
                               _mm512_maskz_loadu_ps(stored, values), sum, stored);
}

/// A row so far.
struct PickedRow {
  const std::uint64_t* masks;
  const float* values;  ///< of the next word
  __m512 even = {};
  __m512 odd = {};
};

/// Adds word k.
[[gnu::always_inline, gnu::target("avx512vbmi2,bmi2")]] inline void add_word(PickedRow& row,
                                                                             const __m512 (&x)[4],
                                                                             std::int64_t k) {
  const std::uint64_t word = row.masks[k];
  const int count = __builtin_popcountll(word);
  const __m512i all = _mm512_loadu_si512(word_columns.place);
  const __m512i packed = _mm512_maskz_compress_epi8(word, all);
  constexpr __mmask8 whole = 0xf;
  const __m128i first = _mm512_maskz_extracti32x4_epi32(whole, packed, 0);
  row.even = with_picked(row.even, x, first, row.values, count);
  if (count > 16) {
    const __m128i second = _mm512_maskz_extracti32x4_epi32(whole, packed, 1);
    row.odd = with_picked(row.odd, x, second, row.values + 16, count - 16);
  }
  if (count > 32) {
    const __m128i third = _mm512_maskz_extracti32x4_epi32(whole, packed, 2);
    row.even = with_picked(row.even, x, third, row.values + 32, count - 32);
  }
  if (count > 48) {
    const __m128i fourth = _mm512_maskz_extracti32x4_epi32(whole, packed, 3);
    row.odd = with_picked(row.odd, x, fourth, row.values + 48, count - 48);
  }
  row.values += count;
}

[[gnu::always_inline]] inline void ask_ahead(const PickedRow& row, std::int64_t k,
                                             const BitmapRows<float>& work) {
  ask_ahead(row.values, work.value_bytes_ahead);
  ask_ahead(row.values + 16, work.value_bytes_ahead);
  if (k % words_of_line == 0) ask_ahead(row.masks + k, work.mask_bytes_ahead);
}

/// The sums of two rows, or of the first alone.
template <int rows>
[[gnu::target("avx512vbmi2,bmi2")]] void sums_of_few_bits(const BitmapRows<float>& work,
                                                          float* sums) {
  PickedRow first{work.masks[0], work.values[0]};
  PickedRow second{work.masks[1], work.values[1]};
  const std::int64_t whole = work.cols / 64;
  __m512 x[4];
  for (std::int64_t k = 0; k < whole; ++k) {
    for (int i = 0; i < 4; ++i) x[i] = _mm512_loadu_ps(work.x + 64 * k + 16 * i);
    ask_ahead(first, k, work);
    add_word(first, x, k);
    if constexpr (rows == 1) continue;
    ask_ahead(second, k, work);
    add_word(second, x, k);
  }
  if (work.cols > 64 * whole) {
    const std::uint64_t inside = (std::uint64_t{1} << (work.cols - 64 * whole)) - 1;
    for (int i = 0; i < 4; ++i) {
      const auto mask = static_cast<Mask>(inside >> (16 * i)) & 0xffffU;
      x[i] = masked_load(mask, work.x + 64 * whole + 16 * i);
    }
    add_word(first, x, whole);
    if constexpr (rows == 2) add_word(second, x, whole);
  }
  sums[0] = sum_of<float>(folded<float, 16>(Wide<float>(first.even + first.odd)));
  if constexpr (rows == 2) {
    sums[1] = sum_of<float>(folded<float, 16>(Wide<float>(second.even + second.odd)));
  }
}

/// By few bits or many, on processors that pack bytes.
inline void bitmap_sums_by_share(const BitmapRows<float>& work, std::int64_t rows, float* sums) {
  if (work.few_bits) {
    return rows == 2 ? sums_of_few_bits<2>(work, sums) : sums_of_few_bits<1>(work, sums);
  }
  return rows == 2 ? sums_of_rows<2>(work, sums) : sums_of_rows<1>(work, sums);
}
#elif defined(__AVX2__)
/// Of each pattern of 8 bits, the places of its set bits, ascending; for pairs of lanes those of
/// each pattern of 4 bits.
struct SetBits {
  std::uint8_t of_eight[256][8];
  std::uint8_t of_four[16][8];
  constexpr SetBits() : of_eight{}, of_four{} {
    for (int mask = 0; mask < 256; ++mask) {
      int count = 0;
      for (int bit = 0; bit < 8; ++bit) {
        if (mask >> bit & 1) of_eight[mask][count++] = static_cast<std::uint8_t>(bit);
      }
    }
    for (int mask = 0; mask < 16; ++mask) {
      int count = 0;
      for (int bit = 0; bit < 4; ++bit) {
        if (!(mask >> bit & 1)) continue;
        of_four[mask][count++] = static_cast<std::uint8_t>(2 * bit);
        of_four[mask][count++] = static_cast<std::uint8_t>(2 * bit + 1);
      }
    }
  }
};
constexpr SetBits set_bits;

inline __m256i lanes_from(const std::uint8_t (&places)[8]) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(places)));
}
inline Wide<float> compressed(unsigned mask, Wide<float> x) {
  return _mm256_permutevar8x32_ps(x, lanes_from(set_bits.of_eight[mask]));
}
inline Wide<double> compressed(unsigned mask, Wide<double> x) {
  return _mm256_castps_pd(
      _mm256_permutevar8x32_ps(_mm256_castpd_ps(x), lanes_from(set_bits.of_four[mask])));
}

template <int rows, class T>
void sums_of_rows(const BitmapRows<T>& work, T* sums) {
  constexpr int w = wide_length<T>;
  constexpr int registers = 64 / w;
  const std::int64_t whole = work.values_follow ? work.cols / 64 : 0;
  Wide<T> partial[rows][2] = {};
  const T* values[rows];
  for (int r = 0; r < rows; ++r) values[r] = work.values[r];
  for (std::int64_t k = 0; k < whole; ++k) {
    for (int i = 0; i < registers; ++i) {
      const auto elements = load<Wide<T>>(work.x + 64 * k + i * w);
      for (int r = 0; r < rows; ++r) {
        const auto mask = static_cast<unsigned>(work.masks[r][k] >> (i * w)) & ((1U << w) - 1);
        const int count = __builtin_popcount(mask);
        ask_ahead(values[r], work.value_bytes_ahead);
        partial[r][i % 2] +=
            first_places<T, w>(compressed(mask, elements) * load<Wide<T>>(values[r]), count);
        values[r] += count;
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    const T rest = plain_bitmap_sum(work.masks[r] + whole, (work.cols + 63) / 64 - whole, values[r],
                                    work.x + 64 * whole);
    sums[r] = sum_of<T>(folded<T, w>(partial[r][0] + partial[r][1])) + rest;
  }
}
#else
template <int rows, class T>
void sums_of_rows(const BitmapRows<T>& work, T* sums) {
  for (int r = 0; r < rows; ++r) {
    sums[r] = plain_bitmap_sum(work.masks[r], (work.cols + 63) / 64, work.values[r], work.x);
  }
}
#endif

template <class T>
void bitmap_sums(const BitmapRows<T>& work, std::int64_t rows, T* sums) {
  if (rows == 2) return sums_of_rows<2>(work, sums);
  sums_of_rows<1>(work, sums);
}

/// The best `bitmap_sums` of this processor.
template <class T>
auto bitmap_kernel() {
  void (*best)(const BitmapRows<T>&, std::int64_t, T*) = &bitmap_sums<T>;
#if defined(__AVX512F__)
  const bool packs_bytes = __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
  if constexpr (sizeof(T) == 4) best = packs_bytes ? &bitmap_sums_by_share : best;
#endif
  return best;
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
