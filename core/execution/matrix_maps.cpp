// Changing and folding the elements of a matrix in the state where that takes least.
#include <switchyard/containers/log.hpp>

#include "execution/matrix_state.hpp"
#include "execution/value_operands.hpp"
#include "execution/vector_work.hpp"

namespace switchyard {
namespace {

/// `value` op ... op `value`, so many times, in a logarithm of operations.
template <Element T>
double fold_of_equals(const UserFold<T>& fold, double value, Index count) {
  double result = fold.identity;
  for (; count > 0; count /= 2) {
    if (count % 2 != 0) result = fold.combine(fold.object, result, value);
    value = fold.combine(fold.object, value, value);
  }
  return result;
}

/// Whether that work needs rows and columns that are not told by where a value stands.
template <Element T>
bool needs_places(State state, const SkeletonWork<T>& work) {
  return work.function().by_place && state.format != Format::Dense;
}

template <Element T>
Index bytes_to_bring(const Vector<T>* vector, Space space) {
  return vector && !vector->valid_in(space) ? vector->size() * Index{sizeof(T)} : 0;
}

/// Changes the values, in whatever space.
template <Element T>
void map_values(Executor& executor, State state, const SkeletonWork<T>& work,
                const BesideMap<T>& beside, Storage<T>& storage) {
  const MatrixSkeletons<T>& skeletons = matrix_skeletons<T>(executor.backend());
  if (beside.of_rows || beside.of_columns) return skeletons.map_beside(executor, beside, storage);
  if (needs_places(state, work))
    return skeletons.map_places(executor, work.function_for(executor), storage);
  const ValueOperands<T> values(storage, work.function(), &work.recorded(), work.operands());
  skeleton_operations<T>(executor.backend()).map(executor, values.operands(), values_of(storage));
}

}  // namespace

template <Element T>
std::optional<BesideMap<T>> MatrixState<T>::brought_beside(State state, SkeletonWork<T>& work,
                                                           const VectorsBeside<T>& beside) {
  Executor& executor = *runtime_->executor(state.space);
  const auto in_space = [&](const Vector<T>* vector) {
    return vector ? &vector->in(executor.memory()) : nullptr;
  };
  try {
    return with_enough_memory([&] {
      return BesideMap<T>{work.function_for(executor), in_space(beside.of_rows),
                          in_space(beside.of_columns)};
    });
  } catch (const Error& error) {
    for (const Vector<T>* const vector : {beside.of_rows, beside.of_columns}) {
      if (vector && is_elsewhere(*vector, state.space)) throw;
    }
    recover_from_skeleton(state, error, work);
    return std::nullopt;
  }
}

template <Element T>
void MatrixState<T>::map_on_host(State state, const SkeletonWork<T>& work,
                                 const BesideMap<T>& beside) {
  Executor& host = *runtime_->executor(Space::host());
  Origins origins = origins_in(state);
  Storage<T>& storage = contents_.copies.keep_for_writing(state, host.memory());
  map_values(host, state, work, beside, storage);
  take_stock(state, std::move(origins));
}

template <Element T>
void MatrixState<T>::map_on_device(State state, const SkeletonWork<T>& work,
                                   const BesideMap<T>& beside) {
  Executor& device = *runtime_->executor(state.space);
  Origins origins = origins_in(state);
  Storage<T>& storage = contents_.copies.find(state)->copy->storage;
  Structure structure = contents_.structure;
  map_values(device, state, work, beside, storage);
  // Equal values may have become different ones.
  if (work.function().by_place || beside.of_rows || beside.of_columns)
    structure.distinct_values = most_distinct_values;
  if (state.format == Format::Dense) {
    structure = even_structure<T>(structure.rows, structure.cols, density_on(device, storage));
  }
  device.finish();
  // Only now is it certain that the other copies are not needed any more.
  contents_.copies.keep_changed(state);
  take_stock(structure, std::move(origins));
}

template <Element T>
void MatrixState<T>::map_elements(const UserFunction<T>& function, std::size_t operands,
                                  const VectorsBeside<T>& beside) {
  if (beside.of_rows) check_size(beside.of_rows->size(), rows_);
  if (beside.of_columns) check_size(beside.of_columns->size(), cols_);
  const Lock lock(mutex_);
  SkeletonWork<T> work(function, nullptr, operands);
  for (;;) {
    require_a_copy();
    const SkeletonChoice choice = choice_for_map(work, beside);
    const State state = choice.state;
    if (!brought_for(StepKind::Map, choice, work)) continue;
    const auto start = now_();
    const Index vector_bytes = bytes_to_bring(beside.of_rows, state.space) +
                               bytes_to_bring(beside.of_columns, state.space);
    const auto vectors = brought_beside(state, work, beside);
    if (!vectors) continue;
    const double bytes = 2 * bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    forget_plans();
    records_.reserve();
    try {
      state.space.is_host() ? map_on_host(state, work, *vectors)
                            : map_on_device(state, work, *vectors);
    } catch (const Error& error) {
      work.keep_on_host("a device failed");
      recover_from_map(state, error);
      continue;
    }
    return records_.computed({.kind = StepKind::Map,
                              .from = state,
                              .to = state,
                              .predicted_seconds = choice.itself_seconds,
                              .bytes = bytes},
                             start, seconds_between(start, now_()), vector_bytes);
  }
}

template <Element T>
void MatrixState<T>::recover_from_map(State state, const Error& error) {
  // A kernel that does not build has changed nothing.
  const bool unchanged =
      error.code() == ErrorCode::BuildFailed || error.code() == ErrorCode::Unsupported;
  if (unchanged && !state.space.is_host()) {
    log(LogLevel::Warning, "a map is done on the host: " + std::string(error.what()));
    return;
  }
  recover({state, error});
  if (!contents_.copies.find(state) || drop(state)) return;
  throw Error(ErrorCode::DeviceLost, "the only copy was being changed on a device that failed",
              name(state), error.what());
}

template <Element T>
double MatrixState<T>::fold_in(State state, SkeletonWork<T>& work) {
  Executor& executor = *runtime_->executor(state.space);
  const Storage<T>& storage = contents_.copies.find(state)->storage();
  const ElementFold<T> fold = work.fold_for(executor);
  if (needs_places(state, work)) {
    return matrix_skeletons<T>(executor.backend())
        .fold_places(executor, work.function_for(executor), fold, storage);
  }
  const ValueOperands<T> values(storage, work.function(), &work.recorded());
  return skeleton_operations<T>(executor.backend())
      .reduce(executor, values.operands(), fold.fold, fold.recorded);
}

template <Element T>
double MatrixState<T>::fold_elements(const UserFunction<T>& function, const UserFold<T>& fold) {
  const Lock lock(mutex_);
  SkeletonWork<T> work(function, &fold);
  for (;;) {
    require_a_copy();
    const SkeletonChoice choice = choice_for_fold(work);
    const State state = choice.state;
    if (!brought_for(StepKind::Reduce, choice, work)) continue;
    settle();
    records_.reserve();
    const auto start = now_();
    try {
      const double stored = with_enough_memory([&] { return fold_in(state, work); });
      records_.computed({.kind = StepKind::Reduce,
                         .from = state,
                         .to = state,
                         .predicted_seconds = choice.itself_seconds,
                         .bytes = bytes_in(state.format, contents_.structure, Index{sizeof(T)})},
                        start, seconds_between(start, now_()));
      const T zero{0};
      const Index absent =
          state.format == Format::Dense
              ? 0
              : rows_ * cols_ - values_of(contents_.copies.find(state)->storage()).size();
      if (absent == 0) return stored;
      const auto of_zero = static_cast<double>(function.at(function.object, 0, 0, &zero));
      return fold.combine(fold.object, stored,
                          fold_of_equals(fold, work.keeps_zeros() ? 0 : of_zero, absent));
    } catch (const Error& error) {
      recover_from_skeleton(state, error, work);
    }
  }
}

template void MatrixState<float>::map_elements(const UserFunction<float>&, std::size_t,
                                               const VectorsBeside<float>&);
template void MatrixState<double>::map_elements(const UserFunction<double>&, std::size_t,
                                                const VectorsBeside<double>&);
template double MatrixState<float>::fold_elements(const UserFunction<float>&,
                                                  const UserFold<float>&);
template double MatrixState<double>::fold_elements(const UserFunction<double>&,
                                                   const UserFold<double>&);

}  // namespace switchyard
