// Converting and transferring, step by step.
#include "execution/plan_runner.hpp"

#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/out_of_memory.hpp>

#include "execution/failures.hpp"

namespace switchyard {
namespace {

/// The kernel file that a conversion needs; empty for what needs none.
template <Element T>
std::string_view program_of(const Step& step) {
  if (step.kind != StepKind::Convert) return {};
  const Backend backend = step.to.space.is_host() ? Backend::OpenMP : Backend::OpenCL;
  return find_convert<T>(step.from.format, step.to.format, backend)->program;
}

/// The state whose use failed: a transfer to the host that fails is the device's failure.
State failed_state(const Step& step, const Error& error) {
  const bool from_device = step.kind == StepKind::Transfer && device_has_failed(error);
  return from_device && !step.from.space.is_host() ? step.from : step.to;
}

void log_move(const Step& step, double seconds) {
  if (!log_enabled(LogLevel::Trace)) return;
  log(LogLevel::Trace, "step " + std::string(name(step.kind)) + " " + name(step.from) + " -> " +
                           name(step.to) + ": predicted " + format_seconds(step.predicted_seconds) +
                           ", measured " + format_seconds(seconds));
}

}  // namespace

template <Element T>
void PlanRunner<T>::walk(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::Multiply || contents_.copies.find(step.to)) continue;
    const typename Copies<T>::Needed needed(contents_.copies, step.from, step.to);
    try {
      with_enough_memory([&] { move(step, plan.reason); });
    } catch (const Error& error) {
      throw StepError{failed_state(step, error), error, program_of<T>(step)};
    }
  }
}

template <Element T>
void PlanRunner<T>::make_room_for(State state, std::size_t bytes) {
  if (runtime_.make_room(state.space, bytes)) return;
  throw Error(state.space.is_host() ? ErrorCode::OutOfMemory : ErrorCode::DeviceOutOfMemory,
              "the memory budget has no room for this state", name(state));
}

template <Element T>
void PlanRunner<T>::move(const Step& step, Reason reason) {
  make_room_for(step.to, static_cast<std::size_t>(new_bytes(step)));
  FinishedMove done{.step = step, .reason = reason, .start = now_()};
  Storage<T> storage = moved(step, contents_.copies.find(step.from)->storage());
  runtime_.executor(step.to.space)->finish();
  done.seconds = seconds_between(done.start, now_());
  done.bytes = static_cast<Index>(bytes_of(storage));

  // What was an estimate from a sample of dense elements is counted now.
  const bool counted = step.to.space.is_host() && step.to.format != Format::Dense;
  if (counted && !contents_.structure.exact) contents_.structure = structure_of(storage);
  contents_.copies.add(step.to, std::move(storage), runtime_.tick());
  records_.moved(done);
  log_move(step, done.seconds);
}

template <Element T>
double PlanRunner<T>::new_bytes(const Step& step) const {
  const Structure& structure = contents_.structure;
  const double bytes = bytes_in(step.to.format, structure, Index{sizeof(T)});
  if (step.kind == StepKind::Transfer) return bytes;
  return bytes - shared_bytes(step.from.format, step.to.format, structure);
}

template <Element T>
Storage<T> PlanRunner<T>::moved(const Step& step, const Storage<T>& from) const {
  Executor& executor = *runtime_.executor(step.to.space);
  if (step.kind == StepKind::Transfer) return transferred(from, executor.memory());
  const auto* const operation =
      find_convert<T>(step.from.format, step.to.format, executor.backend());
  return operation->run(executor, from);
}

template class PlanRunner<float>;
template class PlanRunner<double>;

}  // namespace switchyard
