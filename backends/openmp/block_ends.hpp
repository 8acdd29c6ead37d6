// Where the results of blocks end that several threads work on, for writing one behind another.
#pragma once

#include <atomic>
#include <chrono>
#include <switchyard/containers/numbers.hpp>
#include <vector>

namespace switchyard::openmp {

/// Where each block's nonzeros end. A thread that asks waits only briefly for one that counts: that
/// one may have lost its processor, and what it counts can be counted again.
class BlockEnds {
 public:
  explicit BlockEnds(Index blocks) : known_(static_cast<std::size_t>(blocks)) {}

  /// Where the nonzeros of `block` begin, of which there are `nonzeros`. `count(block)` counts
  /// those of any block. Threads: may be called from several at once, for different blocks.
  template <class Count>
  [[nodiscard]] Index begin_of(Index block, Index nonzeros, const Count& count) {
    known(block).count.store(nonzeros, std::memory_order_relaxed);
    Index before = 0;
    Index end = 0;
    for (Index b = block - 1; b >= 0; --b) {
      end = known(b).end.load(std::memory_order_relaxed);
      if (end != unknown) break;
      before += count_of(b, count);
      end = 0;
    }
    known(block).end.store(end + before + nonzeros, std::memory_order_relaxed);
    return end + before;
  }
  /// Where the last of them ends. REQUIRES: `begin_of` was called for it.
  [[nodiscard]] Index end() const noexcept {
    return known_.empty() ? 0 : known_.back().end.load(std::memory_order_relaxed);
  }

 private:
  static constexpr Index unknown = -1;
  // A thread on its processor counts a block in such a time.
  static constexpr std::chrono::microseconds patience{20};

  /// Only numbers that follow from the matrix: whoever writes them writes the same.
  struct Known {
    std::atomic<Index> count{unknown};
    std::atomic<Index> end{unknown};
  };
  [[nodiscard]] Known& known(Index block) { return known_[static_cast<std::size_t>(block)]; }

  template <class Count>
  [[nodiscard]] Index count_of(Index block, const Count& count) {
    const auto& counted = known(block).count;
    const auto until = std::chrono::steady_clock::now() + patience;
    do {
      const Index nonzeros = counted.load(std::memory_order_relaxed);
      if (nonzeros != unknown) return nonzeros;
    } while (std::chrono::steady_clock::now() < until);
    return count(block);
  }

  std::vector<Known> known_;
};

}  // namespace switchyard::openmp
