// Dense to CSR on the host's threads, reading the dense matrix once.
//
// The elements are cut into blocks that fit into a core's cache. Threads take the blocks in order;
// for each they count its nonzeros, look up where the block before it ends (known as soon as that
// is counted, long before it is filled in), and fill in from the cache: the single-pass scan with
// look-back of Merrill and Garland (2016). While a thread fills in, its next block is on the way
// into its cache. The arrays are first made as large as a sample of the matrix says, with room to
// spare, and cut to size at the end; where a sample was wrong, or that much memory cannot be had,
// all nonzeros are counted first.
#include <atomic>

#include "block_ends.hpp"
#include "openmp/operations.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

constexpr Index block_bytes = 256 << 10;
/// Elements looked at before what was found is written.
constexpr Index stretch = 1024;

template <Element T>
Index count(const Executor& executor, const Dense<T>& from) {
  const auto& kernels = best_row_kernels<T>();
  constexpr Index block = block_bytes / Index{sizeof(T)};
  const Index elements = from.values.size();
  std::atomic<Index> nonzeros{0};
  const Shares shares = shares_of_work(executor, elements * Index{sizeof(T)});
  share_out_items(shares, elements, block, [&](Index begin, Index end) {
    nonzeros += kernels.count_nonzeros(from.values.data() + begin, end - begin);
  });
  return nonzeros;
}

/// Nonzeros that there are very probably no more of.
template <Element T>
Index likely_most(const Dense<T>& from) {
  const Structure sampled = sampled_structure_of(from);
  const double most = static_cast<double>(sampled.nnz) + 2 * sampled.nnz_error;
  return std::min(from.values.size(), static_cast<Index>(most) + stretch);
}

/// Writes packed elements by way of a small buffer where they are to go past the caches.
template <Element T>
class Writer {
 public:
  Writer(Csr<T>& to, bool past_caches)
      : values_(to.values.data()), columns_(to.columns.data()), past_caches_(past_caches) {}

  /// Packs a stretch of a row at `place` and returns how many nonzeros it had. `room`: elements
  /// that this block may write from there.
  Index pack(const T* elements, Index count, Column first, Index place, Index room) {
    // Behind the last of the block's nonzeros another thread may have written already.
    if (!past_caches_ && count + compress_slack <= room) {
      return kernels_.compress(elements, count, first, values_ + place, columns_ + place);
    }
    const Index found = kernels_.compress(elements, count, first, buffer_.values, buffer_.columns);
    kernels_.stream(values_ + place, buffer_.values, found * Index{sizeof(T)});
    kernels_.stream(columns_ + place, buffer_.columns, found * Index{sizeof(Column)});
    return found;
  }

 private:
  struct Buffer {
    T values[stretch + compress_slack];
    Column columns[stretch + compress_slack];
  };
  const RowKernels<T>& kernels_ = best_row_kernels<T>();
  T* values_;
  Column* columns_;
  bool past_caches_;
  Buffer buffer_;
};

/// A block's elements, and where its nonzeros go.
struct Block {
  Index begin;
  Index end;
  Index place;
  Index place_end;
};

/// Fills in a block, asking for elements from `next` on meanwhile.
template <Element T, class Offset>
void fill(const Dense<T>& from, const Block& block, Writer<T>& writer, Offset* offsets,
          const T* next) {
  Index row = block.begin / from.cols;
  Index column = block.begin - row * from.cols;
  Index place = block.place;
  for (Index at = block.begin; at < block.end;) {
    const Index count = std::min({stretch, from.cols - column, block.end - at});
    for (Index j = 0; j < count; j += 64 / Index{sizeof(T)}) {
      __builtin_prefetch(next + (at - block.begin) + j);
    }
    place += writer.pack(from.values.data() + at, count, static_cast<Column>(column), place,
                         block.place_end - place);
    at += count;
    column += count;
    if (column == from.cols) {
      offsets[++row] = static_cast<Offset>(place);
      column = 0;
    }
  }
}

/// All blocks in order. Returns the nonzeros; where they are more than there is room for, the rest
/// of them is counted only.
template <Element T, class Offset>
Index fill_all(const Executor& executor, const Dense<T>& from, Csr<T>& to, Offset* offsets) {
  const auto& kernels = best_row_kernels<T>();
  const Index bytes_of_result = to.values.size() * Index{sizeof(T) + sizeof(Column)};
  const bool past_caches = static_cast<std::size_t>(bytes_of_result) > executor.facts().cache_bytes;
  constexpr Index block = block_bytes / Index{sizeof(T)};
  const Index elements = from.values.size();
  const Index blocks = (elements + block - 1) / block;
  const Index room = to.values.size();
  const auto count_block = [&](Index b) {
    return kernels.count_nonzeros(from.values.data() + b * block,
                                  std::min(block, elements - b * block));
  };
  BlockEnds ends(blocks);
  std::atomic<Index> next_block{0};
  // Each row's end is written by whoever fills in its last element, if it has one.
  offsets[0] = 0;
  if (elements == 0) std::fill(offsets, offsets + from.rows + 1, Offset{0});
  Shares shares = shares_of_work(executor, elements * Index{sizeof(T)});
  shares.parts = shares.threads;  // each takes blocks until there are none
  share_out(shares, [&](int) {
    Writer<T> writer(to, past_caches);
    for (Index b = next_block++, next = b; b < blocks; b = next) {
      const Index nonzeros = count_block(b);
      const Index place = ends.begin_of(b, nonzeros, count_block);
      next = next_block++;
      if (place + nonzeros > room) continue;
      fill(from, {b * block, std::min((b + 1) * block, elements), place, place + nonzeros}, writer,
           offsets, from.values.data() + next * block);
    }
    kernels.fence();
  });
  return ends.end();
}

/// A matrix of room for `room` nonzeros, cut to those that were found; nothing if they are more.
/// Throws `Error(OutOfMemory)`.
template <Element T>
std::optional<Csr<T>> try_fill(Executor& executor, const Dense<T>& from, Index room) {
  auto to = Csr<T>::sized(from.rows, from.cols, room, executor.memory());
  const Index nnz = std::visit(
      [&](auto& offsets) { return fill_all(executor, from, to, offsets.data()); }, to.offsets);
  if (nnz > room) return std::nullopt;
  to.nnz = nnz;
  to.columns.shrink(nnz);
  to.values.shrink(nnz);
  return to;
}

/// 64-bit offsets made for more nonzeros than there are, in 32 bits.
template <Element T>
void narrow_offsets(Csr<T>& csr, const std::shared_ptr<MemorySpace>& memory) {
  const auto* const wide = std::get_if<Array<std::int64_t>>(&csr.offsets);
  if (!wide || !offsets_are_narrow(csr.nnz)) return;
  Array<std::int32_t> narrowed(wide->size(), memory);
  std::ranges::transform(wide->span(), narrowed.data(),
                         [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
  csr.offsets = std::move(narrowed);
}

}  // namespace

template <Element T>
Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Dense<T>>(matrix);
  std::optional<Csr<T>> to;
  try {
    to = try_fill(executor, from, likely_most(from));
  } catch (const Error& error) {
    // What there really is may need less.
    if (error.code() != ErrorCode::OutOfMemory) throw;
  }
  if (!to) to = try_fill(executor, from, count(executor, from));
  narrow_offsets(*to, executor.memory());
  return std::move(*to);
}

template Storage<float> convert_dense_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_dense_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
