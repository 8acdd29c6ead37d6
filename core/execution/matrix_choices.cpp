// Where skeletons on a matrix are computed: the states, what they cost, and the way to the least of
// them.
#include <algorithm>
#include <limits>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/planner.hpp>

#include "execution/matrix_state.hpp"

namespace switchyard {
namespace {

/// What nothing is known of is chosen by no cost.
constexpr double endless = std::numeric_limits<double>::infinity();

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

/// Whether rows are found in that format.
bool has_rows(Format format) { return format == Format::Dense || format == Format::Csr; }

/// Whether the row and the column of each value are found in that format.
bool has_places(Format format) { return has_rows(format) || format == Format::Csc; }

bool is_none(Format /*format*/) { return false; }

/// Vectors beside a matrix as those of a product that need not travel again: that of its columns is
/// read as x, and that of its rows as y before it is added to.
template <Element T>
VectorTraffic traffic_beside(const VectorsBeside<T>& beside) {
  constexpr auto everywhere = ~std::uint64_t{0};
  const auto valid_mask = [](const Vector<T>* vector) {
    return vector ? vector->outlook().valid_mask : everywhere;
  };
  return {.x_valid = valid_mask(beside.of_columns),
          .y_valid = valid_mask(beside.of_rows),
          .x_fresh = 0,
          .y_read = 0,
          .y_kept = true};
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
      return endless;
    }
  }
  return seconds;
}

template <Element T>
std::vector<State> MatrixState<T>::states_or(Format format, bool (*suits)(Format)) const {
  std::vector<State> states = contents_.copies.states();
  std::erase_if(states, [&](State state) { return !suits(state.format); });
  for (const auto& executor : runtime_->executors()) {
    const State state{executor->space(), format};
    if (std::ranges::find(states, state) == states.end()) states.push_back(state);
  }
  return states;
}

template <Element T>
SkeletonChoice MatrixState<T>::cheapest(std::vector<State> states, State otherwise,
                                        const SkeletonWork<T>& work, SkeletonPrice price_in) const {
  const auto outlook = runtime_->outlook(precision_of<T>, contents_.structure);
  const auto space_of = [&](State state) -> const SpaceOutlook& {
    return outlook[static_cast<std::size_t>(state.space.index())];
  };
  std::erase_if(states, [&](State state) {
    const bool possible = state.space.is_host() || space_of(state).usable;
    return !possible || !work.suits(*runtime_->executor(state.space)) || setbacks_.refuses(state);
  });
  const bool is_told = log_enabled(LogLevel::Debug);
  if (states.size() == 1 && !is_told) return {.state = states.front()};

  const auto profile = runtime_->corrected_profile();
  std::vector<std::pair<State, SkeletonCost>> costs;
  for (const State state : states) {
    costs.emplace_back(state, price_in(state, space_of(state), *profile));
  }
  const auto without_way = [](const auto& priced) {
    return priced.second.itself + priced.second.around;
  };
  std::ranges::stable_sort(costs, {}, without_way);
  const std::vector<State> there = contents_.copies.states();
  SkeletonChoice choice{.state = states.size() == 1 ? states.front() : otherwise};
  for (const auto& [state, cost] : costs) {
    // Ways are priced only where they may matter: the matrix mostly is where it is best.
    if (!is_told && cost.itself + cost.around >= choice.seconds) break;
    try {
      const bool is_there = std::ranges::find(there, state) != there.end();
      choice.consider(state, cost, is_there ? 0 : plan_to(state).predicted_seconds);
    } catch (const Error&) {
      continue;  // there is no way to that state
    }
  }
  return choice;
}

template <Element T>
SkeletonChoice MatrixState<T>::choice_for_map(const SkeletonWork<T>& work,
                                              const VectorsBeside<T>& beside) const {
  Situation vectors = situation_for({});
  vectors.vectors = traffic_beside(beside);
  const auto price = [&](State state, const SpaceOutlook& space, const Profile& profile) {
    const double bytes = 2 * bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    const double ways = beside.any() ? vector_seconds(vectors, profile, space) : 0;
    return SkeletonCost{
        .itself = stream_seconds(precision_of<T>, profile, space, bytes).value_or(endless),
        .around = ways + seconds_of_calls_from(state)};
  };
  // What only devices hold comes home where they cannot compute it.
  const State csr_on_host{Space::host(), Format::Csr};
  if (!beside.any() && !work.keeps_zeros()) {
    return cheapest(states_or(Format::Dense, &is_none), {Space::host(), Format::Dense}, work,
                    price);
  }
  if (beside.any() || work.function().by_place) {
    return cheapest(states_or(Format::Csr, &has_places), csr_on_host, work, price);
  }
  return cheapest(contents_.copies.states(), csr_on_host, work, price);
}

template <Element T>
SkeletonChoice MatrixState<T>::choice_for_transpose(const SkeletonWork<T>& work) const {
  const auto price = [&](State state, const SpaceOutlook& space, const Profile& profile) {
    const double bytes = 2 * bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    return SkeletonCost{
        .itself = stream_seconds(precision_of<T>, profile, space, bytes).value_or(endless)};
  };
  return cheapest(states_or(Format::Csr, &has_places), {Space::host(), Format::Csr}, work, price);
}

template <Element T>
SkeletonChoice MatrixState<T>::choice_for_fold(const SkeletonWork<T>& work) const {
  const auto price = [&](State state, const SpaceOutlook& space, const Profile& profile) {
    const double bytes = bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    return SkeletonCost{
        .itself = stream_seconds(precision_of<T>, profile, space, bytes).value_or(endless)};
  };
  const bool by_place = work.function().by_place;
  // Absent elements of a function of places have no value of their own.
  if (by_place && !work.keeps_zeros()) {
    return cheapest(states_or(Format::Dense, &is_none), {Space::host(), Format::Dense}, work,
                    price);
  }
  return cheapest(states_or(Format::Csr, by_place ? &has_places : &has_every_value),
                  {Space::host(), Format::Csr}, work, price);
}

template <Element T>
SkeletonChoice MatrixState<T>::choice_for_rows(const SkeletonWork<T>& work,
                                               const VectorTraffic& traffic) const {
  // As many calls are expected to follow as there were so far: a way that turns out not to be worth
  // it costs no more than all calls before it.
  Situation situation = situation_for({});
  situation.horizon = row_folds_ + 1;
  situation.vectors = traffic;
  const auto price = [&](State state, const SpaceOutlook& space, const Profile& profile) {
    const double bytes = bytes_in(state.format, contents_.structure, Index{sizeof(T)});
    const double itself = stream_seconds(precision_of<T>, profile, space, bytes).value_or(endless);
    return SkeletonCost{.itself = itself,
                        .around = static_cast<double>(row_folds_) * itself +
                                  vector_seconds(situation, profile, space)};
  };
  std::vector<State> states = states_or(Format::Csr, &has_rows);
  for (const State state : states_or(Format::Dense, &is_none)) {
    if (std::ranges::find(states, state) == states.end()) states.push_back(state);
  }
  // A pin is kept where rows are found in its format.
  if (pinned_ && has_rows(pinned_->format)) states = {*pinned_};
  return cheapest(std::move(states), {Space::host(), Format::Csr}, work, price);
}

template <Element T>
SkeletonChoice MatrixState<T>::remembered_for_rows(const SkeletonWork<T>& work,
                                                   const VectorTraffic& traffic) {
  RememberedChoice asked{.traffic = traffic,
                         .runtime_version = runtime_->version(),
                         .on_devices = !work.only_on_host(),
                         .in_double = work.in_double(),
                         .until = 2 * row_folds_ + 1};
  if (rows_choice_ && rows_choice_->holds_for(asked, row_folds_)) return rows_choice_->choice;
  asked.choice = choice_for_rows(work, traffic);
  if (log_enabled(LogLevel::Debug)) {
    log(LogLevel::Debug, choice_line(StepKind::MapRows, subject_of(contents_.structure),
                                     asked.choice, work.only_on_host()));
  }
  rows_choice_ = asked;
  return asked.choice;
}

template <Element T>
bool MatrixState<T>::brought_for(StepKind skeleton, const SkeletonChoice& choice,
                                 SkeletonWork<T>& work) {
  // Of rows the choice is told when it is made.
  if (log_enabled(LogLevel::Debug) && skeleton != StepKind::MapRows) {
    log(LogLevel::Debug,
        choice_line(skeleton, subject_of(contents_.structure), choice, work.only_on_host()));
  }
  try {
    go_to(choice.state);
    return true;
  } catch (const Error& error) {
    if (choice.state.space.is_host()) throw;
    work.keep_on_host("the matrix could not be brought to the device");
    log(LogLevel::Warning, std::string(name(skeleton)) +
                               " of a matrix is done on the host: " + std::string(error.what()));
    return false;
  }
}

template <Element T>
void MatrixState<T>::recover_from_skeleton(State state, const Error& error, SkeletonWork<T>& work) {
  if (state.space.is_host()) throw Error(error);
  work.keep_on_host("a device failed");
  // A kernel that does not build says nothing about products there.
  if (error.code() == ErrorCode::BuildFailed || error.code() == ErrorCode::Unsupported) {
    log(LogLevel::Warning, "a skeleton is done on the host: " + std::string(error.what()));
    return;
  }
  recover({state, error});
}

template double MatrixState<float>::seconds_of_calls_from(State) const;
template double MatrixState<double>::seconds_of_calls_from(State) const;
template SkeletonChoice MatrixState<float>::choice_for_map(const SkeletonWork<float>&,
                                                           const VectorsBeside<float>&) const;
template SkeletonChoice MatrixState<double>::choice_for_map(const SkeletonWork<double>&,
                                                            const VectorsBeside<double>&) const;
template SkeletonChoice MatrixState<float>::choice_for_transpose(const SkeletonWork<float>&) const;
template SkeletonChoice MatrixState<double>::choice_for_transpose(
    const SkeletonWork<double>&) const;
template SkeletonChoice MatrixState<float>::choice_for_fold(const SkeletonWork<float>&) const;
template SkeletonChoice MatrixState<double>::choice_for_fold(const SkeletonWork<double>&) const;
template SkeletonChoice MatrixState<float>::choice_for_rows(const SkeletonWork<float>&,
                                                            const VectorTraffic&) const;
template SkeletonChoice MatrixState<double>::choice_for_rows(const SkeletonWork<double>&,
                                                             const VectorTraffic&) const;
template SkeletonChoice MatrixState<float>::remembered_for_rows(const SkeletonWork<float>&,
                                                                const VectorTraffic&);
template SkeletonChoice MatrixState<double>::remembered_for_rows(const SkeletonWork<double>&,
                                                                 const VectorTraffic&);
template bool MatrixState<float>::brought_for(StepKind, const SkeletonChoice&,
                                              SkeletonWork<float>&);
template bool MatrixState<double>::brought_for(StepKind, const SkeletonChoice&,
                                               SkeletonWork<double>&);
template void MatrixState<float>::recover_from_skeleton(State, const Error&, SkeletonWork<float>&);
template void MatrixState<double>::recover_from_skeleton(State, const Error&,
                                                         SkeletonWork<double>&);

}  // namespace switchyard
