// Coherence of a vector's copies.
#include <algorithm>
#include <switchyard/containers/vector.hpp>

namespace switchyard {
namespace {

constexpr std::size_t host = 0;

}  // namespace

template <Element T>
Vector<T>::Vector(Index size, T value) : size_(size) {
  copies_.push_back(std::make_unique<Copy>(Copy{Array<T>(size), true}));
  std::ranges::fill(host_copy().array.span(), value);
}

template <Element T>
Vector<T>::Vector(std::span<const T> values) : size_(static_cast<Index>(values.size())) {
  copies_.push_back(std::make_unique<Copy>(Copy{copy_of(values), true}));
}

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
Vector<T>::Vector(Vector&& other) noexcept
    : size_(std::exchange(other.size_, 0)),
      copies_(std::exchange(other.copies_, {})),
      habits_(std::exchange(other.habits_, {})),
      result_unread_(std::exchange(other.result_unread_, false)),
      host_wrote_(std::exchange(other.host_wrote_, false)) {}

template <Element T>
Vector<T>& Vector<T>::operator=(Vector&& other) noexcept {
  size_ = std::exchange(other.size_, 0);
  copies_ = std::exchange(other.copies_, {});
  habits_ = std::exchange(other.habits_, {});
  result_unread_ = std::exchange(other.result_unread_, false);
  host_wrote_ = std::exchange(other.host_wrote_, false);
  return *this;
}

template <Element T>
std::span<const T> Vector<T>::read() const {
  const std::lock_guard lock(mutex_);
  if (copies_.empty()) return {};
  bring_to_host();
  if (std::exchange(result_unread_, false)) ++habits_.read_on_host;
  return std::as_const(host_copy().array).span();
}

template <Element T>
std::span<T> Vector<T>::write() {
  const std::lock_guard lock(mutex_);
  if (copies_.empty()) return {};
  bring_to_host();
  if (std::exchange(result_unread_, false)) ++habits_.read_on_host;
  host_wrote_ = true;
  keep_only(Space::host());
  return host_copy().array.span();
}

template <Element T>
bool Vector<T>::valid_in(Space space) const {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(space.index());
  return size_ == 0 || (index < copies_.size() && copies_[index]->valid);
}

template <Element T>
VectorOutlook Vector<T>::outlook() const {
  const std::lock_guard lock(mutex_);
  VectorOutlook outlook{0, habits_};
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i]->valid) outlook.valid_mask |= std::uint64_t{1} << i;
  }
  return outlook;
}

template <Element T>
void Vector<T>::rebind(std::span<const T> values) {
  const std::lock_guard lock(mutex_);
  size_ = static_cast<Index>(values.size());
  if (copies_.empty()) copies_.push_back(std::make_unique<Copy>());
  for (const auto& copy : copies_) {
    copy->valid = false;
    if (copy->array.size() != size_) copy->array = {};
  }
  host_copy() = {Array<T>::borrow(values), true};
  habits_ = {};
  result_unread_ = false;
  host_wrote_ = false;
}

template <Element T>
const Array<T>& Vector<T>::in(const std::shared_ptr<MemorySpace>& memory) const {
  const std::lock_guard lock(mutex_);
  make_valid(memory);
  return slot(memory).array;
}

template <Element T>
const Array<T>& Vector<T>::in_for_product(const std::shared_ptr<MemorySpace>& memory) const {
  const std::lock_guard lock(mutex_);
  make_valid(memory);
  ++habits_.products_read;
  if (std::exchange(host_wrote_, false)) ++habits_.fresh_from_host;
  return slot(memory).array;
}

template <Element T>
Array<T>& Vector<T>::target_in(const std::shared_ptr<MemorySpace>& memory, bool keep) {
  const std::lock_guard lock(mutex_);
  if (keep) make_valid(memory);
  return slot(memory).array;
}

template <Element T>
void Vector<T>::written_in(Space space) {
  const std::lock_guard lock(mutex_);
  keep_only(space);
  ++habits_.products_written;
  result_unread_ = true;
  host_wrote_ = false;
}

template <Element T>
void Vector<T>::combined_in(Space space) {
  const std::lock_guard lock(mutex_);
  keep_only(space);
  // What the host wrote has travelled already; a product's result is still unread, though changed.
  if (!space.is_host()) host_wrote_ = false;
}

template <Element T>
void Vector<T>::leave(Space space) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(space.index());
  if (space.is_host() || index >= copies_.size()) return;
  if (copies_[index]->valid) bring_to_host();
  *copies_[index] = {};
}

template <Element T>
void Vector<T>::keep_only(Space space) {
  for (const auto& copy : copies_) copy->valid = false;
  copies_[static_cast<std::size_t>(space.index())]->valid = true;
}

template <Element T>
typename Vector<T>::Copy& Vector<T>::slot(const std::shared_ptr<MemorySpace>& memory) const {
  const auto index = static_cast<std::size_t>(memory->space().index());
  while (index >= copies_.size()) copies_.push_back(std::make_unique<Copy>());
  Copy& copy = *copies_[index];
  // A device of another runtime may bear the same number; its memory is not ours.
  const bool ours = index == host || copy.array.memory() == memory;
  if (copy.array.size() != size_ || !ours) {
    if (copy.valid) bring_to_host();
    copy = {Array<T>(size_, memory), size_ == 0};
  }
  return copy;
}

template <Element T>
void Vector<T>::make_valid(const std::shared_ptr<MemorySpace>& memory) const {
  if (memory->space().is_host()) return bring_to_host();
  if (Copy& copy = slot(memory); copy.valid) return;
  bring_to_host();
  Copy& copy = slot(memory);
  memory->copy_in(copy.array.handle(), 0, host_copy().array.handle(), copy.array.bytes());
  copy.valid = true;
}

template <Element T>
void Vector<T>::bring_to_host() const {
  if (copies_.empty() || host_copy().valid) return;
  Copy& copy = slot(plain_host_memory());
  const auto source = std::ranges::find_if(copies_, [](const auto& held) { return held->valid; });
  if (source == copies_.end()) return;  // an empty vector has nothing to bring
  const Array<T>& valid = (*source)->array;
  valid.memory()->copy_out(copy.array.handle(), valid.handle(), 0, valid.bytes());
  host_copy().valid = true;
}

template class Vector<float>;
template class Vector<double>;

}  // namespace switchyard
