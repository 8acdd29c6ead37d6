// Looking at a matrix, pinning it, bringing and dropping copies, and changing its contents.
#include "execution/matrix_state.hpp"

#include <algorithm>
#include <switchyard/containers/symmetry.hpp>

namespace switchyard {
namespace {

// Looking whether a matrix is symmetric takes as long as several products.
constexpr Index calls_worth_a_check = 16;

}  // namespace

template <Element T>
std::shared_ptr<MatrixState<T>> MatrixState<T>::make(std::shared_ptr<RuntimeState> runtime,
                                                     Storage<T> storage) {
  auto state = std::make_shared<MatrixState>(std::move(runtime));
  state->assign(std::move(storage));
  state->runtime_->enroll(state);
  return state;
}

template <Element T>
MatrixState<T>::MatrixState(std::shared_ptr<RuntimeState> runtime, ClockFunction now)
    : runtime_(std::move(runtime)),
      now_(now),
      records_(runtime_->trace()),
      runner_(*runtime_, contents_, records_, now) {
  static_cast<void>(series_of(Request{}));
}

template <Element T>
MatrixState<T>::~MatrixState() {
  settle();
  runtime_->retire(records_.counters());
}

template <Element T>
CallSeries<T>& MatrixState<T>::series_of(const Request& request) {
  for (const auto& series : series_) {
    if (series->request() == request) return *series;
  }
  auto made = std::make_unique<CallSeries<T>>(request, runtime_->reproducible());
  made->dispatcher().begin(contents_.copies.states());
  series_.push_back(std::move(made));
  if (series_.size() <= first_series_.size())
    first_series_[series_.size() - 1] = series_.back().get();
  return *series_.back();
}

template <Element T>
bool MatrixState<T>::is_symmetric() {
  if (contents_.symmetric) return *contents_.symmetric;
  contents_.symmetric = false;
  for (const Format format : {Format::Csr, Format::Csc, Format::Dense}) {
    const auto* const copy = contents_.copies.find({Space::host(), format});
    if (!copy) continue;
    contents_.symmetric = switchyard::is_symmetric(copy->storage());
    break;
  }
  return *contents_.symmetric;
}

template <Element T>
Request MatrixState<T>::computed_for(const Request& request) {
  const Request plain{Operand::Matrix, request.columns};
  if (request == plain || contents_.symmetric == false) return request;
  const CallSeries<T>& series = series_of(request);
  if (series.pinned) return request;
  const bool worth_asking = series.dispatcher().expected() >= calls_worth_a_check;
  if (!contents_.symmetric && !worth_asking) return request;
  return is_symmetric() ? plain : request;
}

template <Element T>
void MatrixState<T>::settle() noexcept {
  for (const auto& series : series_) series->settle(records_);
}

template <Element T>
void MatrixState<T>::forget_plans() noexcept {
  for (const auto& series : series_) series->forget_plan(records_);
  rows_choice_.reset();
}

template <Element T>
typename MatrixState<T>::Origins MatrixState<T>::origins_in(State state) const {
  return Origins(series_.size(), {state});
}

template <Element T>
void MatrixState<T>::take_stock(State state, Origins origins) {
  take_stock(first_look(contents_.copies.find(state)->storage()), std::move(origins));
}

template <Element T>
void MatrixState<T>::take_stock(const Structure& structure, Origins origins) {
  contents_.structure = structure;
  contents_.symmetric.reset();
  rows_ = contents_.structure.rows;
  cols_ = contents_.structure.cols;
  ++contents_number_;
  row_folds_ = 0;
  forget_plans();
  timer_.forget();  // what is being timed was made with the old contents
  setbacks_.clear();
  records_.begin();
  for (std::size_t i = 0; i < series_.size(); ++i) {
    series_[i]->dispatcher().begin(std::move(origins[i]));
  }
}

template <Element T>
Structure MatrixState<T>::structure() {
  const LookingLock lock(mutex_);
  return contents_.structure;
}

template <Element T>
void MatrixState<T>::expect_calls(const ExpectedCalls& calls) {
  const auto [products, transposed, columns] = calls;
  if (products < 0 || transposed < 0 || (products == 0 && transposed == 0) || columns < 1) {
    throw Error(ErrorCode::InvalidArgument, "expect at least one call");
  }
  const Lock lock(mutex_);
  const auto expect = [&](const Request& request, Index number) {
    CallSeries<T>& series = series_of(request);
    series.forget_plan(records_);
    series.dispatcher().expect_calls(number);
  };
  const Request plain{Operand::Matrix, columns};
  const Request other{Operand::Transpose, columns};
  if (transposed > 0) expect(other, transposed);
  const bool both_are_one = transposed > 0 && computed_for(other) == plain;
  const Index of_plain = both_are_one ? saturating_sum(products, transposed) : products;
  if (of_plain > 0) expect(plain, of_plain);
}

template <Element T>
void MatrixState<T>::pin(std::optional<State> state, const std::optional<Request>& request) {
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
  if (request) {
    series_of(*request).pinned = state;
  } else {
    pinned_ = state;
    for (const auto& series : series_) series->pinned.reset();
  }
  // Whoever asks for a state by name may have made room for what was refused before.
  setbacks_.forget_short_memory();
  forget_plans();
}

template <Element T>
std::optional<State> MatrixState<T>::pinned() {
  const LookingLock lock(mutex_);
  return pinned_;
}

template <Element T>
std::vector<State> MatrixState<T>::states() {
  const LookingLock lock(mutex_);
  return contents_.copies.states();
}

template <Element T>
Plan MatrixState<T>::plan(const Request& request) {
  const LookingLock lock(mutex_);
  settle();
  const CallSeries<T>& series = series_of(computed_for(request));
  return make_plan(series, series.traffic);
}

template <Element T>
std::vector<Step> MatrixState<T>::history() {
  const LookingLock lock(mutex_);
  settle();
  return records_.history();
}

template <Element T>
Counters MatrixState<T>::counters() {
  const LookingLock lock(mutex_);
  settle();
  return records_.counters();
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
  if (!contents_.copies.drop(state)) return false;
  for (const auto& series : series_) series->dispatcher().left(state);
  forget_plans();
  return true;
}

template <Element T>
Storage<T> MatrixState<T>::copy_out(Format format) {
  const Lock lock(mutex_);
  const State state{Space::host(), format};
  go_to(state);
  return transferred(contents_.copies.find(state)->storage(), plain_host_memory());
}

template <Element T>
void MatrixState<T>::bring_to(State state) {
  const Lock lock(mutex_);
  go_to(state);
}

template <Element T>
void MatrixState<T>::rewrite(Format format, FunctionRef<void(Storage<T>&)> change) {
  const Lock lock(mutex_);
  const State state{Space::host(), format};
  go_to(state);
  forget_plans();
  Origins origins = origins_in(state);
  Storage<T>& storage =
      contents_.copies.keep_for_writing(state, runtime_->executor(Space::host())->memory());
  // From here on nothing is allocated but by the caller: what has been written cannot be undone.
  try {
    change(storage);
  } catch (...) {
    take_stock(state, std::move(origins));
    throw;
  }
  take_stock(state, std::move(origins));
}

template <Element T>
void MatrixState<T>::assign(Storage<T> storage) {
  std::visit([](const auto& matrix) { matrix.check(); }, storage);
  const Lock lock(mutex_);
  charge_to(storage, runtime_->executor(Space::host())->memory());
  const State state{Space::host(), format_of(storage)};
  Origins origins = origins_in(state);
  contents_.copies.reset(state, std::move(storage));
  take_stock(state, std::move(origins));
}

template <Element T>
std::optional<std::uint64_t> MatrixState<T>::oldest_spare(Space space) {
  // Where this thread has the lock, it is making room for a move of this very matrix.
  Lock lock(mutex_, std::defer_lock);
  if (!mutex_.held_here() && !lock.try_lock()) return std::nullopt;
  const auto* const copy = contents_.copies.oldest_spare(space);
  if (!copy) return std::nullopt;
  return copy->copy->last_used;
}

template <Element T>
bool MatrixState<T>::drop_oldest_spare(Space space) {
  Lock lock(mutex_, std::defer_lock);
  if (!mutex_.held_here() && !lock.try_lock()) return false;
  const auto* const copy = contents_.copies.oldest_spare(space);
  return copy && drop(copy->state);
}

template class MatrixState<float>;
template class MatrixState<double>;

}  // namespace switchyard
