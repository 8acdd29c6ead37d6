// Changing and folding the elements of a matrix in the state where that takes least.
#include <algorithm>
#include <exception>
#include <limits>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/core/planner.hpp>
#include <switchyard/core/user_functions.hpp>

#include "execution/failures.hpp"
#include "execution/matrix_state.hpp"
#include "execution/zeros.hpp"

namespace switchyard {
namespace {

constexpr State csr_on_host{Space::host(), Format::Csr};

/// The values of a copy as the one operand of a skeleton.
template <Element T>
class ValuesOperand {
 public:
  ValuesOperand(const Storage<T>& storage, const UserFunction<T>& function,
                const RecordedFunction* recorded)
      : array_(&values_of(storage)),
        operands_{.function = function,
                  .arrays = std::span(&array_, 1),
                  .size = array_->size(),
                  .columns = std::max(cols_of(storage), Index{1}),
                  .recorded = recorded} {}
  ValuesOperand(const ValuesOperand&) = delete;
  ValuesOperand& operator=(const ValuesOperand&) = delete;
  [[nodiscard]] const SkeletonOperands<T>& operands() const noexcept { return operands_; }

 private:
  const Array<T>* array_;
  SkeletonOperands<T> operands_;
};

/// Whether each place in the values of that format is an element, and each stored element has one.
bool has_every_value(Format format) {
  switch (format) {
    case Format::Dense:
    case Format::Csr:
    case Format::Csc:
    case Format::Coo:
    case Format::Bitmap:
    case Format::Csr16:
    case Format::Csr8:
    case Format::Packet:
      return true;
    default:
      return false;
  }
}

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

/// The share of values that are not zero; 1 where that cannot be found out.
template <Element T>
double density_on(Executor& device, const Storage<T>& storage) {
  constexpr auto counts = [](auto value) { return where(value != T{0}, T{1}, T{0}); };
  const auto function = skeleton::user_function<T, skeleton::Place::None, 1>(counts);
  const auto sum = skeleton::user_fold<T>(fold::plus);
  RecordedFunction recorded;
  function.record(function.object, recorded);
  RecordedFunction recorded_sum;
  sum.record(sum.object, device.facts().supports_double, recorded_sum);
  const ValuesOperand<T> values(storage, function, &recorded);
  try {
    const double nonzeros = skeleton_operations<T>(device.backend())
                                .reduce(device, values.operands(), sum, &recorded_sum);
    return nonzeros / static_cast<double>(std::max(values.operands().size, Index{1}));
  } catch (const std::exception&) {
    return 1;  // the map itself is done
  }
}

/// The function of each stored element and its place, in `out`, which may be the matrix's own.
template <Element T>
void map_places(const Csr<T>& matrix, const UserFunction<T>& function, Array<T>& out) {
  const Index bytes = matrix.nnz * Index{2 * sizeof(T) + sizeof(Column)};
  share_out_items(shares_of(bytes), matrix.rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      for (Index k = matrix.offset(row); k < matrix.offset(row + 1); ++k) {
        out[k] = function.at(function.object, row, matrix.columns[k], &matrix.values[k]);
      }
    }
  });
}

}  // namespace

template <Element T>
double MatrixState<T>::seconds_of_calls_from(State state) const {
  double seconds = 0;
  for (const auto& series : series_) {
    const Index calls = series->dispatcher().expected();
    if (calls == 0) continue;
    Situation situation = situation_of(*series, calls, series->traffic);
    situation.valid = {state};
    // What was measured was measured on other values, in the same patterns.
    try {
      seconds += shortest_plan(price(situation)).predicted_seconds;
    } catch (const Error&) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return seconds;
}

template <Element T>
State MatrixState<T>::state_for_map(bool keeps_zeros, bool on_devices) const {
  std::vector<State> candidates = contents_.copies.states();
  const auto outlook = runtime_->outlook(precision_of<T>, contents_.structure);
  if (!keeps_zeros) {
    candidates.clear();
    for (const SpaceOutlook& space : outlook) candidates.push_back({space.space, Format::Dense});
  }
  std::erase_if(candidates, [&](State state) {
    const bool possible =
        state.space.is_host() ||
        (on_devices && outlook[static_cast<std::size_t>(state.space.index())].usable);
    return !possible || setbacks_.refuses(state);
  });
  if (candidates.size() == 1) return candidates.front();
  std::optional<State> best;
  double least = std::numeric_limits<double>::infinity();
  const auto profile = runtime_->corrected_profile();
  for (const State state : candidates) {
    const double bytes = 2 * bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    try {
      const double seconds =
          plan_to(state).predicted_seconds +
          stream_seconds(precision_of<T>, *profile,
                         outlook[static_cast<std::size_t>(state.space.index())], bytes)
              .value_or(0) +
          seconds_of_calls_from(state);
      if (!best || seconds < least) best = state;
      least = std::min(least, seconds);
    } catch (const Error&) {
      continue;  // there is no way to that state
    }
  }
  // What only devices hold comes home where they cannot compute it.
  return best.value_or(State{Space::host(), keeps_zeros ? Format::Csr : Format::Dense});
}

template <Element T>
void MatrixState<T>::map_on_host(State state, const UserFunction<T>& function) {
  Executor& host = *runtime_->executor(Space::host());
  Origins origins = origins_in(state);
  Storage<T>& storage = contents_.copies.keep_for_writing(state, host.memory());
  if (function.by_place && state.format != Format::Dense) {
    auto& matrix = std::get<Csr<T>>(storage);
    map_places(matrix, function, matrix.values);
  } else {
    const ValuesOperand<T> values(storage, function, nullptr);
    skeleton_operations<T>(Backend::OpenMP).map(host, values.operands(), values_of(storage));
  }
  take_stock(state, std::move(origins));
}

template <Element T>
void MatrixState<T>::map_on_device(State state, const UserFunction<T>& function,
                                   const RecordedFunction& recorded) {
  Executor& device = *runtime_->executor(state.space);
  Origins origins = origins_in(state);
  Storage<T>& storage = contents_.copies.find(state)->copy->storage;
  const ValuesOperand<T> values(storage, function, &recorded);
  Structure structure = contents_.structure;
  skeleton_operations<T>(device.backend()).map(device, values.operands(), values_of(storage));
  if (state.format == Format::Dense) {
    structure = even_structure<T>(structure.rows, structure.cols, density_on(device, storage));
  }
  device.finish();
  // Only now is it certain that the other copies are not needed any more.
  contents_.copies.keep_changed(state);
  take_stock(structure, std::move(origins));
}

template <Element T>
void MatrixState<T>::map_elements(const UserFunction<T>& function) {
  const Lock lock(mutex_);
  RecordedFunction recorded;
  function.record(function.object, recorded);
  const bool keeps = makes_zero(function, recorded);
  bool on_devices = !recorded.problem;
  for (;;) {
    require_a_copy();
    const State state = keeps && function.by_place ? csr_on_host : state_for_map(keeps, on_devices);
    go_to(state);
    const auto start = now_();
    const double bytes = 2 * bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    forget_plans();
    records_.reserve();
    try {
      state.space.is_host() ? map_on_host(state, function)
                            : map_on_device(state, function, recorded);
    } catch (const Error& error) {
      on_devices = false;
      recover_from_map(state, error);
      continue;
    }
    return records_.mapped({.kind = StepKind::Map, .from = state, .to = state, .bytes = bytes},
                           start, seconds_between(start, now_()));
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
State MatrixState<T>::state_for_fold(bool by_place, bool on_devices) const {
  const auto outlook = runtime_->outlook(precision_of<T>, contents_.structure);
  const auto profile = runtime_->corrected_profile();
  State best = csr_on_host;
  double least = std::numeric_limits<double>::infinity();
  for (const State state : contents_.copies.states()) {
    const SpaceOutlook& space = outlook[static_cast<std::size_t>(state.space.index())];
    const bool possible = by_place ? state.format == Format::Dense : has_every_value(state.format);
    if (!possible || (!state.space.is_host() && !(on_devices && space.usable))) continue;
    const double bytes = bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    const double seconds = stream_seconds(precision_of<T>, *profile, space, bytes).value_or(0);
    if (seconds < least) best = state;
    least = std::min(least, seconds);
  }
  return best;
}

template <Element T>
double MatrixState<T>::fold_in(State state, const UserFunction<T>& function,
                               const UserFold<T>& fold, const RecordedFunction& recorded) {
  Executor& executor = *runtime_->executor(state.space);
  const Storage<T>& storage = contents_.copies.find(state)->storage();
  if (function.by_place && state.format != Format::Dense) {
    constexpr skeleton::Same same;
    const Csr<T>& matrix = std::get<Csr<T>>(storage);
    Csr<T> mapped = std::get<Csr<T>>(transferred(storage, plain_host_memory()));
    map_places(matrix, function, mapped.values);
    const Storage<T> result(std::move(mapped));
    const auto plain = skeleton::user_function<T, skeleton::Place::None, 1>(same);
    const ValuesOperand<T> values(result, plain, nullptr);
    return skeleton_operations<T>(Backend::OpenMP)
        .reduce(executor, values.operands(), fold, nullptr);
  }
  RecordedFunction recorded_fold;
  fold.record(fold.object, fold.in_double && executor.facts().supports_double, recorded_fold);
  if (!state.space.is_host() && recorded_fold.problem) {
    throw Error(ErrorCode::Unsupported, recorded_fold.problem, name(state));
  }
  const ValuesOperand<T> values(storage, function, &recorded);
  return skeleton_operations<T>(executor.backend())
      .reduce(executor, values.operands(), fold, &recorded_fold);
}

template <Element T>
double MatrixState<T>::fold_elements(const UserFunction<T>& function, const UserFold<T>& fold) {
  const Lock lock(mutex_);
  RecordedFunction recorded;
  function.record(function.object, recorded);
  // Absent elements of a function of places have no value of their own.
  const bool keeps = makes_zero(function, recorded);
  bool on_devices = !recorded.problem;
  for (;;) {
    require_a_copy();
    const State state = function.by_place && !keeps ? State{Space::host(), Format::Dense}
                                                    : state_for_fold(function.by_place, on_devices);
    go_to(state);
    try {
      const double stored =
          with_enough_memory([&] { return fold_in(state, function, fold, recorded); });
      const T zero{0};
      const Index absent =
          state.format == Format::Dense
              ? 0
              : rows_ * cols_ - values_of(contents_.copies.find(state)->storage()).size();
      if (absent == 0) return stored;
      const auto of_zero = static_cast<double>(function.at(function.object, 0, 0, &zero));
      return fold.combine(fold.object, stored, fold_of_equals(fold, keeps ? 0 : of_zero, absent));
    } catch (const Error& error) {
      on_devices = false;
      if (state.space.is_host()) throw;
      if (error.code() == ErrorCode::BuildFailed || error.code() == ErrorCode::Unsupported)
        continue;
      recover({state, error});
    }
  }
}

template void MatrixState<float>::map_elements(const UserFunction<float>&);
template void MatrixState<double>::map_elements(const UserFunction<double>&);
template double MatrixState<float>::fold_elements(const UserFunction<float>&,
                                                  const UserFold<float>&);
template double MatrixState<double>::fold_elements(const UserFunction<double>&,
                                                   const UserFold<double>&);

}  // namespace switchyard
