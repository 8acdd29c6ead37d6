// Which copies there are, and which can go.
#include "copy_set.hpp"

#include <algorithm>

namespace switchyard {

template <Element T>
void CopySet<T>::reset(State state, std::shared_ptr<Storage<T>> storage) {
  copies_.reserve(1);
  copies_.clear();
  copies_.push_back({state, std::move(storage), 0});
}

template <Element T>
void CopySet<T>::add(State state, Storage<T> storage, std::uint64_t now) {
  const auto place = std::ranges::lower_bound(copies_, state, {}, &MatrixCopy<T>::state);
  copies_.insert(place, {state, std::make_shared<Storage<T>>(std::move(storage)), now});
}

template <Element T>
std::vector<State> CopySet<T>::states() const {
  std::vector<State> states;
  for (const auto& copy : copies_) states.push_back(copy.state);
  return states;
}

template <Element T>
MatrixCopy<T>* CopySet<T>::find(State state) {
  const auto copy = std::ranges::find(copies_, state, &MatrixCopy<T>::state);
  return copy == copies_.end() ? nullptr : &*copy;
}

template <Element T>
MatrixCopy<T>* CopySet<T>::oldest_spare(Space space, const std::vector<State>& needed) {
  if (copies_.size() < 2) return nullptr;
  MatrixCopy<T>* oldest = nullptr;
  for (auto& copy : copies_) {
    const bool spare =
        copy.state.space == space && std::ranges::find(needed, copy.state) == needed.end();
    if (spare && (!oldest || copy.last_used < oldest->last_used)) oldest = &copy;
  }
  return oldest;
}

template <Element T>
bool CopySet<T>::drop(State state) {
  if (copies_.size() < 2) return false;
  return std::erase_if(copies_, [&](const auto& copy) { return copy.state == state; }) > 0;
}

template <Element T>
bool CopySet<T>::lose(Space space) {
  std::erase_if(copies_, [&](const auto& copy) { return copy.state.space == space; });
  return !copies_.empty();
}

template class CopySet<float>;
template class CopySet<double>;

}  // namespace switchyard
