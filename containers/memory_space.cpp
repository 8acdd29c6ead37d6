// Budgets, and the host's memory.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/memory_space.hpp>

namespace switchyard {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
// Mapped by ourselves, so that a large array always costs the same: malloc keeps some of what is
// freed and not the rest, which made a conversion three times as slow above 32 MB as below it.
constexpr std::size_t bytes_worth_mapping = 2 * huge_page;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Fresh pages, aligned to huge ones; null where there are none. `bytes` is a multiple of them.
void* map_huge(std::size_t bytes) {
  const std::size_t mapped = bytes + huge_page;
  void* const mapping =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* const first = static_cast<char*>(mapping);
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::size_t before = rounded_up(address, huge_page) - address;
  char* const aligned = first + before;
  if (before > 0) munmap(first, before);
  munmap(aligned + bytes, huge_page - before);
  madvise(aligned, bytes, MADV_HUGEPAGE);
  return aligned;
}

}  // namespace

std::size_t MemorySpace::available() const noexcept {
  const std::size_t held = used_;
  const std::size_t allowed = budget_;
  return allowed > held ? allowed - held : 0;
}

void* MemorySpace::allocate(std::size_t bytes) {
  // Charged first, so that two threads cannot both take the last bytes of a budget.
  const std::size_t before = used_.fetch_add(bytes);
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
}

void MemorySpace::release(void* allocation, std::size_t bytes) noexcept {
  do_release(allocation, bytes);
  used_ -= bytes;
}

void* HostMemory::do_allocate(std::size_t bytes) {
  void* allocation = nullptr;
  if (bytes <= unlimited - 2 * huge_page) {
    allocation = bytes < bytes_worth_mapping
                     ? std::aligned_alloc(cache_line, rounded_up(bytes, cache_line))
                     : map_huge(rounded_up(bytes, huge_page));
  }
  if (allocation) return allocation;
  throw Error(ErrorCode::OutOfMemory, std::to_string(bytes) + " bytes cannot be had", "host");
}

void HostMemory::do_release(void* allocation, std::size_t bytes) noexcept {
  if (bytes < bytes_worth_mapping) {
    std::free(allocation);
  } else {
    munmap(allocation, rounded_up(bytes, huge_page));
  }
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
