// Bitmap rows times a vector: the elements of x at set bits are put side by side and multiplied
// with as many packed values. Expanding the values instead is slow on Zen 5 (`vexpandps` takes 6
// cycles).
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

#if defined(__AVX2__)
/// A register of 32 bytes, also where wider ones are.
template <class T>
inline constexpr int half_length = 32 / static_cast<int>(sizeof(T));
template <class T>
using Half = Vector<T, half_length<T>>;

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
inline Half<float> compressed(unsigned mask, Half<float> x) {
  return _mm256_permutevar8x32_ps(x, lanes_from(set_bits.of_eight[mask]));
}
inline Half<double> compressed(unsigned mask, Half<double> x) {
  return _mm256_castps_pd(
      _mm256_permutevar8x32_ps(_mm256_castpd_ps(x), lanes_from(set_bits.of_four[mask])));
}

template <int rows, class T>
void sums_of_rows(const BitmapRows<T>& work, T* sums) {
  constexpr int w = half_length<T>;
  constexpr int registers = 64 / w;
  const std::int64_t whole = work.values_follow ? work.cols / 64 : 0;
  Half<T> partial[rows][2] = {};
  const T* values[rows];
  for (int r = 0; r < rows; ++r) values[r] = work.values[r];
  for (std::int64_t k = 0; k < whole; ++k) {
    for (int i = 0; i < registers; ++i) {
      const auto elements = load<Half<T>>(work.x + 64 * k + i * w);
      for (int r = 0; r < rows; ++r) {
        const auto mask = static_cast<unsigned>(work.masks[r][k] >> (i * w)) & ((1U << w) - 1);
        const int count = __builtin_popcount(mask);
        ask_ahead(values[r], work.value_bytes_ahead);
        partial[r][i % 2] +=
            first_places<T, w>(compressed(mask, elements) * load<Half<T>>(values[r]), count);
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

#if defined(__AVX512F__)
using Mask = unsigned;

inline __m512 masked_load(Mask mask, const float* from) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
}
inline __m512d masked_load(Mask mask, const double* from) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from);
}

/// The places of a word.
struct WordPlaces {
  std::uint8_t place[64];
  constexpr WordPlaces() : place{} {
    for (int i = 0; i < 64; ++i) place[i] = static_cast<std::uint8_t>(i);
  }
};
constexpr WordPlaces word_places;

// On processors that pack bytes: the places of the set bits among as many as four registers of x
// hold are packed, and pick the elements of x out of these. That takes its time for each register
// of values, and to compress each register of x by its bits takes longer at any density (float, in
// a cache, one Zen 5 core at 3.55 GHz, a word of 64 places: 2.1 ns at density 0.2, 3.7 at 0.5, 5.6
// at 0.9; compressing 7.5). What is not stored is neither read nor multiplied. One row at a time:
// its values and those of the next row are one stream (out of cache, two cores: 23 GB/s, 19 with
// two rows).

/// Adds a register of values, those of `stored`, beside the elements of x at the first of `places`.
[[gnu::always_inline]] inline __m512 with_picked(__m512 sum, const __m512 (&x)[4], __m128i places,
                                                 const float* values, Mask stored) {
  // Not the instructions without a mask, in which GCC 12 sees uninitialised registers.
  const __m512i index = _mm512_maskz_cvtepu8_epi32(0xffffU, places);
  const __m512 low = _mm512_permutex2var_ps(x[0], index, x[1]);
  const __m512 high = _mm512_permutex2var_ps(x[2], index, x[3]);
  const __mmask16 is_high = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
  const auto mask = static_cast<__mmask16>(stored);
  return _mm512_mask3_fmadd_ps(_mm512_mask_mov_ps(low, is_high, high),
                               _mm512_maskz_loadu_ps(mask, values), sum, mask);
}
[[gnu::always_inline]] inline __m512d with_picked(__m512d sum, const __m512d (&x)[4],
                                                  __m128i places, const double* values,
                                                  Mask stored) {
  const __m512i index = _mm512_maskz_cvtepu8_epi64(0xffU, places);
  const __m512d low = _mm512_permutex2var_pd(x[0], index, x[1]);
  const __m512d high = _mm512_permutex2var_pd(x[2], index, x[3]);
  const __mmask8 is_high = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
  const auto mask = static_cast<__mmask8>(stored);
  return _mm512_mask3_fmadd_pd(_mm512_mask_mov_pd(low, is_high, high),
                               _mm512_maskz_loadu_pd(mask, values), sum, mask);
}

template <class T>
using Register = decltype(masked_load(Mask{}, static_cast<const T*>(nullptr)));

/// A row so far.
template <class T>
struct PickedRow {
  const T* values;  ///< the next ones
  std::int64_t value_bytes_ahead;
  Register<T> sums[2] = {};
};

/// Adds register i of the values at the set bits of a unit, whose places are `packed`.
template <int i, class T>
[[gnu::always_inline]] inline void add_register(PickedRow<T>& row, const Register<T> (&x)[4],
                                                __m512i packed, std::uint64_t stored) {
  constexpr int w = wide_length<T>;
  __m128i places = _mm512_maskz_extracti32x4_epi32(0xf, packed, i * w / 16);
  if constexpr (i * w % 16 != 0) places = _mm_unpackhi_epi64(places, places);
  const T* const values = row.values + i * w;
  ask_ahead(values, row.value_bytes_ahead);
  row.sums[i % 2] =
      with_picked(row.sums[i % 2], x, places, values, static_cast<Mask>(stored >> (i * w)));
}

/// Adds the bits of a unit, which four registers of x hold: `usual` registers of values whether or
/// not there are so many, and further ones where there are. A branch that goes either way costs
/// more than a register (float, density 0.25, out of cache, two cores: 23 GB/s, and 37 so).
template <int usual, class T>
[[gnu::always_inline, gnu::target("avx512vbmi2,bmi2")]] inline void add_unit(
    PickedRow<T>& row, const Register<T> (&x)[4], std::uint64_t unit) {
  constexpr int w = wide_length<T>;
  const int count = __builtin_popcountll(unit);
  const std::uint64_t stored = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
  const __m512i packed = _mm512_maskz_compress_epi8(unit, _mm512_loadu_si512(word_places.place));
  add_register<0>(row, x, packed, stored);
  if (usual > 1 || count > w) add_register<1>(row, x, packed, stored);
  if (usual > 2 || count > 2 * w) add_register<2>(row, x, packed, stored);
  if (usual > 3 || count > 3 * w) add_register<3>(row, x, packed, stored);
  row.values += count;
}

/// The sum of row r.
template <int usual, class T>
[[gnu::target("avx512vbmi2,bmi2")]] T picked_sum(const BitmapRows<T>& work, int r) {
  constexpr int w = wide_length<T>;
  constexpr int places = 4 * w;
  constexpr auto all =
      static_cast<std::uint64_t>(places == 64 ? -1 : (std::int64_t{1} << (places % 64)) - 1);
  const std::uint64_t* const masks = work.masks[r];
  PickedRow<T> row{work.values[r], work.value_bytes_ahead};
  Register<T> x[4];
  const std::int64_t whole = work.cols / 64;
  for (std::int64_t k = 0; k < whole; ++k) {
    for (int first = 0; first < 64; first += places) {
      for (int i = 0; i < 4; ++i) x[i] = load<Wide<T>>(work.x + 64 * k + first + i * w);
      add_unit<usual>(row, x, masks[k] >> first & all);
    }
    if (k % words_of_line == 0) ask_ahead(masks + k, work.mask_bytes_ahead);
  }
  const std::int64_t rest = work.cols - 64 * whole;
  for (std::int64_t first = 0; first < rest; first += places) {
    const std::uint64_t inside = ((std::uint64_t{1} << rest) - 1) >> first;
    for (int i = 0; i < 4; ++i) {
      const auto mask = static_cast<Mask>(inside >> (w * i)) & ((1U << w) - 1);
      x[i] = masked_load(mask, work.x + 64 * whole + first + w * i);
    }
    add_unit<usual>(row, x, masks[whole] >> first & all);
  }
  return sum_of<T>(folded<T, w>(Wide<T>(row.sums[0] + row.sums[1])));
}

/// The registers of values that a unit mostly has: those that more than a fifth of the units of
/// evenly spread bits fill or begin.
template <class T>
int usual_registers(double stored_share) {
  constexpr double slack = sizeof(T) == 4 ? 3 : 2.5;
  const double registers = (4 * wide_length<T> * stored_share + slack) / wide_length<T>;
  return registers < 4 ? 1 + static_cast<int>(registers) : 4;
}

template <class T>
void picked_bitmap_sums(const BitmapRows<T>& work, std::int64_t rows, T* sums) {
  const auto sum = [&](auto picked) {
    for (int r = 0; r < static_cast<int>(rows); ++r) sums[r] = picked(work, r);
  };
  switch (usual_registers<T>(work.stored_share)) {
    case 1:
      return sum(&picked_sum<1, T>);
    case 2:
      return sum(&picked_sum<2, T>);
    case 3:
      return sum(&picked_sum<3, T>);
    default:
      return sum(&picked_sum<4, T>);
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
  if (packs_bytes) best = &picked_bitmap_sums<T>;
#endif
  return best;
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
