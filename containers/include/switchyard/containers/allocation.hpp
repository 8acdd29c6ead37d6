// The memory behind arrays.
#pragma once

#include <memory>
#include <switchyard/containers/memory_space.hpp>

namespace switchyard {

/// Memory that one or several arrays own, freed with the last of them. It is charged to one budget,
/// once, however many they are. Threads: may be freed by any thread; the members that change it are
/// called by one at a time.
class Allocation {
 public:
  /// Allocates `bytes` > 0. Throws what `MemorySpace::allocate` throws.
  Allocation(std::shared_ptr<MemorySpace> memory, std::size_t bytes);
  /// Takes over `bytes` of the host's memory that live as long as `owner`.
  Allocation(std::shared_ptr<MemorySpace> memory, std::size_t bytes, void* start,
             std::shared_ptr<void> owner) noexcept;
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  /// What `MemorySpace::allocate` returned, or the address that was taken over.
  [[nodiscard]] void* start() const noexcept { return start_; }
  /// Charges another budget instead. REQUIRES: host memory, both.
  void charge_to(std::shared_ptr<MemorySpace> memory) noexcept;
  /// Keeps the first `bytes` > 0, and returns where they are: they may have moved. Throws what
  /// `MemorySpace::shrink` throws, and nothing is changed then.
  [[nodiscard]] void* shrink(std::size_t bytes);

 private:
  std::shared_ptr<MemorySpace> memory_;
  std::shared_ptr<void> owner_;  // null if the space has allocated it
  void* start_;
  std::size_t bytes_;
};

}  // namespace switchyard
