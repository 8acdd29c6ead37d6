// The little that a container needs to know of the memory it lives in.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <switchyard/containers/state.hpp>

namespace switchyard {

/// Memory that can be allocated from and copied to and from the host. Implemented for the host
/// here and for each device by its backend. All members may be called from any thread.
class MemorySpace {
 public:
  /// The budget that is none.
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  /// For a backend's own class: the name of its space.
  explicit MemorySpace(Space space) : space_(space) {}
  virtual ~MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;

  /// Which space it is.
  [[nodiscard]] Space space() const noexcept { return space_; }

  /// A new allocation of `bytes` > 0, uninitialised: on the host its address, on a device the
  /// backend's handle. Throws `Error` with OutOfMemory or DeviceOutOfMemory when there is no such
  /// memory or the budget does not allow it.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Frees what `allocate` gave for so many bytes.
  void release(void* allocation, std::size_t bytes) noexcept;
  /// Gives back what is beyond the first `to` > 0 of an allocation's `from` bytes, where the space
  /// can, and returns the allocation, which may have moved. Throws as `allocate` does; the
  /// allocation is then as it was.
  [[nodiscard]] void* shrink(void* allocation, std::size_t from, std::size_t to);

  /// Copies `bytes` from host memory into an allocation of this space, at `offset` bytes.
  /// `source` may be reused when the call returns.
  virtual void copy_in(void* allocation, std::size_t offset, const void* source,
                       std::size_t bytes) = 0;
  /// Copies `bytes` out of an allocation of this space to host memory, after everything that was
  /// asked of this space before. Complete when the call returns.
  virtual void copy_out(void* destination, const void* allocation, std::size_t offset,
                        std::size_t bytes) = 0;

  /// Gives back to the system what is free but kept for later allocations.
  virtual void trim() noexcept {}

  /// Bytes that may be held here at once, and that are.
  [[nodiscard]] std::size_t budget() const noexcept { return budget_; }
  /// From now on; what is held already stays, even if it is more.
  void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }
  /// Bytes allocated or charged.
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  /// What the budget still allows; 0 where more than that is held.
  [[nodiscard]] std::size_t available() const noexcept;

  /// Counts bytes against the budget that were allocated elsewhere (a caller's array taken over).
  void charge(std::size_t bytes) noexcept { used_ += bytes; }
  /// Takes back a `charge`.
  void discharge(std::size_t bytes) noexcept { used_ -= bytes; }

 protected:
  /// What `allocate` does beside keeping the budget.
  virtual void* do_allocate(std::size_t bytes) = 0;
  /// What `release` does beside keeping the budget.
  virtual void do_release(void* allocation, std::size_t bytes) noexcept = 0;
  /// What `shrink` does beside keeping the budget.
  virtual void* do_shrink(void* allocation, std::size_t /*from*/, std::size_t /*to*/) {
    return allocation;
  }

 private:
  Space space_;
  std::atomic<std::size_t> budget_{unlimited};
  std::atomic<std::size_t> used_{0};
};

/// The host's memory, aligned to 64 bytes; large allocations in huge pages where the system has
/// them, kept for reuse when released (see host_blocks.hpp). Without state but for its budget, so
/// that an array allocated from one host space can be charged to another.
class HostMemory final : public MemorySpace {
 public:
  HostMemory() : MemorySpace(Space::host()) {}
  /// Gives back what any host space has kept.
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

/// The host memory without a budget that arrays use when none is named, as
/// `std::pmr::new_delete_resource()` is for allocators.
[[nodiscard]] const std::shared_ptr<MemorySpace>& plain_host_memory();

}  // namespace switchyard
