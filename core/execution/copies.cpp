// Which copies there are, which can go, and which may be written.
#include "execution/copies.hpp"

#include <algorithm>

namespace switchyard {
namespace {

template <class T>
bool is_borrowed(const Array<T>& array) {
  return array.borrowed();
}
bool is_borrowed(const Offsets& offsets) {
  return std::visit([](const auto& array) { return array.borrowed(); }, offsets);
}

/// Whether any array is memory of somebody else. A write changes the values alone, but after it
/// the caller may free all that was lent, which copies share.
template <Element T>
bool borrows(const Storage<T>& storage) {
  return std::visit(
      [](const auto& matrix) {
        return std::apply([](const auto&... array) { return (is_borrowed(array) || ...); },
                          matrix.arrays());
      },
      storage);
}

}  // namespace

template <Element T>
void Copies<T>::keep_only(State state, std::shared_ptr<StoredCopy<T>> copy) {
  copies_.reserve(1);
  copies_.clear();
  copies_.push_back({state, std::move(copy)});
}

template <Element T>
void Copies<T>::reset(State state, Storage<T> storage) {
  keep_only(state, std::make_shared<StoredCopy<T>>(std::move(storage), 0));
}

template <Element T>
void Copies<T>::add(State state, Storage<T> storage, std::uint64_t now) {
  const auto place = std::ranges::lower_bound(copies_, state, {}, &MatrixCopy<T>::state);
  copies_.insert(place, {state, std::make_shared<StoredCopy<T>>(std::move(storage), now)});
}

template <Element T>
std::vector<State> Copies<T>::states() const {
  std::vector<State> states;
  for (const auto& copy : copies_) states.push_back(copy.state);
  return states;
}

template <Element T>
bool Copies<T>::has_outside(Space space) const noexcept {
  return std::ranges::any_of(copies_, [&](const auto& copy) { return copy.state.space != space; });
}

template <Element T>
MatrixCopy<T>* Copies<T>::find(State state) noexcept {
  const auto copy = std::ranges::find(copies_, state, &MatrixCopy<T>::state);
  return copy == copies_.end() ? nullptr : &*copy;
}

template <Element T>
Storage<T>& Copies<T>::keep_for_writing(State state, const std::shared_ptr<MemorySpace>& memory) {
  auto copy = find(state)->copy;
  if (copy->in_use() || borrows(copy->storage)) {
    copy = std::make_shared<StoredCopy<T>>(transferred(copy->storage, memory), 0);
  }
  Storage<T>& storage = copy->storage;
  keep_only(state, std::move(copy));
  return storage;
}

template <Element T>
void Copies<T>::keep_changed(State state) {
  keep_only(state, find(state)->copy);
}

template <Element T>
MatrixCopy<T>* Copies<T>::oldest_spare(Space space) noexcept {
  if (copies_.size() < 2) return nullptr;
  MatrixCopy<T>* oldest = nullptr;
  for (auto& copy : copies_) {
    const bool spare =
        copy.state.space == space && std::ranges::find(needed_, copy.state) == needed_.end();
    if (spare && (!oldest || copy.copy->last_used < oldest->copy->last_used)) oldest = &copy;
  }
  return oldest;
}

template <Element T>
bool Copies<T>::drop(State state) {
  if (copies_.size() < 2) return false;
  return std::erase_if(copies_, [&](const auto& copy) { return copy.state == state; }) > 0;
}

template <Element T>
bool Copies<T>::lose(Space space) {
  std::erase_if(copies_, [&](const auto& copy) { return copy.state.space == space; });
  return !copies_.empty();
}

template class Copies<float>;
template class Copies<double>;

}  // namespace switchyard
