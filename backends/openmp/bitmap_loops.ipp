// What conversions from and to bitmaps do with every word: make it, count its bits, list their
// columns, and spread values over them.
#pragma once

#include "conversion_loops.ipp"
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// The set bits among the first `count` < 64 of a word.
inline int bits_before(std::uint64_t word, int count) {
  return __builtin_popcountll(word & ((std::uint64_t{1} << count) - 1));
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
