// What conversions do with every element: count, pack, and copy past the caches.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

template <class T>
std::int64_t count_nonzeros(const T* elements, std::int64_t count) {
  constexpr int w = wide_length<T>;
  constexpr std::int64_t step = 4 * w;
  Vector<Bits<T>, w> counts[4] = {};  // comparisons give -1; a row has fewer than 2^31 elements
  std::int64_t j = 0;
  for (; j + step <= count; j += step) {
    for (int i = 0; i < 4; ++i) counts[i] -= load<Wide<T>>(elements + j + i * w) != Wide<T>{};
  }
  const auto sums = (counts[0] + counts[1]) + (counts[2] + counts[3]);
  std::int64_t nonzeros = 0;
  for (int i = 0; i < w; ++i) nonzeros += sums[i];
  for (; j < count; ++j) nonzeros += elements[j] != T(0) ? 1 : 0;
  return nonzeros;
}

/// One element after the other, without a branch: each is written where the next nonzero belongs
/// and stays if it is one.
template <class T>
std::int64_t compress_plainly(const T* elements, std::int64_t count, std::int32_t first, T* values,
                              std::int32_t* columns) {
  std::int64_t at = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    values[at] = elements[j];
    columns[at] = first + static_cast<std::int32_t>(j);
    at += elements[j] != T(0) ? 1 : 0;
  }
  return at;
}

#if defined(__AVX512F__)
inline __mmask16 nonzeros_in(__m512 v) {
  return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NEQ_UQ);
}
inline __mmask8 nonzeros_in(__m512d v) {
  return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

// Into a register and then to memory: the instruction that does both at once is microcode on Zen.
inline int compress_register(__m512 v, std::int32_t column, float* values, std::int32_t* columns) {
  const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i indices = _mm512_add_epi32(places, _mm512_set1_epi32(column));
  const __mmask16 mask = nonzeros_in(v);
  _mm512_storeu_ps(values, _mm512_maskz_compress_ps(mask, v));
  _mm512_storeu_si512(columns, _mm512_maskz_compress_epi32(mask, indices));
  return __builtin_popcount(mask);
}
inline int compress_register(__m512d v, std::int32_t column, double* values,
                             std::int32_t* columns) {
  const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i indices = _mm256_add_epi32(places, _mm256_set1_epi32(column));
  const __mmask8 mask = nonzeros_in(v);
  _mm512_storeu_pd(values, _mm512_maskz_compress_pd(mask, v));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns),
                      _mm256_maskz_compress_epi32(mask, indices));
  return __builtin_popcount(mask);
}

/// Two registers; nothing is done where all of them is zero.
template <class T>
int compress_pair(const T* elements, std::int32_t column, T* values, std::int32_t* columns) {
  const auto low = load<Wide<T>>(elements);
  const auto high = load<Wide<T>>(elements + wide_length<T>);
  if ((nonzeros_in(low) | nonzeros_in(high)) == 0) return 0;
  const int found = compress_register(low, column, values, columns);
  return found + compress_register(high, column + wide_length<T>, values + found, columns + found);
}
#endif

template <class T>
std::int64_t compress(const T* elements, std::int64_t count, std::int32_t first, T* values,
                      std::int32_t* columns) {
#if defined(__AVX512F__)
  constexpr int pair = 2 * wide_length<T>;
  std::int64_t at = 0;
  std::int64_t j = 0;
  for (; j + pair <= count; j += pair) {
    const auto column = first + static_cast<std::int32_t>(j);
    at += compress_pair(elements + j, column, values + at, columns + at);
  }
  return at + compress_plainly(elements + j, count - j, first + static_cast<std::int32_t>(j),
                               values + at, columns + at);
#else
  return compress_plainly(elements, count, first, values, columns);
#endif
}

/// Bytes until `to` is at a cache line's start, no more than `bytes`.
inline std::int64_t head_of(const char* to, std::int64_t bytes) {
  const auto into_line = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64);
  const std::int64_t head = (64 - into_line) % 64;
  return head < bytes ? head : bytes;
}

/// One line, `to` at its start.
inline void stream_line([[maybe_unused]] char* to, [[maybe_unused]] const char* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__SSE2__)
  for (int i = 0; i < 64; i += 16) {
    const auto quarter = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), quarter);
  }
#else
  __builtin_memcpy(to, from, 64);
#endif
}

inline void stream(void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;  // from or to nowhere
  auto* const out = static_cast<char*>(to);
  const auto* const in = static_cast<const char*>(from);
  std::int64_t done = head_of(out, bytes);
  __builtin_memcpy(out, in, static_cast<std::size_t>(done));
  for (; done + 64 <= bytes; done += 64) stream_line(out + done, in + done);
  __builtin_memcpy(out + done, in + done, static_cast<std::size_t>(bytes - done));
}

inline void fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
