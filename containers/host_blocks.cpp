// Large blocks of the host's memory: mapping, keeping and giving back.
#include "host_blocks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <new>
#include <unordered_map>

namespace switchyard {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Fresh pages, aligned to huge ones; null where there are none.
void* map_block(std::size_t bytes) {
  const std::size_t mapped = bytes + huge_page;
  void* const mapping =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* const first = static_cast<char*>(mapping);
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(first) % huge_page;
  const std::size_t before = into_page > 0 ? huge_page - into_page : 0;
  char* const aligned = first + before;
  if (before > 0) munmap(first, before);
  munmap(aligned + bytes, huge_page - before);
  madvise(aligned, bytes, MADV_HUGEPAGE);
  return aligned;
}

struct Block {
  void* start;
  std::size_t bytes;
};

/// The blocks that are kept, the longest kept first.
class KeptBlocks {
 public:
  /// One of at least `bytes` and at most twice as many, or null; what is too much is given back.
  void* take(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    const auto end = blocks_.begin() + count_;
    auto best = end;
    for (auto block = blocks_.begin(); block != end; ++block) {
      const bool fits = block->bytes >= bytes && block->bytes / 2 <= bytes;
      if (fits && (best == end || block->bytes < best->bytes)) best = block;
    }
    if (best == end) return nullptr;
    const Block taken = remove(best);
    unmap_beyond(taken, bytes);
    return taken.start;
  }

  void keep(Block block) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto larger = larger_.find(block.start); larger != larger_.end()) {
      block.bytes = larger->second;
      larger_.erase(larger);
    }
    if (block.bytes > most_bytes_) {
      munmap(block.start, block.bytes);
      return;
    }
    while (count_ > 0 && (count_ == most_blocks || bytes_ + block.bytes > most_bytes_)) {
      const Block oldest = remove(blocks_.begin());
      munmap(oldest.start, oldest.bytes);
    }
    // The system may take these pages when it is short of them.
    madvise(block.start, block.bytes, MADV_FREE);
    blocks_[static_cast<std::size_t>(count_++)] = block;
    bytes_ += block.bytes;
  }

  void shrink(Block block, std::size_t to) noexcept {
    if (block.bytes / 2 > to) return unmap_beyond(block, to);
    const std::lock_guard lock(mutex_);
    try {
      larger_.try_emplace(block.start, block.bytes);
    } catch (const std::bad_alloc&) {
      unmap_beyond(block, to);
    }
  }

  void drop() noexcept {
    const std::lock_guard lock(mutex_);
    while (count_ > 0) {
      const Block block = remove(blocks_.begin());
      munmap(block.start, block.bytes);
    }
  }

 private:
  static constexpr int most_blocks = 32;

  Block remove(std::array<Block, most_blocks>::iterator block) noexcept {
    const Block removed = *block;
    std::move(block + 1, blocks_.begin() + count_, block);
    --count_;
    bytes_ -= removed.bytes;
    return removed;
  }

  static void unmap_beyond(Block block, std::size_t bytes) noexcept {
    if (block.bytes > bytes) munmap(static_cast<char*>(block.start) + bytes, block.bytes - bytes);
  }

  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> larger_;  ///< blocks in use that are larger than they say
  std::array<Block, most_blocks> blocks_{};
  int count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t most_bytes_ = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L)) *
                            static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 0L)) / 8;
};

/// Never destroyed: arrays may outlive every static object.
KeptBlocks& kept_blocks() {
  static auto& blocks = *new KeptBlocks;
  return blocks;
}

}  // namespace

std::size_t block_size(std::size_t bytes) noexcept {
  const std::size_t unit = std::max(huge_page, std::bit_floor(bytes) / 8);
  return (bytes + unit - 1) / unit * unit;
}

void* take_block(std::size_t size) noexcept {
  if (void* const kept = kept_blocks().take(size)) return kept;
  if (void* const fresh = map_block(size)) return fresh;
  drop_kept_blocks();
  return map_block(size);
}

void release_block(void* block, std::size_t size) noexcept { kept_blocks().keep({block, size}); }

void shrink_block(void* block, std::size_t from, std::size_t to) noexcept {
  if (from > to) kept_blocks().shrink({block, from}, to);
}

void drop_kept_blocks() noexcept { kept_blocks().drop(); }

}  // namespace switchyard
