// CSR rows times a vector. The sum of a row depends on nothing but its own elements, whichever of
// these loops adds it up.
#include "packed_readers.hpp"
#include "row_kernels.hpp"
#include "row_sums.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// Of a matrix in the cache nothing need be asked for.
constexpr std::int64_t smallest_prefetched_nonzeros = 1 << 16;

template <class T>
T csr_sum(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  return exact_row<true>(values, columns, x, count);
}

/// Rows [begin, end), a multiple of four, of `length` nonzeros each, the first of which is `first`.
/// No offset is read, so that this is compiled once for both kinds of them.
template <bool prefetching, int length, class Elements>
void equal_rows(const Elements& work, std::int64_t first, std::int64_t begin, std::int64_t end) {
  auto values = work.values + first;
  auto columns = work.columns + first;
  for (std::int64_t i = begin; i < end; i += 4) {
    multiplied<prefetching>(values, columns, work.x).ask_ahead(0, 4 * length);
    const auto sum = [&](int r) __attribute__((always_inline)) {
      return exact_sum<length>(values + r * length, columns + r * length, work.x);
    };
    const Four<typename Elements::Element> sums = {sum(0), sum(1), sum(2), sum(3)};
    values = values + 4 * length;
    columns = columns + 4 * length;
    update(work.y + i, work.alpha, sums, work.beta);
  }
}

/// As many of the rows [begin, end) as are of the same length as the first four, in fours. Returns
/// where they end.
template <bool prefetching, class Rows>
std::int64_t run_of_equal_rows(const Rows& work, std::int64_t begin, std::int64_t end) {
  using Elements = typename Rows::Elements;
  using Function = void (*)(const Elements&, std::int64_t, std::int64_t, std::int64_t);
  constexpr Function of_length[] = {
      &equal_rows<prefetching, 1, Elements>, &equal_rows<prefetching, 2, Elements>,
      &equal_rows<prefetching, 3, Elements>, &equal_rows<prefetching, 4, Elements>,
      &equal_rows<prefetching, 5, Elements>, &equal_rows<prefetching, 6, Elements>,
      &equal_rows<prefetching, 7, Elements>, &equal_rows<prefetching, 8, Elements>};
  const auto* const k = work.offsets;
  const auto length = k[begin + 1] - k[begin];
  std::int64_t i = begin + 4;
  while (i + 4 <= end && k[i + 1] - k[i] == length && k[i + 2] - k[i + 1] == length &&
         k[i + 3] - k[i + 2] == length && k[i + 4] - k[i + 3] == length) {
    i += 4;
  }
  of_length[length - 1](work, k[begin], begin, i);
  return i;
}

/// Rows that are streamed together: all products first, then their sums. Products of neighbouring
/// rows fill whole vectors, and no element of another row is multiplied in vain.
constexpr std::int64_t streamed_rows = 32;
/// Rows that have more nonzeros than that, three blocks each, are worth loops of their own.
constexpr std::int64_t most_streamed_nonzeros = 24 * streamed_rows;
/// A larger matrix comes from far caches or from memory, and streamed rows wait for it longer:
/// fewer loads are under way while sums are made (a Zen 5 core: 1.5 and 7.7 million nonzeros
/// took 1.04 to 1.1 of the time, 0.95 million 0.8 to 0.9).
constexpr std::int64_t most_nonzeros_in_cache = 1 << 20;
/// Of so few nonzeros most rows have at most half a block.
constexpr std::int64_t tiny_nonzeros = 3 * streamed_rows;
/// Products of a stream, and a block more that may be written, and read behind that.
template <class T>
struct Stream {
  alignas(line) T products[most_streamed_nonzeros + 3 * block];
};

/// Rows [begin, begin + streamed_rows), which have at most so many nonzeros together.
template <bool prefetching, class Rows, class T>
void stream_rows(const Rows& work, std::int64_t begin, Stream<T>& stream) {
  const auto* const offsets = work.offsets + begin;
  const std::int64_t first = offsets[0];
  const std::int64_t end = offsets[streamed_rows];
  const auto multiply = multiplied<prefetching>(work.values, work.columns, work.x);
  for (std::int64_t k = first; k < end; k += block) {
    multiply.ask_ahead(k, block);
    store(stream.products + (k - first), multiply(k));
    store(stream.products + (k - first) + 4, multiply(k + 4));
  }
  const Stored<T> at{stream.products - first};
  const bool tiny = end - first <= tiny_nonzeros;
  for (std::int64_t i = 0; i < streamed_rows; i += 4) {
    const auto* const k = offsets + i;
    const std::int64_t longest = longest_of_four(k);
    const auto sums = tiny && longest <= block / 2 ? tiny_rows<T>(at, k)
                      : longest <= block           ? short_rows<T>(at, k)
                      : longest <= 2 * block       ? middling_rows<T>(at, k)
                      : longest <= 3 * block       ? three_blocks<T>(at, k)
                                                   : mixed_rows<T>(at, k);
    update(work.y + begin + i, work.alpha, sums, work.beta);
  }
}

/// Whether the next rows are worth streaming: the first four are `equal`, and so long, or not. Runs
/// of rows that are equal have loops of their own.
template <class Offset>
bool worth_streaming(const Offset* k, bool equal, std::int64_t length) {
  return k[streamed_rows] - k[0] <= most_streamed_nonzeros &&
         !(equal && k[12] - k[0] == 12 * length);
}

/// Rows [begin, end), a multiple of four, all of them far enough from the end of the arrays.
template <bool prefetching, class Rows>
void csr_inner(const Rows& work, std::int64_t begin, std::int64_t end) {
  using T = typename Rows::Element;
  Stream<T> stream;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  const auto at = multiplied<prefetching>(work.values, work.columns, work.x);
  const std::int64_t end_of_streams =
      work.nnz <= most_nonzeros_in_cache ? end - streamed_rows + 1 : begin;
  for (std::int64_t i = begin; i < end;) {
    const auto* const k = work.offsets + i;
    // One branch for all four: of rows with random lengths each would be mispredicted.
    const std::int64_t longest = longest_of_four(k);
    const bool equal = k[1] - k[0] == longest && k[4] - k[0] == 4 * longest;
    if (i < end_of_streams && worth_streaming(k, equal, longest)) {
      stream_rows<prefetching>(work, i, stream);
      i += streamed_rows;
      continue;
    }
    Four<T> sums = {};
    if (longest == 0) {
      // Nothing to add.
    } else if (equal && longest <= block) {
      i = run_of_equal_rows<prefetching>(work, i, end);
      continue;
    } else if (longest <= block / 2) {
      sums = tiny_rows<T>(at, k);
    } else if (equal) {
      const auto sum = [&](int r) __attribute__((always_inline)) {
        return exact_row<prefetching>(work.values + k[r], work.columns + k[r], work.x, longest);
      };
      sums = Four<T>{sum(0), sum(1), sum(2), sum(3)};
    } else if (longest <= block) {
      sums = short_rows<T>(at, k);
    } else {
      sums = mixed_rows<T>(at, k);
    }
    update(work.y + i, work.alpha, sums, work.beta);
    i += 4;
  }
}

/// Rows [begin, end). The elements before `readable` may be read, whosever they are.
template <class Rows>
void csr_between(const Rows& work, std::int64_t readable, std::int64_t begin, std::int64_t end) {
  std::int64_t inner = end;
  while (inner > begin && work.offsets[inner] + block > readable) --inner;
  inner = begin + (inner - begin) / 4 * 4;
  if (work.nnz >= smallest_prefetched_nonzeros) {
    csr_inner<true>(work, begin, inner);
  } else {
    csr_inner<false>(work, begin, inner);
  }
  for (std::int64_t i = inner; i < end; ++i) {
    const std::int64_t k = work.offsets[i];
    const std::int64_t count = work.offsets[i + 1] - k;
    const auto sum = exact_row<true>(work.values + k, work.columns + k, work.x, count);
    update(work.y + i, work.alpha, sum, work.beta);
  }
}

template <class T, class Offset>
void csr(const CsrRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  const ReadRows<T, Offset, const T*, const std::int32_t*> read{
      {work.columns, work.values, work.nnz, work.alpha, work.x, work.beta, work.y}, work.offsets};
  csr_between(read, work.nnz, begin, end);
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
