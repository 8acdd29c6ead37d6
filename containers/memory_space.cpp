// Budgets, and the host's memory.
#include <cstdlib>
#include <cstring>
#include <string>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/memory_space.hpp>

namespace switchyard {
namespace {

constexpr std::size_t cache_line = 64;

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
  do_release(allocation);
  used_ -= bytes;
}

void* HostMemory::do_allocate(std::size_t bytes) {
  if (bytes > unlimited - cache_line) {
    throw Error(ErrorCode::OutOfMemory, std::to_string(bytes) + " bytes cannot be had", "host");
  }
  const std::size_t rounded = (bytes + cache_line - 1) / cache_line * cache_line;
  void* allocation = std::aligned_alloc(cache_line, rounded);
  if (!allocation) {
    throw Error(ErrorCode::OutOfMemory, std::to_string(bytes) + " bytes cannot be had", "host");
  }
  return allocation;
}

void HostMemory::do_release(void* allocation) noexcept { std::free(allocation); }

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
