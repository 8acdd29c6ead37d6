// A vector with lazily coherent copies on the host and the devices.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <switchyard/containers/array.hpp>
#include <vector>

namespace switchyard {

/// How a program has used a vector. The planner expects the same for later calls.
struct VectorHabits {
  std::uint64_t products_written = 0;  ///< calls that wrote it
  std::uint64_t read_on_host = 0;      ///< of those, how many results the host then read
  std::uint64_t products_read = 0;     ///< calls that read it
  std::uint64_t fresh_from_host = 0;   ///< of those, how often the host had written it before
};

/// Where a vector is valid and how it has been used, at one moment.
struct VectorOutlook {
  std::uint64_t valid_mask = 1;  ///< bit i: valid in the space of index i
  VectorHabits habits;           ///< how the program has used it
};

/// A vector of `size()` elements, lazily coherent between the host and the devices. Reading it in a
/// space makes a copy there. Writing it in a space invalidates the copies in all others.
///
/// Threads: const members may be called from any number of threads at once. A writing member needs
/// exclusive access.
template <Element T>
class Vector {
 public:
  Vector() = default;
  /// `size` elements with `value`. Throws `Error(OutOfRange)` for a negative size.
  explicit Vector(Index size, T value = T{});
  /// A copy of `values`.
  explicit Vector(std::span<const T> values);
  /// The values listed, in order.
  Vector(std::initializer_list<T> values);
  /// A copy on the host, without the usage counts. `copy(runtime, x, y)` copies in place instead,
  /// for example on a device.
  Vector(const Vector& other);
  /// As above. Frees the previous contents.
  Vector& operator=(const Vector& other);
  /// Takes over all copies. The other is empty afterwards.
  Vector(Vector&& other) noexcept;
  /// What it held before is freed.
  Vector& operator=(Vector&& other) noexcept;
  ~Vector();

  /// The number of elements.
  [[nodiscard]] Index size() const noexcept { return size_; }

  /// The elements on the host, transferred there if necessary. The span is valid until the vector
  /// is written again.
  [[nodiscard]] std::span<const T> read() const;
  /// The elements on the host, for writing. Copies in other spaces become invalid.
  [[nodiscard]] std::span<T> write();
  /// Element i. Transfers the vector to the host if necessary.
  [[nodiscard]] T operator[](Index i) const { return read()[static_cast<std::size_t>(i)]; }

  /// Whether `space` holds a valid copy.
  [[nodiscard]] bool valid_in(Space space) const;
  /// Where it is valid and how it has been used, at this moment.
  [[nodiscard]] VectorOutlook outlook() const;

  // The remaining members are for the runtime.

  /// Makes this a view of the caller's memory, which has to outlive its use. Copies in other spaces
  /// become invalid. They keep their memory if the size is the same.
  void rebind(std::span<const T> values);

  /// A valid copy in `memory`, transferred there if necessary. Throws what `MemorySpace` throws.
  [[nodiscard]] const Array<T>& in(const std::shared_ptr<MemorySpace>& memory) const;
  /// The same for a call that is about to read it, which is counted (see `VectorHabits`).
  [[nodiscard]] const Array<T>& in_for_product(const std::shared_ptr<MemorySpace>& memory) const;
  /// The array in `memory` that a call is about to write. With `keep`, its old contents are made
  /// valid there first. Other copies stay valid until `written_in`.
  [[nodiscard]] Array<T>& target_in(const std::shared_ptr<MemorySpace>& memory, bool keep);
  /// Marks the copy in `space` as the only valid one, written by a call.
  void written_in(Space space);
  /// The same after an elementwise operation. It does not count as host access: these operations
  /// run wherever the vectors are.
  void combined_in(Space space);
  /// Drops the copy in `space`. If it is the last valid one, it is transferred to the host first.
  void leave(Space space);

 private:
  /// The copies on devices, and the lock that const members hold while they make or fill one.
  struct DeviceCopies;
  /// Makes them when they are first asked for.
  [[nodiscard]] DeviceCopies& device_copies() const;
  /// The memory of a copy, valid or not. REQUIRES for a device's copy: its lock held, or exclusive
  /// access.
  Array<T>& slot(const std::shared_ptr<MemorySpace>& memory) const;
  Array<T>& made_valid(const std::shared_ptr<MemorySpace>& memory) const;
  void bring_to_host() const;
  [[nodiscard]] bool valid_on_host() const noexcept {
    return (valid_.load(std::memory_order_acquire) & 1) != 0;
  }
  /// Makes the copy in `space` the only valid one. REQUIRES: it exists.
  void keep_only(Space space) noexcept;
  void look_at_result() const noexcept;

  Index size_ = 0;
  mutable Array<T> host_;
  mutable std::atomic<DeviceCopies*> device_copies_{nullptr};  // owned; null before the first one
  mutable std::atomic<std::uint64_t> valid_{1};  // bit i: the copy in the space of index i
  // Counted without a lock by all concurrent readers. Some counts may be lost: they are hints only.
  struct Habits {
    std::atomic<std::uint64_t> products_written{0};
    std::atomic<std::uint64_t> read_on_host{0};
    std::atomic<std::uint64_t> products_read{0};
    std::atomic<std::uint64_t> fresh_from_host{0};
    std::atomic<bool> result_unread{false};  // a call wrote it, the host has not read it since
    std::atomic<bool> host_wrote{false};     // the host wrote it, no call has read it since
  };
  mutable Habits habits_;
};

}  // namespace switchyard
