// An array of elements in one memory space.
#pragma once

#include <memory>
#include <span>
#include <switchyard/containers/memory_space.hpp>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace switchyard {

/// An array of `size()` elements in one memory space. It owns its allocation, or shares the
/// ownership of memory that the caller handed over. Movable, not copyable. Elements are
/// uninitialised at first. Threads: a const Array may be read from any thread.
template <class T>
requires std::is_trivially_copyable_v<T>
class Array {
 public:
  Array() = default;

  /// Allocates `size` elements in `memory`. Throws what `MemorySpace::allocate` throws, and
  /// `Error(OutOfRange)` if the bytes overflow or `size` is negative.
  explicit Array(Index size, std::shared_ptr<MemorySpace> memory = plain_host_memory())
      : memory_(std::move(memory)), size_(size) {
    const Index bytes = checked_product(size, Index{sizeof(T)});
    if (bytes > 0) allocation_ = memory_->allocate(static_cast<std::size_t>(bytes));
  }

  /// Takes over a vector without copying it.
  explicit Array(std::vector<T>&& values) : size_(static_cast<Index>(values.size())) {
    auto kept =
        with_enough_memory([&] { return std::make_shared<std::vector<T>>(std::move(values)); });
    allocation_ = kept->data();
    owner_ = std::move(kept);
    memory_ = plain_host_memory();
    memory_->charge(bytes());
  }

  /// A view of host memory that somebody else keeps alive for as long as this array lives. The
  /// memory may be read-only: a matrix that is written copies it first.
  [[nodiscard]] static Array borrow(std::span<const T> values) {
    Array view;
    view.size_ = static_cast<Index>(values.size());
    view.allocation_ = const_cast<std::remove_const_t<T>*>(values.data());
    return view;
  }

  /// Takes over the allocation. The other is empty afterwards.
  Array(Array&& other) noexcept { swap(other); }
  /// Frees its own allocation and takes over the other's.
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  ~Array() { free(); }

  /// The number of elements.
  [[nodiscard]] Index size() const noexcept { return size_; }
  /// Bytes of all elements.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(size_) * sizeof(T);
  }
  /// The space of the allocation. A borrowed view is on the host.
  [[nodiscard]] Space space() const noexcept { return memory_ ? memory_->space() : Space::host(); }
  /// The space that the bytes are charged to. Null for a borrowed view.
  [[nodiscard]] const std::shared_ptr<MemorySpace>& memory() const noexcept { return memory_; }
  /// Whether this is a view of memory that it does not own (see `borrow`).
  [[nodiscard]] bool borrowed() const noexcept { return !memory_ && allocation_; }
  /// The allocation: an address on the host, else the backend's handle. Null if empty.
  [[nodiscard]] void* handle() const noexcept { return allocation_; }

  /// REQUIRES: space().is_host().
  [[nodiscard]] T* data() noexcept { return static_cast<T*>(allocation_); }
  /// REQUIRES: space().is_host().
  [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(allocation_); }
  /// All elements. REQUIRES: space().is_host().
  [[nodiscard]] std::span<T> span() noexcept { return {data(), static_cast<std::size_t>(size_)}; }
  /// All elements. REQUIRES: space().is_host().
  [[nodiscard]] std::span<const T> span() const noexcept {
    return {data(), static_cast<std::size_t>(size_)};
  }
  /// Element i, unchecked. REQUIRES: space().is_host(), 0 <= i < size().
  [[nodiscard]] T& operator[](Index i) noexcept { return data()[i]; }
  /// Element i, unchecked. REQUIRES: space().is_host(), 0 <= i < size().
  [[nodiscard]] const T& operator[](Index i) const noexcept { return data()[i]; }

  /// Charges a host array to another host space's budget. REQUIRES: both are host memory.
  void charge_to(std::shared_ptr<MemorySpace> memory) {
    if (!memory_) return;
    memory_->discharge(bytes());
    memory_ = std::move(memory);
    memory_->charge(bytes());
  }

  /// Keeps the first `size` elements and frees the memory of the others. REQUIRES: size <= size(),
  /// and the array owns its memory. Throws what the constructor throws, and nothing is changed
  /// then.
  void shrink(Index size) {
    const std::size_t kept = static_cast<std::size_t>(size) * sizeof(T);
    if (size == size_) return;
    if (kept > 0) {
      allocation_ = memory_->shrink(allocation_, bytes(), kept);
    } else {
      memory_->release(std::exchange(allocation_, nullptr), bytes());
    }
    size_ = size;
  }

 private:
  void swap(Array& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(owner_, other.owner_);
    std::swap(allocation_, other.allocation_);
    std::swap(size_, other.size_);
  }
  void free() noexcept {
    if (!memory_ || !allocation_) return;
    if (owner_) {
      memory_->discharge(bytes());
    } else {
      memory_->release(allocation_, bytes());
    }
  }

  std::shared_ptr<MemorySpace> memory_;
  std::shared_ptr<void> owner_;
  void* allocation_ = nullptr;
  Index size_ = 0;
};

/// A host array with a copy of `values`.
template <class T>
[[nodiscard]] Array<T> copy_of(std::span<const T> values) {
  Array<T> copy(static_cast<Index>(values.size()));
  std::uninitialized_copy(values.begin(), values.end(), copy.data());
  return copy;
}

/// A copy of `source` in another space. REQUIRES: one of the two spaces is the host's. Throws what
/// `MemorySpace` throws.
template <class T>
[[nodiscard]] Array<T> transferred(const Array<T>& source,
                                   const std::shared_ptr<MemorySpace>& destination) {
  Array<T> copy(source.size(), destination);
  if (source.size() == 0) return copy;
  if (source.space().is_host()) {
    destination->copy_in(copy.handle(), 0, source.handle(), source.bytes());
  } else {
    source.memory()->copy_out(copy.handle(), source.handle(), 0, source.bytes());
  }
  return copy;
}

}  // namespace switchyard
