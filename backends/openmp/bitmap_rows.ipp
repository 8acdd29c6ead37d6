// Bitmap rows times a vector: of each register of x the elements at set bits are put side by side
// (compressed) and multiplied with as many packed values. Expanding the values instead is twice as
// slow on Zen 5 (`vexpandps` takes 6 cycles, `vcompressps` 2).
#include "conversion_loops.ipp"
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// How far ahead of the sums values are asked for: masks and values are two streams for each of two
/// rows, which the processor's own prefetching loses.
constexpr std::int64_t bitmap_bytes_ahead = 1536;

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

/// The set bits among the first `count` < 64 of a word.
inline int bits_before(std::uint64_t word, int count) {
  return __builtin_popcountll(word & ((std::uint64_t{1} << count) - 1));
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

/// Adds the places of one register. If `careful`, nothing is read but stored elements and the
/// elements of x beside them. Otherwise the values behind them are read as well and multiplied with
/// zeros: harmless, unless one of them is infinite or NaN.
template <bool careful, class T>
[[gnu::always_inline]] inline Wide<T> with_register(Wide<T> sum, Mask mask, const T* values,
                                                    Wide<T> x) {
  if constexpr (!careful) return multiply_add(compressed(mask, x), load<Wide<T>>(values), sum);
  const Mask stored = (1U << __builtin_popcount(mask)) - 1;
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
        __builtin_prefetch(reinterpret_cast<const char*>(from) + bitmap_bytes_ahead);
        partial[r][i % 2] = with_register<careful>(
            partial[r][i % 2], static_cast<Mask>(word >> (i * w)) & all, from, elements);
      }
    }
    for (int r = 0; r < rows; ++r) values[r] += __builtin_popcountll(work.masks[r][k]);
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
        __builtin_prefetch(reinterpret_cast<const char*>(values[r]) + bitmap_bytes_ahead);
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

inline std::int64_t count_bits(const std::uint64_t* masks, std::int64_t words) {
  std::int64_t bits = 0;
  for (std::int64_t w = 0; w < words; ++w) bits += __builtin_popcountll(masks[w]);
  return bits;
}

/// A bit for each of 64 elements that is not zero.
template <class T>
std::uint64_t nonzero_word(const T* elements) {
  std::uint64_t word = 0;
#if defined(__AVX512F__)
  constexpr int w = wide_length<T>;
  for (int i = 0; i < 64; i += w) {
    word |= static_cast<std::uint64_t>(nonzeros_in(load<Wide<T>>(elements + i))) << i;
  }
#elif defined(__AVX2__)
  constexpr int w = wide_length<T>;
  for (int i = 0; i < 64; i += w) {
    const auto nonzero = load<Wide<T>>(elements + i) != Wide<T>{};
    unsigned bits = 0;
    if constexpr (sizeof(T) == 4) {
      bits = static_cast<unsigned>(_mm256_movemask_ps((__m256)nonzero));
    } else {
      bits = static_cast<unsigned>(_mm256_movemask_pd((__m256d)nonzero));
    }
    word |= std::uint64_t{bits} << i;
  }
#else
  for (int i = 0; i < 64; ++i) word |= std::uint64_t{elements[i] != T(0)} << i;
#endif
  return word;
}

template <class T>
std::int64_t nonzero_masks(const T* elements, std::int64_t count, std::uint64_t* masks) {
  std::int64_t bits = 0;
  std::int64_t j = 0;
  for (; j + 64 <= count; j += 64) {
    const std::uint64_t word = nonzero_word(elements + j);
    bits += __builtin_popcountll(word);
    masks[j / 64] = word;
  }
  if (j == count) return bits;
  std::uint64_t word = 0;
  for (std::int64_t i = j; i < count; ++i) word |= std::uint64_t{elements[i] != T(0)} << (i - j);
  masks[j / 64] = word;
  return bits + __builtin_popcountll(word);
}

/// The columns of the set bits of a word.
inline void columns_of_word(std::uint64_t word, std::int32_t first, std::int32_t* columns) {
#if defined(__AVX512F__)
  const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int i = 0; i < 64; i += 16) {
    const __m512i indices = _mm512_add_epi32(places, _mm512_set1_epi32(first + i));
    _mm512_storeu_si512(columns + bits_before(word, i),
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(word >> i), indices));
  }
#else
  for (; word != 0; word &= word - 1) *columns++ = first + __builtin_ctzll(word);
#endif
}

inline std::int64_t mask_columns(const std::uint64_t* masks, std::int64_t words, std::int32_t first,
                                 std::int32_t* columns) {
  std::int64_t count = 0;
  for (std::int64_t w = 0; w < words; ++w) {
    columns_of_word(masks[w], first + static_cast<std::int32_t>(64 * w), columns + count);
    count += __builtin_popcountll(masks[w]);
  }
  return count;
}

template <class T>
std::int64_t expand(const std::uint64_t* masks, std::int64_t words, const T* values, T* elements) {
  const T* from = values;
  for (std::int64_t w = 0; w < words; ++w, elements += 64) {
    std::uint64_t word = masks[w];
#if defined(__AVX512F__)
    constexpr int length = wide_length<T>;
    for (int i = 0; i < 64; i += length) {
      const T* const at = from + bits_before(word, i);
      if constexpr (sizeof(T) == 4) {
        const auto mask = static_cast<__mmask16>(word >> i);
        _mm512_storeu_ps(elements + i, _mm512_maskz_expandloadu_ps(mask, at));
      } else {
        const auto mask = static_cast<__mmask8>(word >> i);
        _mm512_storeu_pd(elements + i, _mm512_maskz_expandloadu_pd(mask, at));
      }
    }
    from += __builtin_popcountll(word);
#else
    for (int i = 0; i < 64; ++i) elements[i] = T(0);
    for (; word != 0; word &= word - 1) elements[__builtin_ctzll(word)] = *from++;
#endif
  }
  return from - values;
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
