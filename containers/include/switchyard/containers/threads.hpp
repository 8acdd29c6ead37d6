// Threads of the host: how many there are, and one call's work shared among them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <switchyard/containers/numbers.hpp>
#include <vector>

namespace switchyard {

/// How many of the host's threads a kernel variant uses. The best number is measured, not assumed:
/// waking threads takes microseconds.
enum class Threads : std::uint8_t { One, Half, All };

/// Threads beyond so many take no part.
inline constexpr int most_threads = 512;

/// The number of threads that the host runs at once, 1 to `most_threads`: that of OMP_NUM_THREADS
/// or `omp_set_num_threads`; where neither says anything, the processors that the affinity mask
/// and the container's CPU limit (cgroups) leave to this process.
[[nodiscard]] int host_threads() noexcept;

/// The processors of all places that OpenMP binds threads to (OMP_PLACES, OMP_PROC_BIND), in
/// ascending order; empty where it binds none. The calling thread may be bound to one of them. May
/// be called from any thread. Throws std::bad_alloc.
[[nodiscard]] std::vector<int> processors_of_places();

/// How work is cut.
struct Shares {
  int threads = 1;  ///< that take part, the calling one included
  int of = 1;       ///< that may run at once; calls at the same time divide them
  int parts = 1;    ///< that the work is cut into, 1 to `most_threads`
  Index bytes = 0;  ///< that all parts together read or write: what waking threads is weighed by
};

/// One part for each of `threads`. Several where work is long: whoever is early takes more of them.
[[nodiscard]] Shares shares_of(Index bytes, int threads, int of) noexcept;
/// The same for all of so many threads, or for one where the work is not worth more.
[[nodiscard]] Shares shares_of(Index bytes, int threads = host_threads()) noexcept;

/// A part for each thread of the host, whatever it is worth; for one alone unless `many`.
[[nodiscard]] Shares all_threads(bool many) noexcept;

/// Where part `part` of `parts` begins of `size` items that are handed out in multiples of `unit`.
[[nodiscard]] inline Index part_begin(Index size, int part, int parts, Index unit = 1) {
  const Index units = (size + unit - 1) / unit;
  return std::min(units * part / parts * unit, size);
}

/// Calls the work behind `work` with the number of a part.
using PartFunction = void (*)(const void* work, int part);
/// What `share_out` calls, without its type.
struct PartWork {
  PartFunction call = nullptr;  ///< called with `work`
  const void* work = nullptr;   ///< whatever `call` knows it to be
};
/// See `share_out`.
void share_out(const Shares& shares, PartWork work) noexcept;

/// Calls `work(part)` once with each number below `shares.parts`, on as many threads, and returns
/// when all are done. `work` must not throw.
///
/// The calling thread takes part and waits for nobody who has not begun: parts that no other thread
/// has taken when it comes to them it does itself. So on a busy machine, where other threads may
/// not be running, a call takes little longer than it would on one thread. The threads are those
/// of the process; calls at the same time share them, and with as many calls as threads each has
/// one. Which thread does which part is not defined. Where OpenMP binds threads, those that help
/// run on any processor of its places. Allocates only when threads are first needed. Threads: may
/// be called from any, also from within `work`, and after a fork.
template <class Work>
void share_out(const Shares& shares, const Work& work) {
  if (shares.threads > 1 && shares.parts > 1) {
    return share_out(
        shares,
        PartWork{[](const void* it, int part) { (*static_cast<const Work*>(it))(part); }, &work});
  }
  for (int part = 0; part < shares.parts; ++part) work(part);
}

/// What this thread has lost to absent helpers in the last `share_out` with several threads since
/// it was last asked: of the parts that it did itself, the share that others would have done on an
/// idle machine; 0 where they did theirs.
[[nodiscard]] double take_unhelped_share() noexcept;

/// Calls `work(begin, end)` for stretches of `size` items, each a multiple of `unit` long but the
/// last. Otherwise as `share_out`.
template <class Work>
void share_out_items(const Shares& shares, Index size, Index unit, const Work& work) {
  share_out(shares, [&](int part) {
    work(part_begin(size, part, shares.parts, unit),
         part_begin(size, part + 1, shares.parts, unit));
  });
}

/// Calls `work(step)` once with each number below `steps`. The threads take the next step whenever
/// they are done with one, in this order, for steps that take differently long. `many`: false for
/// one thread. Otherwise as `share_out`.
template <class Work>
void share_out_steps(Index steps, bool many, const Work& work) {
  std::atomic<Index> next{0};
  share_out(all_threads(many), [&](int) {
    for (Index step = next++; step < steps; step = next++) work(step);
  });
}

}  // namespace switchyard
