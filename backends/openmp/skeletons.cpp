// Skeletons on the host's threads, the same bits for any number of them.
#include "skeletons.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fold_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Elements that are computed at once and then folded: they stay in the nearest cache.
constexpr Index block = 1024;
/// A fold is cut into so many parts at most, and none shorter than `least_part`: by its size alone,
/// never by the number of threads.
constexpr Index most_parts = 512;
constexpr Index least_part = 8192;

/// Elements of one step of a scan.
constexpr Index scan_block = 4096;
/// Steps that are taken together: what they read must still be in a cache when they read it again.
constexpr Index most_scan_blocks = 128;

/// The arrays of the operands, as the user's function takes them.
template <Element T>
struct Addresses {
  std::array<const T*, most_operands> first{};
  explicit Addresses(const SkeletonOperands<T>& operands) {
    std::ranges::transform(operands.arrays, first.begin(),
                           [](const Array<T>* array) { return array->data(); });
  }
  [[nodiscard]] ElementBlock<T> block_of(const SkeletonOperands<T>& operands, Index begin,
                                         Index end) const {
    return {first.data(), begin, end, operands.size, operands.columns, operands.edge};
  }
};

/// The compiled loops of an operation that is known. Null for others.
template <Element T>
[[nodiscard]] const FoldKernel<T>* kernel_of(KnownFold known) {
  const FoldKernels<T>& kernels = best_fold_kernels<T>();
  switch (known) {
    case KnownFold::Plus:
      return &kernels.plus;
    case KnownFold::Times:
      return &kernels.times;
    case KnownFold::Min:
      return &kernels.min;
    case KnownFold::Max:
      return &kernels.max;
    case KnownFold::None:
      break;
  }
  return nullptr;
}

/// The loops of any operation on a stretch of elements: the compiled ones, or the user's.
template <Element T>
class FoldLoops {
 public:
  explicit FoldLoops(const UserFold<T>& fold) : fold_(fold), kernel_(kernel_of<T>(fold.known)) {}

  [[nodiscard]] double fold(const T* values, Index n) const {
    return kernel_ ? kernel_->fold(values, n) : fold_.fold(fold_.object, values, n);
  }
  /// See `UserFold::fold_runs`. A compiled loop takes all numbers for the first run.
  [[nodiscard]] RunFolds fold_runs(const T* values, Index n) const {
    if (!kernel_) return fold_.fold_runs(fold_.object, values, n);
    RunFolds folds;
    folds.fill(fold_.identity);
    folds.front() = kernel_->fold(values, n);
    return folds;
  }
  /// See `UserFold::scan`.
  void scan(const RunFolds& before, const T* values, Index n, T* out, bool past_caches) const {
    if (!kernel_) return fold_.scan(fold_.object, before, values, n, out);
    const bool begins_line = reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
    const auto run = past_caches && begins_line ? kernel_->scan_past_caches : kernel_->scan;
    run(before.front(), values, n, out);
  }

 private:
  const UserFold<T>& fold_;
  const FoldKernel<T>* kernel_;
};

template <Element T>
[[nodiscard]] Index bytes_of(Index elements, std::size_t arrays) {
  return elements * static_cast<Index>(arrays * sizeof(T));
}

}  // namespace

template <Element T>
void map(Executor& executor, const SkeletonOperands<T>& operands, Array<T>& out) {
  const Addresses<T> addresses(operands);
  const UserFunction<T>& function = operands.function;
  const Index bytes = bytes_of<T>(operands.size, operands.arrays.size() + 1);
  share_out_items(shares_of_work(executor, bytes), operands.size, 64 / Index{sizeof(T)},
                  [&](Index begin, Index end) {
                    function.map(function.object, addresses.block_of(operands, begin, end),
                                 out.data() + begin);
                  });
}

template <Element T>
double reduce(Executor& executor, const SkeletonOperands<T>& operands, const UserFold<T>& fold,
              const RecordedFunction* /*recorded_fold*/) {
  const Addresses<T> addresses(operands);
  const UserFunction<T>& function = operands.function;
  const FoldLoops<T> loops(fold);
  const auto fold_part = [&](Index begin, Index end) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
    std::array<T, block> values;
    double result = fold.identity;
    for (; begin < end; begin += block) {
      const Index stop = std::min(begin + block, end);
      const T* folded = addresses.first.front() + begin;
      if (!function.same) {
        function.map(function.object, addresses.block_of(operands, begin, stop), values.data());
        folded = values.data();
      }
      result = fold.combine(fold.object, result, loops.fold(folded, stop - begin));
    }
    return result;
  };
  const Index share = std::max(
      least_part, ((operands.size + most_parts - 1) / most_parts + block - 1) / block * block);
  const Index parts = (operands.size + share - 1) / share;
  if (parts <= 1) return fold_part(0, operands.size);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<double, most_parts> results;
  const Index bytes = bytes_of<T>(operands.size, operands.arrays.size());
  share_out_items(shares_of_work(executor, bytes), parts, 1, [&](Index first, Index end) {
    for (Index part = first; part < end; ++part) {
      results[static_cast<std::size_t>(part)] =
          fold_part(part * share, std::min((part + 1) * share, operands.size));
    }
  });
  double result = fold.identity;
  for (Index part = 0; part < parts; ++part) {
    result = fold.combine(fold.object, result, results[static_cast<std::size_t>(part)]);
  }
  return result;
}

template <Element T>
void scan(Executor& executor, const UserFold<T>& fold, const RecordedFunction* /*recorded_fold*/,
          const Array<T>& in, Array<T>& out) {
  const Index blocks = (in.size() + scan_block - 1) / scan_block;
  const FoldLoops<T> loops(fold);
  const bool past_caches = exceeds_caches(executor, out.bytes());
  // Of each block the fold of each run, then what comes before each run.
  using Stretch = std::array<RunFolds, most_scan_blocks>;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Stretch, 2> before;
  double carried = fold.identity;
  const auto fold_block = [&](RunFolds& runs, Index place) {
    const Index begin = place * scan_block;
    runs = loops.fold_runs(in.data() + begin, std::min(scan_block, in.size() - begin));
  };
  const auto scan_block_after = [&](const RunFolds& starts, Index place) {
    const Index begin = place * scan_block;
    loops.scan(starts, in.data() + begin, std::min(scan_block, in.size() - begin),
               out.data() + begin, past_caches);
  };
  // One stretch of blocks is folded while the one before it is scanned: threads meet once for each,
  // and memory is read while it is written.
  for (Index first = 0; first < blocks + most_scan_blocks; first += most_scan_blocks) {
    Stretch& folded = before[static_cast<std::size_t>(first / most_scan_blocks % 2)];
    const Stretch& known = before[static_cast<std::size_t>((first / most_scan_blocks + 1) % 2)];
    const Index count = std::min(most_scan_blocks, blocks - first);
    const Index known_from = first - most_scan_blocks;
    const Index items = first > 0 ? std::min(most_scan_blocks, blocks - known_from) : count;
    share_out_items(shares_of_work(executor, bytes_of<T>(items * scan_block, 3)), items, 1,
                    [&](Index begin, Index end) {
                      for (Index i = begin; i < end; ++i) {
                        const auto at = static_cast<std::size_t>(i);
                        if (first > 0) scan_block_after(known[at], known_from + i);
                        if (i < count) fold_block(folded[at], first + i);
                      }
                    });
    for (Index i = 0; i < count; ++i) {
      for (double& run : folded[static_cast<std::size_t>(i)]) {
        run = std::exchange(carried, fold.combine(fold.object, carried, run));
      }
    }
  }
}

template void map(Executor&, const SkeletonOperands<float>&, Array<float>&);
template void map(Executor&, const SkeletonOperands<double>&, Array<double>&);
template double reduce(Executor&, const SkeletonOperands<float>&, const UserFold<float>&,
                       const RecordedFunction*);
template double reduce(Executor&, const SkeletonOperands<double>&, const UserFold<double>&,
                       const RecordedFunction*);
template void scan(Executor&, const UserFold<float>&, const RecordedFunction*, const Array<float>&,
                   Array<float>&);
template void scan(Executor&, const UserFold<double>&, const RecordedFunction*,
                   const Array<double>&, Array<double>&);

}  // namespace switchyard::openmp
