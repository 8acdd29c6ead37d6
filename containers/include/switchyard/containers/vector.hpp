// A vector that is wherever it is needed.
#pragma once

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
  VectorHabits habits;
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
  explicit Vector(Index size, T value = T{});
  explicit Vector(std::span<const T> values);
  Vector(std::initializer_list<T> values);
  Vector(const Vector& other);
  Vector& operator=(const Vector& other);
  Vector(Vector&& other) noexcept;
  Vector& operator=(Vector&& other) noexcept;
  ~Vector() = default;

  [[nodiscard]] Index size() const noexcept { return size_; }

  /// The elements on the host, brought there if need be. Valid until the vector is next written.
  [[nodiscard]] std::span<const T> read() const;
  /// The elements on the host, to be changed: other copies are dropped.
  [[nodiscard]] std::span<T> write();
  /// Element i, brought to the host if need be.
  [[nodiscard]] T operator[](Index i) const { return read()[static_cast<std::size_t>(i)]; }

  /// Whether a valid copy is in `space`.
  [[nodiscard]] bool valid_in(Space space) const;
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
  struct Copy {
    Array<T> array;
    bool valid = false;
  };
  [[nodiscard]] Copy& host_copy() const { return *copies_.front(); }
  /// The copy in `memory`, allocated but not made valid. REQUIRES: mutex_ held.
  Copy& slot(const std::shared_ptr<MemorySpace>& memory) const;
  void make_valid(const std::shared_ptr<MemorySpace>& memory) const;
  void bring_to_host() const;
  /// Makes the copy in `space` the only valid one. REQUIRES: mutex_ held, and that it is there.
  void keep_only(Space space);

  Index size_ = 0;
  mutable std::mutex mutex_;
  // By Space::index(). Each stays where it is, since products go on using one copy while another
  // thread adds the next.
  mutable std::vector<std::unique_ptr<Copy>> copies_;
  mutable VectorHabits habits_;
  mutable bool result_unread_ = false;  // a product wrote it and the host has not looked since
  mutable bool host_wrote_ = false;     // the host wrote it and no product has read it since
};

}  // namespace switchyard
