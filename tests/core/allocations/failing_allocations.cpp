// The replaced allocation functions. The program's own definitions serve the shared library, its
// libraries' and the standard library's calls as well.
#include "core/allocations/failing_allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace switchyard::testing {
namespace {

constexpr long never = std::numeric_limits<long>::max() / 2;

std::atomic<long> to_go{never};  // allocations before the one that fails
std::atomic<bool> for_ever{false};
std::atomic<long> failed{0};
std::atomic<long> live{0};

bool fails() noexcept {
  const long before = to_go.fetch_sub(1, std::memory_order_relaxed);
  const bool now = before == 0 || (before < 0 && for_ever);
  if (now) ++failed;
  return now;
}

void* allocated(std::size_t alignment, std::size_t bytes) {
  if (fails()) throw std::bad_alloc();
  void* const memory = alignment == 0 ? std::malloc(bytes > 0 ? bytes : 1)
                                      : memalign(alignment, bytes > 0 ? bytes : 1);
  if (!memory) throw std::bad_alloc();
  ++live;
  return memory;
}

void* allocated_or_null(std::size_t alignment, std::size_t bytes) noexcept {
  try {
    return allocated(alignment, bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void released(void* memory) noexcept {
  if (!memory) return;
  --live;
  std::free(memory);
}

}  // namespace

void fail_allocation(long nth, Failing failing) noexcept {
  failed = 0;
  for_ever = failing == Failing::ForEver;
  to_go = nth;
}

long stop_failing() noexcept {
  for_ever = false;
  to_go = never;
  return failed;
}

long live_allocations() noexcept { return live; }

}  // namespace switchyard::testing

using switchyard::testing::allocated;
using switchyard::testing::allocated_or_null;
using switchyard::testing::released;
using Alignment = std::align_val_t;

void* operator new(std::size_t bytes) { return allocated(0, bytes); }
void* operator new[](std::size_t bytes) { return allocated(0, bytes); }
void* operator new(std::size_t bytes, Alignment to) { return allocated(std::size_t(to), bytes); }
void* operator new[](std::size_t bytes, Alignment to) { return allocated(std::size_t(to), bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocated_or_null(0, bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocated_or_null(0, bytes);
}
void operator delete(void* memory) noexcept { released(memory); }
void operator delete[](void* memory) noexcept { released(memory); }
void operator delete(void* memory, std::size_t) noexcept { released(memory); }
void operator delete[](void* memory, std::size_t) noexcept { released(memory); }
void operator delete(void* memory, Alignment) noexcept { released(memory); }
void operator delete[](void* memory, Alignment) noexcept { released(memory); }
void operator delete(void* memory, std::size_t, Alignment) noexcept { released(memory); }
void operator delete[](void* memory, std::size_t, Alignment) noexcept { released(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { released(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { released(memory); }

/// What the host's memory space allocates with.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return switchyard::testing::fails() ? nullptr : memalign(alignment, bytes);
}
