// A vector that is wherever it is needed.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <switchyard/containers/array.hpp>
#include <vector>

namespace switchyard {

/// What a program has been doing with a vector, so that the next product can expect the same.
struct VectorHabits {
  std::uint64_t products_written = 0;  ///< times a product wrote it
  std::uint64_t read_on_host = 0;      ///< of those, times the host then looked at the result
  std::uint64_t products_read = 0;     ///< times a product read it
  std::uint64_t fresh_from_host = 0;   ///< of those, times the host had written it before
};

/// Where a vector is valid, and its habits, as of one moment.
struct VectorOutlook {
  std::uint64_t valid_mask = 1;  ///< bit i: valid in the space of index i
  VectorHabits habits;           ///< what the program has done with it
};

/// A vector of `size()` elements, lazily coherent between the host and the devices: a copy is made
/// in a space when somebody reads it there, and dropped from the others when somebody writes it.
///
/// Threads: the const members may be called from any number of threads at once; a writing member
/// needs the vector to itself.
template <Element T>
class Vector {
 public:
  Vector() = default;
  /// `size` times `value`. Throws `Error(OutOfRange)` for a negative size.
  explicit Vector(Index size, T value = T{});
  /// A copy of `values`.
  explicit Vector(std::span<const T> values);
  /// The values listed, in order.
  Vector(std::initializer_list<T> values);
  /// A copy on the host; the habits are not copied. `copy(runtime, x, y)` copies where they are.
  Vector(const Vector& other);
  /// As above; what it held before is freed.
  Vector& operator=(const Vector& other);
  /// Takes over all copies; the other is left empty.
  Vector(Vector&& other) noexcept;
  /// What it held before is freed.
  Vector& operator=(Vector&& other) noexcept;
  ~Vector() = default;

  /// Elements.
  [[nodiscard]] Index size() const noexcept { return size_; }

  /// The elements on the host, brought there if need be. Valid until the vector is next written.
  [[nodiscard]] std::span<const T> read() const;
  /// The elements on the host, to be changed: other copies are dropped.
  [[nodiscard]] std::span<T> write();
  /// Element i, brought to the host if need be.
  [[nodiscard]] T operator[](Index i) const { return read()[static_cast<std::size_t>(i)]; }

  /// Whether a valid copy is in `space`.
  [[nodiscard]] bool valid_in(Space space) const;
  /// Where it is valid and what has been done with it, as of now.
  [[nodiscard]] VectorOutlook outlook() const;

  // What the runtime uses.

  /// Stands for the caller's own memory from now on, which has to outlive its use. Copies in other
  /// spaces lose their contents but keep their memory, if the size is the same.
  void rebind(std::span<const T> values);

  /// A valid copy in `memory`, made there if need be. Throws what `MemorySpace` throws.
  [[nodiscard]] const Array<T>& in(const std::shared_ptr<MemorySpace>& memory) const;
  /// The same for a product that is about to read it (see `VectorHabits`).
  [[nodiscard]] const Array<T>& in_for_product(const std::shared_ptr<MemorySpace>& memory) const;
  /// The array in `memory` that a product is about to write; its old contents are made valid there
  /// first if `keep`. Nothing else changes until `written_in`.
  [[nodiscard]] Array<T>& target_in(const std::shared_ptr<MemorySpace>& memory, bool keep);
  /// The copy in `space` is now the only valid one; a product wrote it.
  void written_in(Space space);
  /// The same after an elementwise operation. These follow the vectors wherever they are, so that
  /// what they write on the host is not fresh from there, and what they read there not looked at.
  void combined_in(Space space);
  /// Forgets the copy in `space`, bringing the contents to the host first if it was the last.
  void leave(Space space);

 private:
  /// The memory of a copy, valid or not. REQUIRES for a device's: mutex_ held, or the vector to
  /// oneself.
  Array<T>& slot(const std::shared_ptr<MemorySpace>& memory) const;
  Array<T>& made_valid(const std::shared_ptr<MemorySpace>& memory) const;
  void bring_to_host() const;
  [[nodiscard]] bool valid_on_host() const noexcept {
    return (valid_.load(std::memory_order_acquire) & 1) != 0;
  }
  /// Makes the copy in `space` the only valid one. REQUIRES: that it is there.
  void keep_only(Space space) noexcept;
  void look_at_result() const noexcept;

  Index size_ = 0;
  mutable std::mutex mutex_;  // held by const members that make or fill a copy
  mutable Array<T> host_;
  // By Space::index() - 1. Each stays where it is, since products go on using one copy while
  // another thread adds the next.
  mutable std::vector<std::unique_ptr<Array<T>>> device_copies_;
  mutable std::atomic<std::uint64_t> valid_{1};  // bit i: the copy in the space of index i
  // Counted without a lock by all who read the vector at once, who may then miss some: hints.
  struct Habits {
    std::atomic<std::uint64_t> products_written{0};
    std::atomic<std::uint64_t> read_on_host{0};
    std::atomic<std::uint64_t> products_read{0};
    std::atomic<std::uint64_t> fresh_from_host{0};
    std::atomic<bool> result_unread{false};  // a product wrote it, the host has not looked since
    std::atomic<bool> host_wrote{false};     // the host wrote it, no product has read it since
  };
  mutable Habits habits_;
};

}  // namespace switchyard
