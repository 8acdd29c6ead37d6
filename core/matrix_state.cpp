// What is known of a matrix, and keeping it so.
#include "matrix_state.hpp"

#include <algorithm>

namespace switchyard {

template <Element T>
std::shared_ptr<MatrixState<T>> MatrixState<T>::make(std::shared_ptr<RuntimeState> runtime,
                                                     Storage<T> storage) {
  auto state = std::make_shared<MatrixState>(std::move(runtime));
  state->assign(std::move(storage));
  state->runtime_->enroll(state);
  return state;
}

template <Element T>
void MatrixState<T>::adopt(Storage<T> storage) {
  charge_to(storage, runtime_->executor(Space::host())->memory());
  const State state{Space::host(), format_of(storage)};
  std::vector<State> valid{state};
  copies_.reset(state, std::make_shared<Storage<T>>(std::move(storage)));
  take_stock(std::move(valid));
}

template <Element T>
void MatrixState<T>::take_stock(std::vector<State> valid) {
  const Storage<T>& storage = *copies_.find(valid.front())->storage;
  structure_ = first_look(storage);
  rows_ = structure_.rows;
  cols_ = structure_.cols;
  ++content_version_;
  refused_.clear();
  room_made_.clear();
  last_failure_.reset();
  dispatcher_.begin(std::move(valid));
  history_.clear();
  decision_ = {};
}

template <Element T>
Structure MatrixState<T>::structure() const {
  const LookingLock lock(mutex_);
  return structure_;
}

template <Element T>
void MatrixState<T>::expect_calls(Index calls) {
  if (calls < 1) throw Error(ErrorCode::InvalidArgument, "expect at least one call");
  const Lock lock(mutex_);
  dispatcher_.expect_calls(calls);
  decision_ = {};
}

template <Element T>
void MatrixState<T>::pin(std::optional<State> state) {
  if (state) {
    const Executor* const executor = runtime_->executor(state->space);
    if (!executor) {
      throw Error(ErrorCode::DeviceUnavailable, "there is no such device", name(*state));
    }
    if (!executor->supports(precision_of<T>)) {
      throw Error(ErrorCode::Unsupported, "the device has no double precision", name(*state));
    }
  }
  const Lock lock(mutex_);
  pinned_ = state;
  ++content_version_;
}

template <Element T>
std::optional<State> MatrixState<T>::pinned() const {
  const LookingLock lock(mutex_);
  return pinned_;
}

template <Element T>
std::vector<State> MatrixState<T>::states() const {
  const LookingLock lock(mutex_);
  return copies_.states();
}

template <Element T>
Plan MatrixState<T>::plan() const {
  const LookingLock lock(mutex_);
  return make_plan(last_traffic_);
}

template <Element T>
std::vector<Step> MatrixState<T>::history() const {
  const LookingLock lock(mutex_);
  return history_.steps();
}

template <Element T>
void MatrixState<T>::measure_products(bool measure) {
  const Lock lock(mutex_);
  measure_ = measure;
}

template <Element T>
bool MatrixState<T>::evict(State state) {
  const Lock lock(mutex_);
  return drop(state);
}

template <Element T>
bool MatrixState<T>::drop(State state) {
  if (!copies_.drop(state)) return false;
  dispatcher_.left(state);
  ++content_version_;
  decision_ = {};
  return true;
}

template <Element T>
Storage<T> MatrixState<T>::copy_out(Format format) {
  const Lock lock(mutex_);
  const State state{Space::host(), format};
  go_to(state);
  return transferred(*copies_.find(state)->storage, plain_host_memory());
}

template <Element T>
void MatrixState<T>::bring_to(State state) {
  const Lock lock(mutex_);
  go_to(state);
}

template <Element T>
void MatrixState<T>::rewrite(Format format, const std::function<void(Storage<T>&)>& change) {
  const Lock lock(mutex_);
  const State state{Space::host(), format};
  go_to(state);
  decision_ = {};
  auto storage = copies_.find(state)->storage;
  // A product may still be running on this very copy; it keeps the old contents. Borrowed memory
  // may be read-only, and is not the matrix's to change.
  constexpr long held_here = 2;
  const bool borrowed = std::visit([](const auto& m) { return m.values.borrowed(); }, *storage);
  if (borrowed || storage.use_count() > held_here) {
    storage = std::make_shared<Storage<T>>(
        transferred(*storage, runtime_->executor(Space::host())->memory()));
  }
  // From here on nothing is allocated but by the caller: what has been written cannot be undone.
  std::vector<State> valid{state};
  copies_.reset(state, storage);
  try {
    change(*storage);
  } catch (...) {
    take_stock(std::move(valid));
    throw;
  }
  take_stock(std::move(valid));
}

template <Element T>
void MatrixState<T>::assign(Storage<T> storage) {
  std::visit([](const auto& matrix) { matrix.check(); }, storage);
  const Lock lock(mutex_);
  adopt(std::move(storage));
}

template <Element T>
std::optional<std::uint64_t> MatrixState<T>::oldest_spare(Space space) {
  // Where this thread has the lock, it is making room for a move of this very matrix.
  Lock lock(mutex_, std::defer_lock);
  if (!mutex_.held_here() && !lock.try_lock()) return std::nullopt;
  const auto* const copy = copies_.oldest_spare(space, needed_);
  if (!copy) return std::nullopt;
  return copy->last_used;
}

template <Element T>
bool MatrixState<T>::drop_oldest_spare(Space space) {
  Lock lock(mutex_, std::defer_lock);
  if (!mutex_.held_here() && !lock.try_lock()) return false;
  const auto* const copy = copies_.oldest_spare(space, needed_);
  return copy && drop(copy->state);
}

template class MatrixState<float>;
template class MatrixState<double>;

}  // namespace switchyard
