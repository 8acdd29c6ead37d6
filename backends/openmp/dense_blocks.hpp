// Reading a dense matrix once to make a sparse one of it, on the host's threads.
//
// The elements are cut into blocks that fit into a core's cache. Threads take the blocks in order;
// for each they count its nonzeros, look up where the block before it ends (known as soon as that
// is counted, long before it is filled in), and fill in from the cache: the single-pass scan with
// look-back of Merrill and Garland (2016). The arrays are first made as large
// as a sample of the matrix says, with room to spare, and cut to size at the end; where a sample
// was wrong, or that much memory cannot be had, all nonzeros are counted first.
#pragma once

#include <atomic>
#include <optional>

#include "block_ends.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {

/// Bytes of the dense matrix in a block.
inline constexpr Index block_bytes = 256 << 10;
/// Elements looked at before what was found is written.
inline constexpr Index stretch = 1024;

/// A block that is to be filled in.
struct CountedBlock {
  Index index = 0;
  Index next = 0;   ///< the block that this thread takes afterwards
  Index begin = 0;  ///< the place of its first nonzero among all
  Index end = 0;    ///< behind its last
};

/// How many blocks there are, and how many nonzeros have room.
struct BlockPlan {
  Index blocks = 0;
  Index room = 0;
};

/// Calls `count(index)`, which returns the nonzeros of a block, once for each block, and after it
/// `fill(CountedBlock)` on the same thread if the block ends within the room. Where a thread that
/// counts a block is late, another one calls `recount(index)`, which must change nothing. Returns
/// the number of all nonzeros. None of the three may throw.
template <class Count, class Recount, class Fill>
Index scan_blocks(Shares shares, const BlockPlan& plan, const Count& count, const Recount& recount,
                  const Fill& fill) {
  BlockEnds ends(plan.blocks);
  std::atomic<Index> next_block{0};
  shares.parts = shares.threads;  // each takes blocks until there are none
  share_out(shares, [&](int) {
    for (Index b = next_block++, next = b; b < plan.blocks; b = next) {
      const Index nonzeros = count(b);
      const Index place = ends.begin_of(b, nonzeros, recount);
      next = next_block++;
      if (place + nonzeros <= plan.room) fill(CountedBlock{b, next, place, place + nonzeros});
    }
    best_row_kernels<float>().fence();
  });
  return ends.end();
}

/// The nonzeros of a dense matrix.
template <Element T>
Index count_nonzeros(const Executor& executor, const Dense<T>& from) {
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
Index likely_most_nonzeros(const Dense<T>& from) {
  const Structure sampled = sampled_structure_of(from);
  const double most = static_cast<double>(sampled.nnz) + 2 * sampled.nnz_error;
  return std::min(from.values.size(), static_cast<Index>(most) + stretch);
}

/// What `try_fill(room)` returns, a sparse matrix of at most `room` nonzeros or nothing if there
/// are more: with room for what a sample makes likely, or else for what there is.
template <Element T, class TryFill>
auto filled_from(Executor& executor, const Dense<T>& from, const TryFill& try_fill) {
  decltype(try_fill(Index{0})) to;
  try {
    to = try_fill(likely_most_nonzeros(from));
  } catch (const Error& error) {
    // What there really is may need less.
    if (error.code() != ErrorCode::OutOfMemory) throw;
  }
  if (!to) to = try_fill(count_nonzeros(executor, from));
  return std::move(*to);
}

/// 64-bit offsets made for more nonzeros than there are, in 32 bits.
template <class Matrix>
void narrow_offsets(Matrix& matrix, const std::shared_ptr<MemorySpace>& memory) {
  const auto* const wide = std::get_if<Array<std::int64_t>>(&matrix.offsets);
  if (!wide || !offsets_are_narrow(matrix.nnz)) return;
  Array<std::int32_t> narrowed(wide->size(), memory);
  std::transform(wide->span().begin(), wide->span().end(), narrowed.data(),
                 [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
  matrix.offsets = std::move(narrowed);
}

}  // namespace switchyard::openmp
