// Counting the heap through the address sanitizer's hooks.
#include "memory_watch.hpp"

#include <algorithm>
#include <atomic>

// Declared in <sanitizer/allocator_interface.h>; absent, and null, without a sanitizer.
extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, std::size_t),
    void (*free_hook)(const volatile void*));
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace switchyard::fuzz {
namespace {

std::atomic<std::ptrdiff_t> held{0};
std::atomic<std::ptrdiff_t> peak{0};

void count_allocation(const volatile void*, std::size_t bytes) {
  const std::ptrdiff_t now = held += static_cast<std::ptrdiff_t>(bytes);
  if (now > peak) peak = now;
}

void count_release(const volatile void* allocation) {
  if (allocation) held -= static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(allocation));
}

bool install() {
  return __sanitizer_install_malloc_and_free_hooks &&
         __sanitizer_install_malloc_and_free_hooks(&count_allocation, &count_release) != 0;
}

}  // namespace

void forget_peak() noexcept {
  [[maybe_unused]] static const bool installed = install();
  held = 0;
  peak = 0;
}

std::size_t peak_bytes() noexcept {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(peak, 0));
}

}  // namespace switchyard::fuzz
