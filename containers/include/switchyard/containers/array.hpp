// An array of elements in one memory space.
#pragma once

#include <memory>
#include <span>
#include <switchyard/containers/allocation.hpp>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace switchyard {

/// An array of `size()` elements in one memory space. It owns its memory, alone or together with
/// other arrays (see `shared`). Movable, not copyable. Elements are uninitialised at first.
/// Threads: a const Array may be read from any thread.
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
    if (bytes > 0) own(memory_, static_cast<std::size_t>(bytes));
  }

  /// Takes over a vector without copying it.
  explicit Array(std::vector<T>&& values)
      : memory_(plain_host_memory()), size_(static_cast<Index>(values.size())) {
    auto kept =
        with_enough_memory([&] { return std::make_shared<std::vector<T>>(std::move(values)); });
    T* const start = kept->data();
    own(memory_, bytes(), start, std::move(kept));
  }

  /// A view of host memory that somebody else keeps alive for as long as this array lives. The
  /// memory may be read-only: a matrix that is written copies it first.
  [[nodiscard]] static Array borrow(std::span<const T> values) {
    Array view;
    view.size_ = static_cast<Index>(values.size());
    view.allocation_ = const_cast<std::remove_const_t<T>*>(values.data());
    return view;
  }

  /// Another array of the same elements in the same memory, which is freed with the last of them. A
  /// borrowed view stays one. REQUIRES: nobody writes to the elements from now on, through any of
  /// them.
  [[nodiscard]] Array shared() const noexcept {
    Array other;
    other.memory_ = memory_;
    other.owner_ = owner_;
    other.allocation_ = allocation_;
    other.size_ = size_;
    return other;
  }

  /// Takes over the memory. The other is empty afterwards.
  Array(Array&& other) noexcept { swap(other); }
  /// Gives up its own memory and takes over the other's.
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  ~Array() = default;

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

  /// Charges a host array to another host space's budget, for all that share its memory. REQUIRES:
  /// both are host memory, and no other thread does so with an array that shares its memory.
  void charge_to(std::shared_ptr<MemorySpace> memory) {
    if (!memory_) return;
    if (owner_) owner_->charge_to(memory);
    memory_ = std::move(memory);
  }

  /// Keeps the first `size` elements and frees the memory of the others. REQUIRES: size <= size(),
  /// and the array owns its memory alone. Throws what the constructor throws, and nothing is
  /// changed then.
  void shrink(Index size) {
    if (size == size_) return;
    if (size > 0) {
      allocation_ = owner_->shrink(static_cast<std::size_t>(size) * sizeof(T));
    } else {
      owner_.reset();
      allocation_ = nullptr;
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
  /// Makes the memory, of which `arguments` tell.
  template <class... Arguments>
  void own(Arguments&&... arguments) {
    owner_ = with_enough_memory(
        [&] { return std::make_shared<Allocation>(std::forward<Arguments>(arguments)...); });
    allocation_ = owner_->start();
  }

  std::shared_ptr<MemorySpace> memory_;
  std::shared_ptr<Allocation> owner_;  // null if empty or borrowed
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
