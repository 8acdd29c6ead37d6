// Maps of several matrices, and of what is around the elements of some: where, and by what.
#include <algorithm>
#include <array>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/planner.hpp>

#include "execution/failures.hpp"
#include "execution/matrix_state.hpp"
#include "execution/value_operands.hpp"

namespace switchyard {
namespace {

/// Merging rows takes so many times as long as streaming the same bytes (8 to 11 on two cores, of
/// random patterns: the next column is not foreseen). On a device an item reads a row by itself,
/// and so whole sectors for single elements.
constexpr double merging_factor = 8;

/// The copies of several matrices in one state. They live as long as this does.
template <Element T>
class SharedCopies {
 public:
  void add(std::shared_ptr<StoredCopy<T>> copy) { copies_[count_++] = std::move(copy); }

  /// REQUIRES: dense.
  [[nodiscard]] std::array<const Array<T>*, most_operands> values() const {
    std::array<const Array<T>*, most_operands> values{};
    for (std::size_t k = 0; k < count_; ++k) values[k] = &values_of(copies_[k]->storage);
    return values;
  }
  /// REQUIRES: CSR.
  [[nodiscard]] std::array<const Csr<T>*, most_operands> rows() const {
    std::array<const Csr<T>*, most_operands> rows{};
    for (std::size_t k = 0; k < count_; ++k) rows[k] = &std::get<Csr<T>>(copies_[k]->storage);
    return rows;
  }

 private:
  std::array<std::shared_ptr<StoredCopy<T>>, most_operands> copies_;
  std::size_t count_ = 0;
};

/// The copies in that state, made where there are none.
template <Element T>
SharedCopies<T> copies_brought(State state, std::span<MatrixState<T>* const> matrices) {
  SharedCopies<T> brought;
  for (MatrixState<T>* const matrix : matrices) brought.add(matrix->shared_copy(state));
  return brought;
}

/// The density of a result that has an element wherever any operand has one, and those come where
/// chance puts them.
template <Element T>
double density_of_union(std::span<MatrixState<T>* const> matrices) {
  double absent = 1;
  for (MatrixState<T>* const matrix : matrices)
    absent *= 1 - std::min(matrix->structure().density(), 1.0);
  return 1 - absent;
}

/// Whether elements that all operands lack are zero in the result. What is around an element is
/// looked up in dense.
template <Element T>
bool stays_sparse(const SkeletonWork<T>& work) {
  return work.function().at && work.keeps_zeros();
}

/// What is expected of the result.
template <Element T>
Structure result_of(const SkeletonWork<T>& work, std::span<MatrixState<T>* const> in) {
  const double density = stays_sparse(work) ? density_of_union<T>(in) : 1;
  return even_structure<T>(in.front()->rows(), in.front()->cols(), density);
}

/// What is read and written. Rows are merged twice: results are counted before there is room.
template <Element T>
double bytes_moved(Format format, std::span<MatrixState<T>* const> in, const Structure& result) {
  const double passes = format == Format::Csr ? 2 : 1;
  double bytes = bytes_in(format, result, Index{sizeof(T)});
  for (MatrixState<T>* const matrix : in)
    bytes += passes * bytes_in(format, matrix->structure(), Index{sizeof(T)});
  return bytes;
}

/// The memory that a result on the host is allocated in: charged to the runtime's budget later,
/// as a matrix is that a program hands over.
std::shared_ptr<MemorySpace> memory_for_result(const Executor& executor) {
  return executor.space().is_host() ? plain_host_memory() : executor.memory();
}

template <Element T>
Storage<T> merged(Executor& executor, const SkeletonWork<T>& work, const SharedCopies<T>& copies) {
  const auto rows = copies.rows();
  return matrix_skeletons<T>(executor.backend())
      .merge(executor, work.function_for(executor), std::span(rows).first(work.operands()));
}

template <Element T>
Storage<T> mapped(Executor& executor, const SkeletonWork<T>& work, const SharedCopies<T>& copies,
                  const Structure& shape, const Edge& edge) {
  const auto values = copies.values();
  Dense<T> result = Dense<T>::sized(shape.rows, shape.cols, memory_for_result(executor));
  const SkeletonOperands<T> operands{.function = work.function(),
                                     .arrays = std::span(values).first(work.operands()),
                                     .size = result.values.size(),
                                     .columns = std::max(result.cols, Index{1}),
                                     .edge = edge,
                                     .recorded = &work.recorded()};
  skeleton_operations<T>(executor.backend()).map(executor, operands, result.values);
  return result;
}

/// A result on a device, of which only this much is known.
template <Element T>
Structure structure_on(Executor& device, const Storage<T>& storage) {
  const Index rows = rows_of(storage);
  const Index cols = cols_of(storage);
  const auto* const csr = std::get_if<Csr<T>>(&storage);
  if (!csr) return even_structure<T>(rows, cols, density_on(device, storage));
  const double elements = static_cast<double>(rows) * static_cast<double>(cols);
  Structure structure =
      even_structure<T>(rows, cols, static_cast<double>(csr->nnz) / std::max(elements, 1.0));
  structure.nnz = csr->nnz;
  return structure;
}

}  // namespace

template <Element T>
std::shared_ptr<StoredCopy<T>> MatrixState<T>::shared_copy(State state) {
  const Lock lock(mutex_);
  go_to(state);
  return contents_.copies.find(state)->copy;
}

template <Element T>
double MatrixState<T>::seconds_to(State state) {
  const Lock lock(mutex_);
  if (contents_.copies.find(state)) return 0;
  try {
    return plan_to(state).predicted_seconds;
  } catch (const Error&) {
    return SkeletonChoice::unknown;  // there is no way, or nothing left to start from
  }
}

template <Element T>
double MatrixState<T>::seconds_of_calls_on(State state, const Structure& structure) {
  const Lock lock(mutex_);
  double seconds = 0;
  for (const auto& series : series_) {
    const Index calls = series->dispatcher().expected();
    if (calls == 0) continue;
    try {
      Situation situation = situation_of(*series, calls, series->traffic);
      situation.valid = {state};
      situation.structure = structure;
      situation.spaces = runtime_->outlook(precision_of<T>, structure);
      situation.measured = nullptr;  // on other contents
      seconds += shortest_plan(price(situation)).predicted_seconds;
    } catch (const Error&) {
      return SkeletonChoice::unknown;
    }
  }
  return seconds;
}

template <Element T>
SkeletonChoice MatrixState<T>::choice_for_operands(const SkeletonWork<T>& work,
                                                   std::span<MatrixState* const> in) {
  const bool is_sparse = stays_sparse(work);
  const Structure result = result_of<T>(work, in);
  const auto profile = runtime_->corrected_profile();
  std::vector<std::pair<State, SkeletonCost>> costs;
  for (const SpaceOutlook& space : runtime_->outlook(precision_of<T>, result)) {
    const bool possible = space.space.is_host() || space.usable;
    if (!possible || !work.suits(*runtime_->executor(space.space))) continue;
    for (const Format format : {Format::Csr, Format::Dense}) {
      if (format == Format::Csr && !is_sparse) continue;
      const State state{space.space, format};
      const double streamed =
          stream_seconds(precision_of<T>, *profile, space, bytes_moved<T>(format, in, result))
              .value_or(SkeletonChoice::unknown);
      const double itself = format == Format::Csr ? merging_factor * streamed : streamed;
      costs.push_back({state, {.itself = itself, .around = seconds_of_calls_on(state, result)}});
    }
  }
  const auto without_ways = [](const auto& priced) {
    return priced.second.itself + priced.second.around;
  };
  std::ranges::stable_sort(costs, {}, without_ways);
  const bool fits_csr = is_sparse && bytes_in(Format::Csr, result, Index{sizeof(T)}) <=
                                         bytes_in(Format::Dense, result, Index{sizeof(T)});
  SkeletonChoice choice{.state = {Space::host(), fits_csr ? Format::Csr : Format::Dense}};
  for (const auto& [state, cost] : costs) {
    // Ways are priced only where they may matter.
    if (!log_enabled(LogLevel::Debug) && cost.itself + cost.around >= choice.seconds) break;
    double ways = 0;
    for (MatrixState* const matrix : in) ways += matrix->seconds_to(state);
    choice.consider(state, cost, ways);
  }
  return choice;
}

template <Element T>
void MatrixState<T>::make_from(const SkeletonChoice& choice, const SkeletonWork<T>& work,
                               std::span<MatrixState* const> in, const Edge& edge) {
  const State state = choice.state;
  Executor& executor = *runtime_->executor(state.space);
  const SharedCopies<T> copies = copies_brought<T>(state, in);
  const Structure expected = result_of<T>(work, in);
  if (!state.space.is_host()) {
    const double bytes = bytes_in(state.format, expected, Index{sizeof(T)});
    runtime_->make_room(state.space, static_cast<std::size_t>(bytes));
  }
  const auto start = now_();
  Storage<T> storage = state.format == Format::Csr ? merged(executor, work, copies)
                                                   : mapped(executor, work, copies, expected, edge);
  const bool on_host = state.space.is_host();
  const Structure structure = on_host ? first_look(storage) : structure_on(executor, storage);
  executor.finish();
  const double seconds = seconds_between(start, now_());
  adopt({.kind = StepKind::Map,
         .from = state,
         .to = state,
         .predicted_seconds = choice.itself_seconds,
         .bytes = bytes_moved<T>(state.format, in, structure)},
        std::move(storage), structure, {start, seconds});
}

template <Element T>
void MatrixState<T>::adopt(const Step& made, Storage<T> storage, const Structure& structure,
                           const StepTimes& times) {
  const Lock lock(mutex_);
  if (made.to.space.is_host()) charge_to(storage, runtime_->executor(made.to.space)->memory());
  Origins origins = origins_in(made.to);
  forget_plans();
  records_.reserve();
  contents_.copies.reset(made.to, std::move(storage));
  take_stock(structure, std::move(origins));
  records_.computed(made, times.start, times.seconds);
}

template <Element T>
void MatrixState<T>::map_from(const UserFunction<T>& function, std::span<MatrixState* const> in,
                              const Edge& edge) {
  SkeletonWork<T> work(function, nullptr, in.size());
  const auto has_another_runtime = [&](const auto* other) { return other->runtime_ != runtime_; };
  if (std::ranges::any_of(in, has_another_runtime)) work.keep_on_host("of another runtime");
  for (;;) {
    const SkeletonChoice choice = choice_for_operands(work, in);
    const State state = choice.state;
    if (log_enabled(LogLevel::Debug)) {
      log(LogLevel::Debug, choice_line(StepKind::Map, subject_of(in.front()->structure()), choice,
                                       work.only_on_host()));
    }
    try {
      return make_from(choice, work, in, edge);
    } catch (const Error& error) {
      if (state.space.is_host()) throw;
      // Nothing has been changed: the result was to be a new copy.
      const Error reason = diagnosed(*runtime_->executor(state.space), error);
      if (device_has_failed(reason)) runtime_->set_aside(state.space, reason.what());
      log(LogLevel::Warning, "a map is done on the host: " + std::string(reason.what()));
      work.keep_on_host("a device failed");
    }
  }
}

template std::shared_ptr<StoredCopy<float>> MatrixState<float>::shared_copy(State);
template std::shared_ptr<StoredCopy<double>> MatrixState<double>::shared_copy(State);
template void MatrixState<float>::adopt(const Step&, Storage<float>, const Structure&,
                                        const StepTimes&);
template void MatrixState<double>::adopt(const Step&, Storage<double>, const Structure&,
                                         const StepTimes&);
template void MatrixState<float>::map_from(const UserFunction<float>&,
                                           std::span<MatrixState<float>* const>, const Edge&);
template void MatrixState<double>::map_from(const UserFunction<double>&,
                                            std::span<MatrixState<double>* const>, const Edge&);

}  // namespace switchyard
