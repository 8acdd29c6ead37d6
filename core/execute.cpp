// Walking a plan: moving copies, multiplying, and going on after a failure.
#include <algorithm>
#include <bit>
#include <chrono>
#include <switchyard/containers/out_of_memory.hpp>

#include "failures.hpp"
#include "matrix_state.hpp"

namespace switchyard {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

/// Whether the call itself is at fault, or the host: then nothing else can help.
bool beyond_recovery(const StepError& failure) {
  const ErrorCode code = failure.error.code();
  return code == ErrorCode::InvalidArgument || code == ErrorCode::DimensionMismatch ||
         (failure.state.space.is_host() && device_has_failed(failure.error));
}

template <Element T>
ProductTimes run_product(const Decision<T>& decision, const Product<T>& product) {
  const auto start = decision.timed ? Clock::now() : Clock::time_point{};
  const auto& memory = decision.executor->memory();
  const bool x_is_there = !decision.timed || product.x->valid_in(decision.target.space);
  const Array<T>& x = product.x->in_for_product(memory);
  Array<T>& y = product.y->target_in(memory, product.beta != T{0});
  const auto vectors_there = x_is_there ? start : Clock::now();
  if (decision.stopwatch) decision.stopwatch->start();
  decision.operation->run(
      {*decision.executor, *decision.storage, product.alpha, x, product.beta, y});
  if (decision.stopwatch) decision.stopwatch->stop();
  if (decision.awaited) decision.executor->finish();
  const auto end = decision.timed ? Clock::now() : Clock::time_point{};
  product.y->written_in(decision.target.space);
  if (!decision.timed) return {};
  return {seconds_between(start, end), seconds_between(vectors_there, end), start};
}

/// The kernel file that a conversion needs; empty for what needs none.
template <Element T>
std::string_view program_of(const Step& step) {
  if (step.kind != StepKind::Convert) return {};
  const Backend backend = step.to.space.is_host() ? Backend::OpenMP : Backend::OpenCL;
  return find_convert<T>(step.from.format, step.to.format, backend)->program;
}

/// Whether the contents of a vector are where neither the host nor `space` has them.
template <Element T>
bool is_elsewhere(const Vector<T>& vector, Space space) {
  return !vector.valid_in(space) && !vector.valid_in(Space::host());
}

template <Element T>
void check_product(const Product<T>& product, Index rows, Index cols) {
  if (product.x == product.y) {
    throw Error(ErrorCode::InvalidArgument, "x and y are the same vector");
  }
  const auto check = [](const char* what, Index size, Index needed) {
    if (size == needed) return;
    throw Error(ErrorCode::DimensionMismatch, std::string(what) + " has " + std::to_string(size) +
                                                  " elements, the matrix needs " +
                                                  std::to_string(needed));
  };
  check("x", product.x->size(), cols);
  check("y", product.y->size(), rows);
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
  static_cast<void>(compute(product, host_only ? VectorTraffic{} : traffic_of(product), false));
}

template <Element T>
Decision<T> MatrixState<T>::compute(const Product<T>& product, const VectorTraffic& traffic,
                                    bool after_failure) {
  check_product(product, rows_, cols_);
  for (;;) {
    Decision<T> decision = decision_for(traffic, product, after_failure);
    ProductTimes times;
    try {
      times = with_enough_memory([&] { return run_product(decision, product); });
    } catch (const Error& error) {
      const Lock lock(mutex_);
      take_back_product(decision);
      const Space space = decision.target.space;
      // What a vector's own device does not give back is nobody else's fault.
      if (is_elsewhere(*product.x, space)) throw;
      if (product.beta != T{0} && is_elsewhere(*product.y, space)) throw;
      recover({decision.target, error, decision.operation->program});
      after_failure = after_failure || !decision.target.space.is_host();
      continue;
    }
    without_failing([&] {
      if (decision.timed || decision.stopwatch) note_times(decision, times);
    });
    return decision;
  }
}

template <Element T>
void MatrixState<T>::multiply(T alpha, std::span<const T> x, T beta, std::span<T> y) {
  if (overlap(x, y)) throw Error(ErrorCode::InvalidArgument, "x and y overlap");
  auto vectors = take_span_vectors();
  const VectorTraffic all_from_host{.y_kept = beta != T{0}};
  bool failed = false;
  for (;;) {
    vectors->x.rebind(x);
    vectors->y.rebind(y);
    const auto decision =
        compute({alpha, &vectors->x, beta, &vectors->y, true}, all_from_host, failed);
    if (brought_home(*vectors, y, beta != T{0}, decision)) break;
    failed = true;
  }
  without_failing([&] {
    const Lock lock(mutex_);
    idle_spans_.push_back(std::move(vectors));
  });
}

template <Element T>
bool MatrixState<T>::brought_home(SpanVectors<T>& vectors, std::span<T> y, bool needed_again,
                                  const Decision<T>& decision) {
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
    take_back_product(decision);
    recover({{space, Format::Dense}, error});
    return false;
  }
}

template <Element T>
bool MatrixState<T>::has_copy_outside(Space space) const {
  const Lock lock(mutex_);
  return std::ranges::any_of(copies_.states(), [&](State s) { return s.space != space; });
}

template <Element T>
std::unique_ptr<SpanVectors<T>> MatrixState<T>::take_span_vectors() {
  const Lock lock(mutex_);
  if (idle_spans_.empty()) return std::make_unique<SpanVectors<T>>();
  auto vectors = std::move(idle_spans_.back());
  idle_spans_.pop_back();
  return vectors;
}

template <Element T>
Decision<T> MatrixState<T>::decision_for(VectorTraffic traffic, const Product<T>& product,
                                         bool after_failure) {
  const Lock lock(mutex_);
  if (runtime_->executors().size() > 1) traffic.between = work_between_products();
  if (timing_.stage == DeviceTiming::Stage::Pending) collect_time();
  const Index failures = counters_.device_failures;
  if (remembers(traffic)) {
    ++counters_.decisions_remembered;
  } else {
    decide(traffic);
  }
  if (auto* const copy = copies_.find(decision_.target)) runtime_->touch(copy->last_used);
  Decision<T> decision = decision_;
  const bool watched = measure_ || runtime_->trace();
  decision.awaited = watched;
  decision.timed = watched;
  decision.after_failure = after_failure || counters_.device_failures != failures;
  if (!watched && dispatcher_.wants_time()) arrange_timing(decision);
  without_failing([&] { count_product(decision); });
  note_count(decision, product);
  return decision;
}

template <Element T>
void MatrixState<T>::arrange_timing(Decision<T>& decision) {
  decision.timed = decision.target.space.is_host();
  if (decision.timed) return;
  if (timing_.executor != decision.executor) {
    timing_ = {decision.executor, decision.executor->make_stopwatch()};
  }
  if (timing_.stopwatch && timing_.stage == DeviceTiming::Stage::Idle) {
    timing_.stage = DeviceTiming::Stage::Running;
    decision.stopwatch = timing_.stopwatch;
    decision.awaited = !pinned_ && dispatcher_.worth_waiting();
  }
}

template <Element T>
void MatrixState<T>::note_times(const Decision<T>& decision, const ProductTimes& times) {
  const Lock lock(mutex_);
  const std::string_view variant = decision.operation->variant;
  if (times.whole) history_.record_time(decision.target, variant, *times.whole);
  if (runtime_->trace()) trace_product(decision, times);
  if (times.kernel) note_time(decision.target, variant, *times.kernel);
  // Unless another thread has decided anew meanwhile.
  if (!decision.stopwatch || decision.stopwatch != timing_.stopwatch) return;
  timing_.stage = DeviceTiming::Stage::Pending;
  timing_.state = decision.target;
  timing_.variant = variant;
}

template <Element T>
void MatrixState<T>::look_again_if(bool wanted) {
  if (wanted && !pinned_) decision_ = {};
}

template <Element T>
void MatrixState<T>::go_to(State state) {
  // Whoever asks for a state by name may have made room for it since it was refused.
  forget_short_memory();
  for (;;) {
    if (copies_.find(state)) return dispatcher_.joined(state);
    if (!runtime_->executor(state.space)) {
      throw Error(ErrorCode::DeviceUnavailable, "there is no such device", name(state));
    }
    try {
      walk(plan_to(state));
    } catch (const StepError& failure) {
      recover(failure);
      const bool refused =
          std::ranges::find(refused_, state, &RefusedState::state) != refused_.end();
      if (!refused) continue;
      forget_short_memory();
      throw Error(failure.error);
    }
  }
}

template <Element T>
void MatrixState<T>::walk(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::Multiply || copies_.find(step.to)) continue;
    needed_ = {step.from, step.to};
    try {
      with_enough_memory([&] { move(step, plan.reason); });
    } catch (const Error& error) {
      needed_.clear();
      // A transfer to the host that fails is the device's failure, not the host's.
      const bool from_device = step.kind == StepKind::Transfer && device_has_failed(error);
      throw StepError{from_device && !step.from.space.is_host() ? step.from : step.to, error,
                      program_of<T>(step)};
    }
    needed_.clear();
  }
}

template <Element T>
void MatrixState<T>::move(const Step& step, Reason reason) {
  const auto bytes = bytes_in(step.to.format, structure_, Index{sizeof(T)});
  const bool fits = runtime_->make_room(step.to.space, static_cast<std::size_t>(bytes));
  if (!fits) {
    throw Error(step.to.space.is_host() ? ErrorCode::OutOfMemory : ErrorCode::DeviceOutOfMemory,
                "the memory budget has no room for this state", name(step.to));
  }
  const auto start = Clock::now();
  Storage<T> storage = moved(step, *copies_.find(step.from)->storage);
  Executor& executor = *runtime_->executor(step.to.space);
  executor.finish();
  const double seconds = seconds_between(start, Clock::now());

  const auto moved_bytes = static_cast<Index>(bytes_of(storage));
  const bool counted = step.to.space.is_host() && step.to.format != Format::Dense;
  if (!structure_.exact && counted) structure_ = structure_of(storage);
  copies_.add(step.to, std::move(storage), runtime_->tick());
  ++content_version_;
  note_move(step.kind, moved_bytes, seconds);
  if (runtime_->trace()) trace_move(step, reason, start, seconds);
  history_.record_move(step, seconds);
  if (log_enabled(LogLevel::Trace)) {
    log(LogLevel::Trace, "step " + std::string(name(step.kind)) + " " + name(step.from) + " -> " +
                             name(step.to) + ": predicted " +
                             format_seconds(step.predicted_seconds) + ", measured " +
                             format_seconds(seconds));
  }
}

template <Element T>
Storage<T> MatrixState<T>::moved(const Step& step, const Storage<T>& from) const {
  Executor& executor = *runtime_->executor(step.to.space);
  if (step.kind == StepKind::Transfer) return transferred(from, executor.memory());
  const auto* const operation =
      find_convert<T>(step.from.format, step.to.format, executor.backend());
  return operation->run(executor, from);
}

template <Element T>
void MatrixState<T>::recover(const StepError& failure) {
  const State state = failure.state;
  if (beyond_recovery(failure)) throw Error(failure.error);
  if (!state.space.is_host()) ++counters_.device_failures;
  Executor& executor = *runtime_->executor(state.space);
  const Error error = diagnosed(executor, failure.error);
  last_failure_ = error;
  decision_ = {};
  timing_ = {};
  if (device_has_failed(error)) return give_up_space(state.space, error);
  // The next plan does without kernels that do not build.
  if (!executor.build_problem(failure.program, precision_of<T>).empty()) return;
  const bool first_time = std::ranges::find(room_made_, state) == room_made_.end();
  if (memory_was_short(error) && first_time) {
    room_made_.push_back(state);
    needed_ = {state};
    constexpr std::size_t all_that_can_be_spared = std::size_t{1} << 62;
    runtime_->make_room(state.space, all_that_can_be_spared);
    executor.memory()->trim();
    needed_.clear();
    return;
  }
  log(LogLevel::Warning, name(state) + " is not used for this matrix: " + error.what());
  if (std::ranges::find(refused_, state, &RefusedState::state) != refused_.end()) {
    throw Error(error);
  }
  refused_.push_back({state, error.what(), true});
  ++content_version_;
}

template <Element T>
void MatrixState<T>::forget_short_memory() {
  const auto was_short = [this](const RefusedState& refused) {
    return std::ranges::find(room_made_, refused.state) != room_made_.end();
  };
  std::erase_if(refused_, was_short);
  room_made_.clear();
}

template <Element T>
void MatrixState<T>::give_up_space(Space space, const Error& error) {
  runtime_->set_aside(space, error.what());
  ++content_version_;
  if (copies_.lose(space)) return;
  throw Error(ErrorCode::DeviceLost, "the only copy of the matrix was on a device that failed",
              name(space), error.what());
}

template void MatrixState<float>::multiply(const Product<float>&);
template void MatrixState<double>::multiply(const Product<double>&);
template void MatrixState<float>::multiply(float, std::span<const float>, float, std::span<float>);
template void MatrixState<double>::multiply(double, std::span<const double>, double,
                                            std::span<double>);
template void MatrixState<float>::look_again_if(bool);
template void MatrixState<double>::look_again_if(bool);
template void MatrixState<float>::go_to(State);
template void MatrixState<double>::go_to(State);
template void MatrixState<float>::walk(const Plan&);
template void MatrixState<double>::walk(const Plan&);
template void MatrixState<float>::recover(const StepError&);
template void MatrixState<double>::recover(const StepError&);
template void MatrixState<float>::forget_short_memory();
template void MatrixState<double>::forget_short_memory();

}  // namespace switchyard
