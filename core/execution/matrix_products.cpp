// One call: deciding where, computing, and recording it once it is done.
#include <algorithm>
#include <bit>
#include <limits>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/out_of_memory.hpp>

#include "execution/matrix_state.hpp"
#include "execution/vector_work.hpp"

namespace switchyard {
namespace {

// A thread loses its processor for milliseconds, and seldom within a shorter call than this, which
// is ten times what the two readings take.
constexpr double least_timed_by_processor = 4e-6;

/// Computes as was decided, and notes the times that are asked for. Throws what the vectors' memory
/// and the kernel throw.
template <Element T>
void run(Call<T>& call, const Product<T>& product, ClockFunction now) {
  const bool recorded = call.timing.by_clock;
  const bool timed = recorded || call.timing.summed;
  Executor& executor = *call.planned->executor;
  const auto& memory = executor.memory();
  const auto start = recorded ? now() : Clock::time_point{};
  const bool x_is_there = recorded && product.x->valid_in(executor.space());
  const Array<T>& x = product.x->in_for_product(memory);
  Array<T>& y = product.y->target_in(memory, product.beta != T{0});
  const auto vectors_there = timed && !x_is_there ? now() : start;
  const double processor_start = call.timing.by_processor ? processor_seconds() : 0;
  if (recorded) static_cast<void>(take_unhelped_share());
  if (call.timing.stopwatch) call.timing.stopwatch->start();
  call.planned->operation->run({executor, call.planned->copy->storage, product.alpha, x,
                                product.beta, y, Threads::All, product.request.columns});
  if (call.timing.stopwatch) call.timing.stopwatch->stop();
  if (call.timing.awaited) executor.finish();
  const double processor = call.timing.by_processor ? processor_seconds() - processor_start : 0;
  const auto end = timed ? now() : Clock::time_point{};
  product.y->written_in(executor.space());
  if (!timed) return;
  const double kernel = seconds_between(vectors_there, end);
  call.times.kernel = kernel;
  if (!recorded) return;
  const double computed = call.timing.by_processor ? std::min(processor, kernel) : kernel;
  call.times = {.whole = seconds_between(start, end),
                .kernel = kernel,
                .waited = kernel - computed,
                .unhelped = computed * take_unhelped_share(),
                .start = start};
}

/// Whether an operand is valid on another device only. A failure to bring it from there says
/// nothing about `space`, and no other state could do without it.
template <Element T>
bool needs_what_is_elsewhere(const Product<T>& product, Space space) {
  return is_elsewhere(*product.x, space) ||
         (product.beta != T{0} && is_elsewhere(*product.y, space));
}

/// With so many columns x or y has more elements than there can be.
bool has_too_many_columns(const Request& request, const Structure& structure) {
  const Index longest = std::max({structure.rows, structure.cols, Index{1}});
  return request.columns > std::numeric_limits<Index>::max() / longest;
}

template <Element T>
void check_product(const Product<T>& product, const Structure& structure) {
  if (has_too_many_columns(product.request, structure)) {
    throw Error(ErrorCode::DimensionMismatch, "x and y have too many columns");
  }
  if (product.x == product.y) {
    throw Error(ErrorCode::InvalidArgument, "x and y are the same vector");
  }
  const auto check = [](const char* what, Index size, Index needed) {
    if (size == needed) return;
    throw Error(ErrorCode::DimensionMismatch, std::string(what) + " has " + std::to_string(size) +
                                                  " elements, the matrix needs " +
                                                  std::to_string(needed));
  };
  check("x", product.x->size(), x_size(product.request, structure.rows, structure.cols));
  check("y", product.y->size(), y_size(product.request, structure.rows, structure.cols));
}

template <Element T>
bool overlap(std::span<const T> x, std::span<T> y) {
  const std::less<const T*> before;
  return !x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) &&
         before(y.data(), x.data() + x.size());
}

/// After a product: y is written, so that a note for which there is no memory is not taken.
template <class Note>
void without_failing(const Note& note) noexcept {
  try {
    note();
  } catch (const std::bad_alloc&) {
  } catch (const Error&) {
  }
}

}  // namespace

template <Element T>
void MatrixState<T>::multiply(const Product<T>& product) {
  // Where there is only the host, nothing travels and nothing need be asked.
  const bool host_only = runtime_->executors().size() == 1;
  Call<T> call = compute(product, {host_only ? VectorTraffic{} : traffic_of(product)});
  finish(call, product);
}

template <Element T>
Call<T> MatrixState<T>::compute(const Product<T>& product, Attempt attempt) {
  for (;; attempt.again = true) {
    Call<T> call = begin(product, attempt);
    try {
      with_enough_memory([&] { run(call, product, now_); });
      return call;
    } catch (const Error& error) {
      const Lock lock(mutex_);
      if (call.timing.stopwatch) timer_.forget();
      const State target = call.planned->facts.target;
      if (needs_what_is_elsewhere(product, target.space)) throw;
      recover({target, error, call.planned->operation->program});
      attempt.after_failure = attempt.after_failure || !target.space.is_host();
    }
  }
}

template <Element T>
bool MatrixState<T>::is_watched() const noexcept {
  return measure_ || records_.traces() || log_enabled(LogLevel::Trace);
}

template <Element T>
std::optional<Call<T>> MatrixState<T>::follow(const Product<T>& product, const Attempt& attempt) {
  if (attempt.again || attempt.after_failure || is_watched() || product.x == product.y) return {};
  const auto known = std::ranges::find_if(first_series_, [&](const auto& series) {
    return series.load() && series.load()->request() == product.request;
  });
  if (known == first_series_.end()) return {};
  CallSeries<T>* const series = *known;
  auto call = series->plans().follow(runtime_->version(), attempt.traffic,
                                     {product.x->size(), product.y->size()});
  if (!call) return {};
  // What the program did with vectors belongs to this call, although nobody plans with it.
  if (runtime_->executors().size() > 1) static_cast<void>(runtime_->take_vector_work());
  const TimingRequest timing{.summed = call->planned->sums_times};
  return Call<T>{series, call->planned, std::move(call->in_use), timing};
}

template <Element T>
Call<T> MatrixState<T>::begin(const Product<T>& product, Attempt& attempt) {
  Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    if (auto call = follow(product, attempt)) return std::move(*call);
    lock.lock();
  }
  check_product(product, contents_.structure);
  CallSeries<T>& series = series_of(computed_for(product.request));
  settle();
  if (!attempt.again && runtime_->executors().size() > 1) {
    attempt.traffic.between = series.work_before_call(runtime_->take_vector_work());
  }
  collect_time();
  const Index failures = records_.counters().device_failures;
  auto planned =
      series.plans().find(runtime_->version(), attempt.traffic, series.dispatcher().calls());
  if (planned) {
    records_.remembered(1);
  } else {
    planned = decide(series, attempt.traffic, product.for_caller);
  }
  StoredCopy<T>& copy = *planned->copy;
  runtime_->touch(copy.last_used);
  const bool failed = attempt.after_failure || records_.counters().device_failures != failures;
  const TimingRequest timing = timing_of(series, *planned);
  const bool completes = failed && planned->facts.target.space.is_host();
  return {&series, planned, CopyInUse<T>(copy), timing, completes};
}

template <Element T>
TimingRequest MatrixState<T>::timing_of(CallSeries<T>& series, const PlannedCall<T>& planned) {
  TimingRequest timing = ProductTimer::watched();
  if (!is_watched()) {
    const Dispatcher& dispatcher = series.dispatcher();
    if (!dispatcher.wants_time()) return {.summed = planned.sums_times};
    const ProductKind work{series.request(), planned.facts.target, planned.facts.variant};
    timing =
        timer_.arranged(*planned.executor, work, !pinned_for(series) && dispatcher.worth_waiting());
  }
  timing.by_processor = planned.facts.target.space.is_host() &&
                        planned.facts.predicted_seconds >= least_timed_by_processor;
  return timing;
}

template <Element T>
void MatrixState<T>::finish(Call<T>& call, const Product<T>& product) noexcept {
  runtime_->note_product_in(call.planned->facts.target.space);
  const bool as_planned =
      !call.is_timed() && !call.after_failure && call.planned->for_caller == product.for_caller;
  if (as_planned && call.planned->add(call.times.kernel)) return;
  without_failing([&] {
    const Lock lock(mutex_);
    record(call, product);
  });
}

template <Element T>
void MatrixState<T>::record(Call<T>& call, const Product<T>& product) {
  settle();
  CallFacts facts = call.planned->facts;
  facts.after_failure = call.after_failure;
  if (product.for_caller != call.planned->for_caller && !facts.target.space.is_host()) {
    const Index y_bytes = product.y->size() * Index{sizeof(T)};
    facts.vector_bytes += product.for_caller ? y_bytes : -y_bytes;
  }
  if (call.planned->contents != contents_number_) return records_.finished_late(facts);
  call.series->finished(facts, 1, records_);
  if (!call.is_timed()) return;
  records_.timed(facts, call.times);
  timer_.enqueued(call.timing);
  const ProductKind work = facts.kind();
  if (!call.times.kernel) return;
  if (facts.target.space.is_host()) call.series->spent(facts, 1, *call.times.kernel, records_);
  const double computed = *call.times.kernel - call.times.waited;
  note_time(*call.series, work, {.computed = computed, .quiet = computed - call.times.unhelped});
}

template <Element T>
void MatrixState<T>::collect_time() {
  const auto told = timer_.collect();
  if (!told) return;
  const auto [seconds, queued] = told->time;
  note_time(series_of(told->work.request), told->work,
            {.computed = seconds, .quiet = seconds, .queued = queued});
}

template <Element T>
void MatrixState<T>::note_time(CallSeries<T>& series, const ProductKind& work,
                               const CallTime& time) {
  series.timed(work.state, work.variant, time, records_);
  // Once for each content, so that a matrix used often does not outvote the others.
  constexpr Index well_known = 7;
  const Ledger& ledger = series.dispatcher().ledger();
  if (ledger.samples(work.state, work.variant) != well_known) return;
  const auto cost = ledger.cost(work.state, work.variant);
  if (!Dispatcher::tells_of_kernel(work.state, cost->quiet_seconds)) return;
  runtime_->learn(
      multiply_key(work.state, work.request, precision_of<T>, work.variant),
      multiply_features(work.state.format, contents_.structure, precision_of<T>, work.request),
      cost->quiet_seconds);
}

template <Element T>
void MatrixState<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y,
                              const Request& request) {
  if (overlap(x, y)) throw Error(ErrorCode::InvalidArgument, "x and y overlap");
  auto vectors = take_span_vectors();
  const Product<T> product{alpha, &vectors->x, beta, &vectors->y, true, request};
  Attempt attempt{.traffic = {.y_kept = beta != T{0}}};
  for (;; attempt.after_failure = true) {
    vectors->x.rebind(x);
    vectors->y.rebind(y);
    Call<T> call = compute(product, attempt);
    if (!copied_back(*vectors, y, beta != T{0})) continue;
    finish(call, product);
    break;
  }
  without_failing([&] {
    const std::lock_guard lock(spans_mutex_);
    idle_spans_.push_back(std::move(vectors));
  });
}

template <Element T>
bool MatrixState<T>::copied_back(SpanVectors<T>& vectors, std::span<T> y, bool needed_again) {
  const VectorOutlook outlook = vectors.y.outlook();
  if (outlook.valid_mask & 1) return true;
  const Space space = Space::device(std::countr_zero(outlook.valid_mask) - 1);
  // A device that fails half-way leaves some of the new y among the old.
  vectors.y_before.clear();
  if (needed_again || !has_copy_outside(space)) vectors.y_before.assign(y.begin(), y.end());
  try {
    static_cast<void>(vectors.y.read());
    return true;
  } catch (const Error& error) {
    if (!vectors.y_before.empty()) std::ranges::copy(vectors.y_before, y.begin());
    const Lock lock(mutex_);
    recover({{space, Format::Dense}, error});
    return false;
  }
}

template <Element T>
bool MatrixState<T>::has_copy_outside(Space space) {
  const Lock lock(mutex_);
  return contents_.copies.has_outside(space);
}

template <Element T>
std::unique_ptr<SpanVectors<T>> MatrixState<T>::take_span_vectors() {
  const std::lock_guard lock(spans_mutex_);
  if (idle_spans_.empty()) return std::make_unique<SpanVectors<T>>();
  auto vectors = std::move(idle_spans_.back());
  idle_spans_.pop_back();
  return vectors;
}

template void MatrixState<float>::multiply(const Product<float>&);
template void MatrixState<double>::multiply(const Product<double>&);
template void MatrixState<float>::multiply(float, std::span<const float>, float, std::span<float>,
                                           const Request&);
template void MatrixState<double>::multiply(double, std::span<const double>, double,
                                            std::span<double>, const Request&);

}  // namespace switchyard
