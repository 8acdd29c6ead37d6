// The runtime's public face.
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/runtime.hpp>

#include "execution/matrix_state.hpp"
#include "profile_store.hpp"
#include "runtime_state.hpp"

namespace switchyard {

Runtime::Runtime() : Runtime(RuntimeOptions::from_environment()) {}
Runtime::Runtime(const RuntimeOptions& options)
    : state_(with_enough_memory([&] { return std::make_shared<RuntimeState>(options); })) {}
Runtime::~Runtime() = default;
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;

template <Element T>
GMatrix<T> Runtime::matrix(Storage<T> storage) const {
  return with_enough_memory(
      [&] { return GMatrix<T>(MatrixState<T>::make(state_, std::move(storage))); });
}

template <Element T>
GMatrix<T> Runtime::matrix(Index rows, Index cols, std::span<const T> row_major) const {
  if (checked_product(rows, cols) != static_cast<Index>(row_major.size())) {
    throw Error(ErrorCode::DimensionMismatch, std::to_string(row_major.size()) +
                                                  " elements are not " + std::to_string(rows) +
                                                  " x " + std::to_string(cols));
  }
  return matrix(Dense<T>{rows, cols, copy_of(row_major)});
}

const std::vector<std::shared_ptr<Executor>>& Runtime::executors() const {
  return state_->executors();
}
Executor* Runtime::executor(Space space) const { return state_->executor(space); }
std::string Runtime::set_aside_reason(Space space) const {
  return with_enough_memory([&] { return state_->set_aside_reason(space); });
}
void Runtime::set_aside(Space space, const std::string& reason) const {
  if (!executor(space)) {
    throw Error(ErrorCode::DeviceUnavailable, "there is no such device", name(space));
  }
  with_enough_memory([&] { state_->set_aside(space, reason); });
}

void Runtime::note_vector_work(const VectorWork& work) const noexcept {
  state_->note_vector_work(work);
}

Counters Runtime::counters() const {
  return with_enough_memory([&] { return state_->counters(); });
}

std::optional<Space> Runtime::last_product_space() const noexcept {
  return state_->last_product_space();
}

std::shared_ptr<const Profile> Runtime::profile() const { return state_->profile(); }
std::string Runtime::profile_problem() const {
  return with_enough_memory([&] { return state_->profile_problem(); });
}
void Runtime::use_profile(Profile profile) {
  with_enough_memory([&] { state_->use_profile(std::move(profile)); });
}
Fingerprint Runtime::fingerprint() const {
  return with_enough_memory([&] { return state_->fingerprint(); });
}
std::string Runtime::default_profile_path() const {
  return with_enough_memory(
      [&] { return profile_path(state_->config_home(), state_->fingerprint()).string(); });
}

Plan Runtime::plan(const PlanQuestion& question) const {
  return with_enough_memory([&] {
    const Situation situation{.request = question.request,
                              .structure = question.structure,
                              .precision = question.precision,
                              .valid = question.valid,
                              .spaces = state_->outlook(question.precision, question.structure),
                              .horizon = question.calls,
                              .vectors = question.vectors,
                              .refused = {},
                              .pinned = question.pinned};
    return shortest_plan(price_unmeasured(situation, *state_->profile()));
  });
}

template GMatrix<float> Runtime::matrix(Storage<float>) const;
template GMatrix<double> Runtime::matrix(Storage<double>) const;
template GMatrix<float> Runtime::matrix(Index, Index, std::span<const float>) const;
template GMatrix<double> Runtime::matrix(Index, Index, std::span<const double>) const;

}  // namespace switchyard
