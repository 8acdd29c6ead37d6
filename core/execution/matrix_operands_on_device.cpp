// Maps of several matrices that are dense on one device.
#include <algorithm>
#include <array>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/planner.hpp>

#include "execution/failures.hpp"
#include "execution/matrix_state.hpp"
#include "execution/value_operands.hpp"

namespace switchyard {
namespace {

/// The copies of several matrices in one state, and their values.
template <Element T>
struct SharedCopies {
  std::array<std::shared_ptr<StoredCopy<T>>, most_operands> copies;
  std::array<const Array<T>*, most_operands> values{};
};

/// Nothing where one of them has no copy there.
template <Element T>
std::optional<SharedCopies<T>> copies_in(State state, std::span<MatrixState<T>* const> matrices) {
  SharedCopies<T> found;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    found.copies[k] = matrices[k]->shared_copy(state);
    if (!found.copies[k]) return std::nullopt;
    found.values[k] = &values_of(found.copies[k]->storage);
  }
  return found;
}

/// The space in which all are dense and that streams so many bytes in the least time.
template <Element T>
SkeletonChoice choice_for(const RuntimeState& runtime, const SkeletonWork<T>& work,
                          std::span<MatrixState<T>* const> matrices, const Structure& structure,
                          double bytes) {
  const auto profile = runtime.corrected_profile();
  SkeletonChoice choice;
  for (const SpaceOutlook& space : runtime.outlook(precision_of<T>, structure)) {
    const State state{space.space, Format::Dense};
    if (!space.usable || !work.suits(*runtime.executor(space.space))) continue;
    if (!copies_in(state, matrices)) continue;
    choice.consider(
        state, {.itself = stream_seconds(precision_of<T>, *profile, space, bytes).value_or(0)}, 0);
  }
  return choice;
}

}  // namespace

template <Element T>
std::shared_ptr<StoredCopy<T>> MatrixState<T>::shared_copy(State state) {
  const Lock lock(mutex_);
  const auto* const found = contents_.copies.find(state);
  return found ? found->copy : nullptr;
}

template <Element T>
void MatrixState<T>::map_dense_in(const SkeletonChoice& choice, const SkeletonWork<T>& work,
                                  std::span<const Array<T>* const> in, const Structure& structure) {
  const auto start = now_();
  const State state = choice.state;
  Executor& device = *runtime_->executor(state.space);
  Dense<T> result = Dense<T>::sized(structure.rows, structure.cols, device.memory());
  const SkeletonOperands<T> operands{.function = work.function(),
                                     .arrays = in,
                                     .size = result.values.size(),
                                     .columns = std::max(structure.cols, Index{1}),
                                     .recorded = &work.recorded()};
  skeleton_operations<T>(device.backend()).map(device, operands, result.values);
  Storage<T> storage(std::move(result));
  const double density = density_on(device, storage);
  device.finish();

  const Lock lock(mutex_);
  Origins origins = origins_in(state);
  forget_plans();
  records_.reserve();
  contents_.copies.reset(state, std::move(storage));
  take_stock(even_structure<T>(structure.rows, structure.cols, density), std::move(origins));
  const auto arrays = static_cast<double>(in.size() + 1);
  records_.computed({.kind = StepKind::Map,
                     .from = state,
                     .to = state,
                     .predicted_seconds = choice.itself_seconds,
                     .bytes = arrays * bytes_in(Format::Dense, structure, Index{sizeof(T)})},
                    start, seconds_between(start, now_()));
}

template <Element T>
bool MatrixState<T>::map_on_device_from(const UserFunction<T>& function,
                                        std::span<MatrixState* const> in) {
  const auto has_another_runtime = [&](const auto* other) { return other->runtime_ != runtime_; };
  if (std::ranges::any_of(in, has_another_runtime)) return false;
  const SkeletonWork<T> work(function, nullptr, in.size());
  const Structure structure = in.front()->structure();
  const double bytes = bytes_in(Format::Dense, structure, Index{sizeof(T)});
  const SkeletonChoice choice =
      choice_for<T>(*runtime_, work, in, structure, static_cast<double>(in.size() + 1) * bytes);
  if (choice.seconds == SkeletonChoice::unknown || choice.state.space.is_host()) return false;
  if (log_enabled(LogLevel::Debug))
    log(LogLevel::Debug, choice_line(StepKind::Map, subject_of(structure), choice, nullptr));
  const auto operands = copies_in<T>(choice.state, in);
  if (!operands) return false;
  try {
    if (!runtime_->make_room(choice.state.space, static_cast<std::size_t>(bytes))) return false;
    map_dense_in(choice, work, std::span(operands->values).first(in.size()), structure);
    return true;
  } catch (const Error& error) {
    // Nothing has been changed: the result was to be a new copy.
    const Error reason = diagnosed(*runtime_->executor(choice.state.space), error);
    if (device_has_failed(reason)) runtime_->set_aside(choice.state.space, reason.what());
    log(LogLevel::Warning, "a map is done on the host: " + std::string(reason.what()));
    return false;
  }
}

template std::shared_ptr<StoredCopy<float>> MatrixState<float>::shared_copy(State);
template std::shared_ptr<StoredCopy<double>> MatrixState<double>::shared_copy(State);
template bool MatrixState<float>::map_on_device_from(const UserFunction<float>&,
                                                     std::span<MatrixState<float>* const>);
template bool MatrixState<double>::map_on_device_from(const UserFunction<double>&,
                                                      std::span<MatrixState<double>* const>);

}  // namespace switchyard
