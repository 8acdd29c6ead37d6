// Putting a race together, checking every result, and reading the laps.
#include "state_race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace switchyard::command::bench {
namespace {

/// A peer in the race: its name and how its product is run.
template <Element T>
struct PeerEntrant {
  std::string name;
  PeerProduct<T> product;
};

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
        y_(matrix.forms.structure().rows, executor.memory()) {
    for (const auto& operation : multiply_operations<T>()) {
      const bool mine = operation.format == format && operation.backend == executor.backend();
      if (mine) add(operation);
    }
  }

  std::vector<KernelCase> run() {
    if (cases_.empty()) return {};
    mark_chosen();
    for (std::size_t i = 0; i < cases_.size(); ++i) check(i);
    enter_peers();
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
                     .rows = structure.rows,
                     .cols = structure.cols,
                     .nnz = structure.nnz,
                     .bytes = bytes_of(storage_) + x_.bytes() + y_.bytes()};
    const auto key = multiply_key(state_, precision_of<T>, operation.variant);
    if (const CostModel* const model = lab_.profile->find(key)) {
      const auto features = multiply_features(state_.format, structure, precision_of<T>);
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

  void multiply(std::size_t i) { operations_[i]->run(executor_, storage_, T{1}, x_, T{0}, y_); }

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

  /// Peers of this format; where a format has none, all that compute in the same place.
  [[nodiscard]] std::vector<const Peer*> rivals() const {
    std::vector<const Peer*> all;
    std::vector<const Peer*> same_format;
    for (const PeerLibrary& library : lab_.peers) {
      for (const Peer& peer : library.products) {
        if (!same_place(peer.place, executor_)) continue;
        all.push_back(&peer);
        if (peer.format == state_.format) same_format.push_back(&peer);
      }
    }
    return same_format.empty() ? all : same_format;
  }

  void enter_peers() {
    for (const Peer* const peer : rivals()) {
      try {
        enter(*peer);
      } catch (const std::exception& error) {
        note(peer->name, error.what());
      }
    }
  }

  void enter(const Peer& peer) {
    PeerProblem<T> problem{.csr = matrix_.forms.csr(), .x = matrix_.x};
    if (peer.format == Format::Dense) {
      problem.dense = &std::get<Dense<T>>(matrix_.forms.in(Format::Dense));
    }
    PeerProduct<T> product = peer.prepare<T>(problem);
    product.call();
    product.settle();
    std::vector<T> y(matrix_.expected.size());
    product.fetch(y);
    const double error = worst_error<T>(matrix_.expected, std::span<const T>(y));
    if (error > 1 || error != error) {
      return note(peer.name,
                  fmt::format("wrong: an error of {:.3g} times what rounding allows", error));
    }
    const auto same = std::ranges::count(peers_, peer.name, &PeerEntrant<T>::name);
    peers_.push_back(
        {same > 0 ? fmt::format("{}/{}", peer.name, switchyard::name(peer.format)) : peer.name,
         std::move(product)});
  }

  void note(const std::string& peer, const std::string& what) {
    lab_.notes.push_back(fmt::format("{} is left out on {} ({}, {}): {}", peer,
                                     matrix_.subject.name, switchyard::name(state_),
                                     switchyard::name(precision_of<T>), what));
  }

  [[nodiscard]] std::vector<Racer> racers(const Yardstick& yardstick) {
    std::vector<Racer> all = yardstick.racers;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      all.push_back(
          {cases_[i].variant, [this, i] { multiply(i); }, [this] { executor_.finish(); }});
    }
    for (PeerEntrant<T>& peer : peers_) {
      all.push_back({peer.name, peer.product.call, peer.product.settle});
    }
    return all;
  }

  void read_laps(const Yardstick& yardstick, const std::vector<Laps>& laps) {
    const std::size_t first = yardstick.racers.size();
    const Laps reading = yardstick.reading(laps, cases_.front().bytes);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      KernelCase& entry = cases_[i];
      const Laps& mine = laps[first + i];
      if (entry.failure.empty()) entry.failure = mine.failure;
      entry.seconds = mine.median();
      const double read_seconds = reading.median();
      if (read_seconds > 0) entry.bandwidth = static_cast<double>(entry.bytes) / read_seconds;
      entry.fraction = speedup(mine, reading);
      for (std::size_t k = 0; k < peers_.size(); ++k) {
        compare(entry, mine, peers_[k].name, laps[first + cases_.size() + k]);
      }
    }
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const Laps& theirs = laps[first + cases_.size() + k];
      if (!theirs.failure.empty()) note(peers_[k].name, theirs.failure);
    }
  }

  static void compare(KernelCase& entry, const Laps& mine, const std::string& peer,
                      const Laps& theirs) {
    if (!theirs.failure.empty()) return;
    entry.peers[peer] = theirs.median();
    const double ratio = speedup(mine, theirs);
    if (ratio <= 0 || (entry.ratio > 0 && ratio >= entry.ratio)) return;
    entry.ratio = ratio;
    entry.best_peer = peer;
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
  std::vector<PeerEntrant<T>> peers_;
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
