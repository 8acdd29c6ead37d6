// Putting a race together, checking every result, and reading the laps.
#include "state_race.hpp"

#include <algorithm>
#include <limits>

namespace switchyard::command::bench {
namespace {

template <Element T>
class StateRace {
 public:
  StateRace(Laboratory& lab, RaceMatrix<T>& matrix, Executor& executor, Format format)
      : lab_(lab),
        matrix_(matrix),
        executor_(executor),
        state_{executor.space(), format},
        moved_(executor.space().is_host()
                   ? std::optional<Storage<T>>{}
                   : transferred(matrix.forms.in(format), executor.memory())),
        storage_(moved_ ? *moved_ : matrix.forms.in(format)),
        x_(placed(matrix.x)),
        y_(std::ssize(matrix.expected), executor.memory()) {
    for (const auto& operation : multiply_operations<T>()) {
      const bool mine = operation.format == format && operation.backend == executor.backend() &&
                        operation.computes(lab.options.request);
      if (mine && operation.suited(executor.facts(), matrix.forms.structure())) add(operation);
    }
  }

  std::vector<KernelCase> run() {
    if (cases_.empty()) return {};
    mark_chosen();
    for (std::size_t i = 0; i < cases_.size(); ++i) check(i);
    rivals_ = rivals_for<T>(lab_, matrix_, executor_, state_.format);
    const Yardstick yardstick(lab_.probe(executor_), cases_.front().bytes);
    const auto laps = race(racers(yardstick), lab_.options.race());
    read_laps(yardstick, laps);
    for (std::size_t i = 0; i < cases_.size(); ++i) check(i);
    return std::move(cases_);
  }

 private:
  using Operation = MultiplyOperation<T>;

  [[nodiscard]] Array<T> placed(const std::vector<T>& values) const {
    Array<T> here = Array<T>::borrow(values);
    if (executor_.space().is_host()) return here;
    return transferred(here, executor_.memory());
  }

  void add(const Operation& operation) {
    const Structure& structure = matrix_.forms.structure();
    KernelCase entry{.matrix = matrix_.subject.name,
                     .family = matrix_.subject.family,
                     .precision = precision_of<T>,
                     .state = state_,
                     .variant = std::string(operation.variant),
                     .request = lab_.options.request,
                     .rows = structure.rows,
                     .cols = structure.cols,
                     .nnz = structure.nnz,
                     .bytes = bytes_of(storage_) + x_.bytes() + y_.bytes()};
    const auto key = multiply_key(state_, entry.request, precision_of<T>, operation.variant);
    if (const CostModel* const model = lab_.profile->find(key)) {
      const auto features =
          multiply_features(state_.format, structure, precision_of<T>, entry.request);
      entry.predicted = model->predict(features).seconds;
    }
    operations_.push_back(&operation);
    cases_.push_back(std::move(entry));
  }

  void mark_chosen() {
    const auto price = [](const KernelCase& entry) {
      return entry.predicted.value_or(std::numeric_limits<double>::infinity());
    };
    const auto cheapest = std::ranges::min_element(cases_, {}, price);
    cheapest->chosen = cheapest->predicted.has_value() || cases_.size() == 1;
  }

  void multiply(std::size_t i) {
    operations_[i]->run(
        {executor_, storage_, T{1}, x_, T{0}, y_, Threads::All, lab_.options.request.columns});
  }

  /// Makes one product into a spoilt y and compares it.
  void check(std::size_t i) {
    if (!cases_[i].failure.empty()) return;
    try {
      std::vector<T> y(matrix_.expected.size(), std::numeric_limits<T>::quiet_NaN());
      executor_.memory()->copy_in(y_.handle(), 0, y.data(), y_.bytes());
      multiply(i);
      executor_.finish();
      executor_.memory()->copy_out(y.data(), y_.handle(), 0, y_.bytes());
      cases_[i].max_error =
          std::max(cases_[i].max_error, worst_error<T>(matrix_.expected, std::span<const T>(y)));
    } catch (const std::exception& error) {
      cases_[i].failure = error.what();
    }
  }

  [[nodiscard]] std::vector<Racer> racers(const Yardstick& yardstick) {
    std::vector<Racer> all = yardstick.racers;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      all.push_back(
          {cases_[i].variant, [this, i] { multiply(i); }, [this] { executor_.finish(); }, true});
    }
    for (const Rival<T>& rival : rivals_) {
      all.push_back({rival.name, rival.product.call, rival.product.settle, false});
    }
    return all;
  }

  void read_laps(const Yardstick& yardstick, const std::vector<Laps>& laps) {
    const std::size_t first = yardstick.racers.size();
    const Laps reading = yardstick.reading(laps, cases_.front().bytes);
    const double read_seconds = reading.per_call();
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      KernelCase& entry = cases_[i];
      const Laps& mine = laps[first + i];
      if (entry.failure.empty()) entry.failure = mine.failure;
      entry.seconds = mine.per_call();
      if (read_seconds > 0) entry.bandwidth = static_cast<double>(entry.bytes) / read_seconds;
      entry.fraction = speedup(mine, reading);
      for (std::size_t k = 0; k < rivals_.size(); ++k) {
        entry.peers.add(rivals_[k].name, mine, laps[first + cases_.size() + k]);
      }
    }
    for (std::size_t k = 0; k < rivals_.size(); ++k) {
      const std::string& failure = laps[first + cases_.size() + k].failure;
      if (!failure.empty()) lab_.notes.push_back(rivals_[k].name + " is left out: " + failure);
    }
  }

  Laboratory& lab_;
  RaceMatrix<T>& matrix_;
  Executor& executor_;
  State state_;
  std::optional<Storage<T>> moved_;
  const Storage<T>& storage_;
  Array<T> x_;
  Array<T> y_;
  std::vector<const Operation*> operations_;
  std::vector<KernelCase> cases_;
  std::vector<Rival<T>> rivals_;
};

}  // namespace

template <Element T>
std::vector<KernelCase> race_state(Laboratory& lab, RaceMatrix<T>& matrix, Executor& executor,
                                   Format format) {
  return StateRace<T>(lab, matrix, executor, format).run();
}

template std::vector<KernelCase> race_state(Laboratory&, RaceMatrix<float>&, Executor&, Format);
template std::vector<KernelCase> race_state(Laboratory&, RaceMatrix<double>&, Executor&, Format);

}  // namespace switchyard::command::bench
