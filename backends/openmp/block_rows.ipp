// Block rows of small dense blocks times a vector, four elements at a time.
#include "block_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// For each number of four bits, all ones in the places whose bit is set.
template <class T>
struct PlacesOfBits {
  Bits<T> ones[16][4];
  constexpr PlacesOfBits() : ones{} {
    for (int bits = 0; bits < 16; ++bits) {
      for (int place = 0; place < 4; ++place) ones[bits][place] = (bits >> place & 1) != 0 ? -1 : 0;
    }
  }
};
template <class T>
inline constexpr PlacesOfBits<T> places_of_bits;

/// The products in places whose bit is set, and 0 in the others: what is not stored may be NaN.
template <class T>
[[gnu::always_inline]] inline Four<T> stored(Four<T> products, unsigned bits) {
  using Integers = Vector<Bits<T>, 4>;
  return (Four<T>)((Integers)products & load<Integers>(places_of_bits<T>.ones[bits & 15U]));
}

// What a block row of each size is summed in. `add` adds a block whose mask has the bits `mask`, or
// if `full`, one that is stored as a whole. `store_sums` puts the sums of the rows into `sums`.

template <class T, int b>
struct BlockSums;

/// A block is one vector.
template <class T>
struct BlockSums<T, 2> {
  Four<T> sum{};

  template <bool full>
  [[gnu::always_inline]] void add(const T* block, const T* x, unsigned mask) {
    const Four<T> products = load<Four<T>>(block) * Four<T>{x[0], x[1], x[0], x[1]};
    sum += full ? products : stored<T>(products, mask);
  }
  [[gnu::always_inline]] void add(const BlockSums& other) { sum += other.sum; }
  [[gnu::always_inline]] void store_sums(T* sums) const {
    sums[0] = sum[0] + sum[1];
    sums[1] = sum[2] + sum[3];
  }
};

/// A row of a block and an element beside it are a vector: the next row's for rows 0 and 1, and the
/// row's before for row 2, so that nothing behind the block is read. What becomes of that element
/// is dropped in the end.
template <class T>
struct BlockSums<T, 3> {
  Four<T> sum[3]{};

  template <bool full>
  [[gnu::always_inline]] void add(const T* block, const T* x, unsigned mask) {
    const auto first = load<Four<T>>(x);
    const Four<T> products[3] = {
        load<Four<T>>(block) * first, load<Four<T>>(block + 3) * first,
        load<Four<T>>(block + 5) * __builtin_shufflevector(first, first, 0, 0, 1, 2)};
    sum[0] += full ? products[0] : stored<T>(products[0], mask & 7U);
    sum[1] += full ? products[1] : stored<T>(products[1], mask >> 3U & 7U);
    sum[2] += full ? products[2] : stored<T>(products[2], mask >> 5U & 14U);
  }
  [[gnu::always_inline]] void add(const BlockSums& other) {
    for (int r = 0; r < 3; ++r) sum[r] += other.sum[r];
  }
  [[gnu::always_inline]] void store_sums(T* sums) const {
    for (int r = 0; r < 2; ++r) sums[r] = (sum[r][0] + sum[r][1]) + sum[r][2];
    sums[2] = (sum[2][1] + sum[2][2]) + sum[2][3];
  }
};

/// Each row of a block is a vector.
template <class T>
struct BlockSums<T, 4> {
  Four<T> sum[4]{};

  template <bool full>
  [[gnu::always_inline]] void add(const T* block, const T* x, unsigned mask) {
    const auto elements = load<Four<T>>(x);
    for (unsigned r = 0; r < 4; ++r) {
      const Four<T> products = load<Four<T>>(block + 4 * r) * elements;
      sum[r] += full ? products : stored<T>(products, mask >> (4 * r));
    }
  }
  [[gnu::always_inline]] void add(const BlockSums& other) {
    for (int r = 0; r < 4; ++r) sum[r] += other.sum[r];
  }
  [[gnu::always_inline]] void store_sums(T* sums) const {
    store(sums, sums_of<T>(sum[0], sum[1], sum[2], sum[3]));
  }
};

template <int b, class T, class Offset>
[[gnu::always_inline]] inline void add_block(const BlockRows<T, Offset>& work, std::int64_t k,
                                             BlockSums<T, b>& sums) {
  constexpr unsigned full = (1U << (b * b)) - 1;
  const std::int32_t column = work.columns[k];
  const T* const x = column == work.last_column ? work.tail : work.x + std::int64_t{column} * b;
  const T* const block = work.values + k * (b * b);
  const unsigned mask = work.masks[k];
  if (mask == full) {
    sums.template add<true>(block, x, mask);
  } else {
    sums.template add<false>(block, x, mask);
  }
}

/// Blocks that are summed side by side: of the small ones, an addition takes longer than a block.
template <int b>
inline constexpr std::int64_t chains = b == 2 ? 4 : 1;

template <int b, class T, class Offset>
void block_rows(const BlockRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    BlockSums<T, b> sums[chains<b>]{};
    std::int64_t k = work.offsets[i];
    const std::int64_t last = work.offsets[i + 1];
    for (; k + chains<b> <= last; k += chains<b>) {
      for (std::int64_t c = 0; c < chains<b>; ++c) add_block<b>(work, k + c, sums[c]);
    }
    for (; k < last; ++k) add_block<b>(work, k, sums[0]);
    for (std::int64_t c = 1; c < chains<b>; ++c) sums[0].add(sums[c]);
    T of_rows[4];
    sums[0].store_sums(of_rows);
    for (std::int64_t r = 0; r < b && i * b + r < work.rows; ++r) {
      update(work.y + i * b + r, work.alpha, of_rows[r], work.beta);
    }
  }
}

template <class T, int b>
constexpr BlockKernel<T> block_kernel() {
  return {&block_rows<b, T, std::int32_t>, &block_rows<b, T, std::int64_t>};
}

}  // namespace

template <class T>
BlockKernels<T> block_kernels() {
  return {{block_kernel<T, 2>(), block_kernel<T, 3>(), block_kernel<T, 4>()}};
}

template BlockKernels<float> block_kernels();
template BlockKernels<double> block_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
