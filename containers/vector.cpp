// Coherence of a vector's copies.
#include <algorithm>
#include <bit>
#include <mutex>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/vector.hpp>

namespace switchyard {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t bit(Space space) { return std::uint64_t{1} << space.index(); }

/// Adds one, where a lost count does no harm and an atomic addition would be the dearest part of a
/// small product.
void count(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(relaxed) + 1, relaxed);
}

/// Puts the flag down; whether it was up.
bool take(std::atomic<bool>& flag) {
  if (!flag.load(relaxed)) return false;
  flag.store(false, relaxed);
  return true;
}

}  // namespace

template <Element T>
struct Vector<T>::DeviceCopies {
  std::mutex mutex;
  // By Space::index() - 1. Each keeps its address, since running calls use one copy while another
  // thread adds the next.
  std::vector<std::unique_ptr<Array<T>>> arrays;
};

template <Element T>
typename Vector<T>::DeviceCopies& Vector<T>::device_copies() const {
  DeviceCopies* copies = device_copies_.load(std::memory_order_acquire);
  if (copies) return *copies;
  auto made = with_enough_memory([] { return std::make_unique<DeviceCopies>(); });
  // Another thread may have been first: then its copies stand, and these go.
  if (device_copies_.compare_exchange_strong(copies, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *copies;
}

template <Element T>
Vector<T>::~Vector() {
  delete device_copies_.load(relaxed);
}

template <Element T>
Vector<T>::Vector(Index size, T value) : size_(size), host_(size) {
  std::ranges::fill(host_.span(), value);
}

template <Element T>
Vector<T>::Vector(std::span<const T> values)
    : size_(static_cast<Index>(values.size())), host_(copy_of(values)) {}

template <Element T>
Vector<T>::Vector(std::initializer_list<T> values)
    : Vector(std::span<const T>(values.begin(), values.size())) {}

template <Element T>
Vector<T>::Vector(const Vector& other) : Vector(other.read()) {}

template <Element T>
Vector<T>& Vector<T>::operator=(const Vector& other) {
  if (this != &other) *this = Vector(other);
  return *this;
}

template <Element T>
Vector<T>::Vector(Vector&& other) noexcept {
  *this = std::move(other);
}

template <Element T>
Vector<T>& Vector<T>::operator=(Vector&& other) noexcept {
  if (this == &other) return *this;
  size_ = std::exchange(other.size_, 0);
  host_ = std::exchange(other.host_, {});
  delete device_copies_.exchange(other.device_copies_.exchange(nullptr));
  valid_ = other.valid_.exchange(1);
  const auto move_count = [](auto& to, auto& from) { to = from.exchange({}); };
  move_count(habits_.products_written, other.habits_.products_written);
  move_count(habits_.read_on_host, other.habits_.read_on_host);
  move_count(habits_.products_read, other.habits_.products_read);
  move_count(habits_.fresh_from_host, other.habits_.fresh_from_host);
  move_count(habits_.result_unread, other.habits_.result_unread);
  move_count(habits_.host_wrote, other.habits_.host_wrote);
  return *this;
}

template <Element T>
void Vector<T>::look_at_result() const noexcept {
  if (take(habits_.result_unread)) count(habits_.read_on_host);
}

template <Element T>
std::span<const T> Vector<T>::read() const {
  const auto& array = std::as_const(in(plain_host_memory()));
  look_at_result();
  return array.span();
}

template <Element T>
std::span<T> Vector<T>::write() {
  bring_to_host();
  look_at_result();
  habits_.host_wrote = true;
  keep_only(Space::host());
  return host_.span();
}

template <Element T>
bool Vector<T>::valid_in(Space space) const {
  return size_ == 0 || (valid_.load(std::memory_order_acquire) & bit(space)) != 0;
}

template <Element T>
VectorOutlook Vector<T>::outlook() const {
  return {.valid_mask = valid_.load(relaxed),
          .habits = {.products_written = habits_.products_written.load(relaxed),
                     .read_on_host = habits_.read_on_host.load(relaxed),
                     .products_read = habits_.products_read.load(relaxed),
                     .fresh_from_host = habits_.fresh_from_host.load(relaxed)}};
}

template <Element T>
void Vector<T>::rebind(std::span<const T> values) {
  size_ = static_cast<Index>(values.size());
  if (const DeviceCopies* const copies = device_copies_.load(relaxed)) {
    for (const auto& copy : copies->arrays) {
      if (copy->size() != size_) *copy = {};
    }
  }
  host_ = Array<T>::borrow(values);
  keep_only(Space::host());
  // The habits of the caller's memory are not known.
  for (auto* const counter : {&habits_.products_written, &habits_.read_on_host,
                              &habits_.products_read, &habits_.fresh_from_host}) {
    counter->store(0, relaxed);
  }
  habits_.result_unread.store(false, relaxed);
  habits_.host_wrote.store(false, relaxed);
}

template <Element T>
const Array<T>& Vector<T>::in(const std::shared_ptr<MemorySpace>& memory) const {
  if (memory->space().is_host() && valid_on_host()) return host_;
  const std::lock_guard lock(device_copies().mutex);
  return made_valid(memory);
}

template <Element T>
const Array<T>& Vector<T>::in_for_product(const std::shared_ptr<MemorySpace>& memory) const {
  const Array<T>& array = in(memory);
  count(habits_.products_read);
  if (take(habits_.host_wrote)) count(habits_.fresh_from_host);
  return array;
}

template <Element T>
Array<T>& Vector<T>::target_in(const std::shared_ptr<MemorySpace>& memory, bool keep) {
  return keep ? made_valid(memory) : slot(memory);
}

template <Element T>
void Vector<T>::written_in(Space space) {
  keep_only(space);
  count(habits_.products_written);
  habits_.result_unread.store(true, relaxed);
  habits_.host_wrote.store(false, relaxed);
}

template <Element T>
void Vector<T>::combined_in(Space space) {
  keep_only(space);
  // What the host wrote has travelled already; a product's result is still unread, though changed.
  if (!space.is_host()) habits_.host_wrote.store(false, relaxed);
}

template <Element T>
void Vector<T>::leave(Space space) {
  const auto device = static_cast<std::size_t>(space.index()) - 1;
  DeviceCopies* const copies = device_copies_.load(relaxed);
  if (space.is_host() || !copies || device >= copies->arrays.size()) return;
  if (valid_in(space)) bring_to_host();
  valid_ &= ~bit(space);
  *copies->arrays[device] = {};
}

template <Element T>
void Vector<T>::keep_only(Space space) noexcept {
  // An empty vector is valid everywhere, and has copies nowhere.
  valid_.store(size_ == 0 ? 1 : bit(space), std::memory_order_release);
}

template <Element T>
Array<T>& Vector<T>::slot(const std::shared_ptr<MemorySpace>& memory) const {
  const Space space = memory->space();
  if (space.is_host()) return host_;
  const auto device = static_cast<std::size_t>(space.index()) - 1;
  auto& arrays = device_copies().arrays;
  with_enough_memory([&] {
    while (device >= arrays.size()) arrays.push_back(std::make_unique<Array<T>>());
  });
  Array<T>& array = *arrays[device];
  // A device of another runtime may bear the same number; its memory is not ours.
  if (array.size() != size_ || array.memory() != memory) {
    if (valid_in(space)) bring_to_host();
    valid_ &= ~bit(space);
    array = Array<T>(size_, memory);
  }
  return array;
}

template <Element T>
Array<T>& Vector<T>::made_valid(const std::shared_ptr<MemorySpace>& memory) const {
  if (memory->space().is_host()) {
    bring_to_host();
    return host_;
  }
  Array<T>& array = slot(memory);
  if (valid_in(memory->space())) return array;
  bring_to_host();
  memory->copy_in(array.handle(), 0, host_.handle(), array.bytes());
  valid_ |= bit(memory->space());
  return array;
}

template <Element T>
void Vector<T>::bring_to_host() const {
  if (valid_on_host()) return;
  const int source = std::countr_zero(valid_.load(relaxed));
  const Array<T>& valid = *device_copies().arrays[static_cast<std::size_t>(source) - 1];
  valid.memory()->copy_out(host_.handle(), valid.handle(), 0, valid.bytes());
  valid_ |= 1;
}

template class Vector<float>;
template class Vector<double>;

}  // namespace switchyard
