// The interface to a memory space: allocate, free, copy, and a budget.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <switchyard/containers/state.hpp>

namespace switchyard {

/// A memory that arrays are allocated in, with copies to and from the host and a budget.
/// Implemented here for the host, and by each backend for its devices. Threads: all members may be
/// called from any thread.
class MemorySpace {
 public:
  /// The budget without a limit.
  static constexpr std::size_t unlimited = SIZE_MAX;

  /// For derived classes. `space` is the space that they implement.
  explicit MemorySpace(Space space) : space_(space) {}
  virtual ~MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;

  /// The space that this memory implements.
  [[nodiscard]] Space space() const noexcept { return space_; }

  /// Allocates `bytes` > 0, uninitialised. Returns an address on the host, the backend's handle on
  /// a device. Throws `Error` with OutOfMemory or DeviceOutOfMemory if memory is short or the
  /// budget does not allow it.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Frees an allocation of `allocate`. REQUIRES: the same `bytes`.
  void release(void* allocation, std::size_t bytes) noexcept;
  /// Reduces an allocation of `from` bytes to its first `to` > 0 bytes, where the space can.
  /// Returns the allocation, which may have moved. Throws what `allocate` throws, and the
  /// allocation is then unchanged.
  [[nodiscard]] void* shrink(void* allocation, std::size_t from, std::size_t to);

  /// Copies `bytes` from host memory into an allocation of this space, at `offset` bytes.
  /// `source` may be changed when the call returns.
  virtual void copy_in(void* allocation, std::size_t offset, const void* source,
                       std::size_t bytes) = 0;
  /// Copies `bytes` from an allocation of this space to host memory, after all operations enqueued
  /// in this space before. The copy is complete when the call returns.
  virtual void copy_out(void* destination, const void* allocation, std::size_t offset,
                        std::size_t bytes) = 0;

  /// Returns memory to the system that is free but kept for later allocations.
  virtual void trim() noexcept {}

  /// The most bytes that may be held here at once.
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  /// Sets the budget for later allocations. Existing ones stay, even if they exceed it.
  void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }
  /// Bytes allocated or charged.
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  /// Bytes that the executor of this space keeps for its own work during its life (scratch, staging
  /// buffers). They are not part of `used`, but count against the budget.
  [[nodiscard]] std::size_t own() const noexcept { return own_; }
  /// Bytes that the budget still allows. 0 if it is exceeded.
  [[nodiscard]] std::size_t available() const noexcept;

  /// Counts bytes that were allocated elsewhere against the budget (a caller's array taken over).
  void charge(std::size_t bytes) noexcept { used_ += bytes; }
  /// Takes back a `charge`.
  void discharge(std::size_t bytes) noexcept { used_ -= bytes; }
  /// For the executor: counts bytes as its own.
  void charge_own(std::size_t bytes) noexcept { own_ += bytes; }
  /// Takes back a `charge_own`.
  void discharge_own(std::size_t bytes) noexcept { own_ -= bytes; }

 protected:
  /// Implements `allocate` without the budget.
  virtual void* do_allocate(std::size_t bytes) = 0;
  /// Implements `release` without the budget.
  virtual void do_release(void* allocation, std::size_t bytes) noexcept = 0;
  /// Implements `shrink` without the budget.
  virtual void* do_shrink(void* allocation, std::size_t /*from*/, std::size_t /*to*/) {
    return allocation;
  }

 private:
  Space space_;
  std::atomic<std::size_t> budget_{unlimited};
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> own_{0};
};

/// The host's memory. Allocations are aligned to 64 bytes. Large ones use huge pages if the system
/// has them, and are kept for reuse when released. The budget is the only state, so an array
/// allocated from one host space can be charged to another.
class HostMemory final : public MemorySpace {
 public:
  HostMemory() : MemorySpace(Space::host()) {}
  /// Returns to the system what any host space has kept.
  void trim() noexcept override;
  void copy_in(void* allocation, std::size_t offset, const void* source,
               std::size_t bytes) override;
  void copy_out(void* destination, const void* allocation, std::size_t offset,
                std::size_t bytes) override;

 protected:
  void* do_allocate(std::size_t bytes) override;
  void do_release(void* allocation, std::size_t bytes) noexcept override;
  void* do_shrink(void* allocation, std::size_t from, std::size_t to) override;
};

/// The default host memory, without a budget, as `std::pmr::new_delete_resource()` is for
/// allocators.
[[nodiscard]] const std::shared_ptr<MemorySpace>& plain_host_memory();

}  // namespace switchyard
