// The transpose of a matrix as another one, made where that takes least.
#include <algorithm>
#include <switchyard/core/user_functions.hpp>

#include "execution/matrix_state.hpp"

namespace switchyard {
namespace {

/// What is known of the transpose where it cannot be looked at.
template <Element T>
Structure transpose_of(const Structure& structure) {
  Structure transpose =
      even_structure<T>(structure.cols, structure.rows, std::min(structure.density(), 1.0));
  transpose.nnz = structure.nnz;
  transpose.nnz_error = structure.nnz_error;
  transpose.distinct_values = structure.distinct_values;
  return transpose;
}

/// The state of the transpose of a matrix that is in `state`.
State transpose_of(State state) {
  if (state.format == Format::Dense) return state;
  return {state.space, state.format == Format::Csr ? Format::Csc : Format::Csr};
}

constexpr skeleton::Same same;

}  // namespace

template <Element T>
std::shared_ptr<MatrixState<T>> MatrixState<T>::transposed() {
  auto result = std::make_shared<MatrixState>(runtime_);
  const Lock lock(mutex_);
  (void)narrow<Column>(rows_.load());
  SkeletonWork<T> work(skeleton::user_function<T, skeleton::Place::None, 1>(same));
  for (;;) {
    require_a_copy();
    const SkeletonChoice choice = choice_for_transpose(work);
    const State state = choice.state;
    if (!brought_for(StepKind::Map, choice, work)) continue;
    settle();
    Executor& executor = *runtime_->executor(state.space);
    try {
      const auto start = now_();
      Storage<T> storage = with_enough_memory([&] {
        return matrix_skeletons<T>(executor.backend())
            .transpose(executor, contents_.copies.find(state)->storage());
      });
      const Structure structure =
          state.space.is_host() ? first_look(storage) : transpose_of<T>(contents_.structure);
      executor.finish();
      result->adopt({.kind = StepKind::Map,
                     .from = transpose_of(state),
                     .to = transpose_of(state),
                     .predicted_seconds = choice.itself_seconds,
                     .bytes = 2 * bytes_in(state.format, contents_.structure, Index{sizeof(T)})},
                    std::move(storage), structure, {start, seconds_between(start, now_())});
      break;
    } catch (const Error& error) {
      recover_from_skeleton(state, error, work);
    }
  }
  runtime_->enroll(result);
  return result;
}

template std::shared_ptr<MatrixState<float>> MatrixState<float>::transposed();
template std::shared_ptr<MatrixState<double>> MatrixState<double>::transposed();

}  // namespace switchyard
