// Budgets, and the host's memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <switchyard/containers/memory_space.hpp>
#include <switchyard/containers/out_of_memory.hpp>

#include "host_blocks.hpp"

namespace switchyard {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t bytes_worth_a_block = std::size_t{4} << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

std::size_t MemorySpace::available() const noexcept {
  const std::size_t held = used_ + own_;
  const std::size_t allowed = budget_;
  return allowed > held ? allowed - held : 0;
}

void* MemorySpace::allocate(std::size_t bytes) try {
  // Charged first, so that two threads cannot both take the last bytes of a budget.
  const std::size_t before = used_.fetch_add(bytes) + own_;
  if (before + bytes < before || before + bytes > budget_) {
    used_ -= bytes;
    throw Error(space_.is_host() ? ErrorCode::OutOfMemory : ErrorCode::DeviceOutOfMemory,
                std::to_string(bytes) + " bytes are more than the budget leaves", name(space_));
  }
  try {
    return do_allocate(bytes);
  } catch (...) {
    used_ -= bytes;
    throw;
  }
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

void MemorySpace::release(void* allocation, std::size_t bytes) noexcept {
  do_release(allocation, bytes);
  used_ -= bytes;
}

void* MemorySpace::shrink(void* allocation, std::size_t from, std::size_t to) {
  void* const shrunk = do_shrink(allocation, from, to);
  used_ -= from - to;
  return shrunk;
}

void HostMemory::trim() noexcept { drop_kept_blocks(); }

void* HostMemory::do_allocate(std::size_t bytes) {
  void* allocation = nullptr;
  if (bytes <= unlimited / 2) {
    allocation = bytes < bytes_worth_a_block
                     ? std::aligned_alloc(cache_line, rounded_up(bytes, cache_line))
                     : take_block(block_size(bytes));
  }
  if (allocation) return allocation;
  throw Error(ErrorCode::OutOfMemory, std::to_string(bytes) + " bytes cannot be had", "host");
}

void HostMemory::do_release(void* allocation, std::size_t bytes) noexcept {
  if (bytes < bytes_worth_a_block) {
    std::free(allocation);
  } else {
    release_block(allocation, block_size(bytes));
  }
}

void* HostMemory::do_shrink(void* allocation, std::size_t from, std::size_t to) {
  const std::size_t block = block_size(from);
  if (from < bytes_worth_a_block) return allocation;
  if (to >= bytes_worth_a_block) {
    shrink_block(allocation, block, block_size(to));
    return allocation;
  }
  // Too little for a block: how an allocation is released is told by its size.
  void* const small = do_allocate(to);
  std::memcpy(small, allocation, to);
  do_release(allocation, from);
  return small;
}

void HostMemory::copy_in(void* allocation, std::size_t offset, const void* source,
                         std::size_t bytes) {
  if (bytes > 0) std::memcpy(static_cast<char*>(allocation) + offset, source, bytes);
}

void HostMemory::copy_out(void* destination, const void* allocation, std::size_t offset,
                          std::size_t bytes) {
  if (bytes > 0) std::memcpy(destination, static_cast<const char*>(allocation) + offset, bytes);
}

const std::shared_ptr<MemorySpace>& plain_host_memory() {
  static const std::shared_ptr<MemorySpace> memory = std::make_shared<HostMemory>();
  return memory;
}

}  // namespace switchyard
