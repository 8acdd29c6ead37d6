// Folding each row of a matrix with a vector: products with other operations than plus and times.
#include "execution/matrix_state.hpp"
#include "execution/vector_work.hpp"

namespace switchyard {

template <Element T>
void MatrixState<T>::fold_rows_in(const SkeletonChoice& choice, SkeletonWork<T>& work,
                                  const Vector<T>& x, Vector<T>& y) {
  const State state = choice.state;
  Executor& executor = *runtime_->executor(state.space);
  const bool awaited = measure_ || records_.traces();
  const auto start = now_();
  const Index x_bytes = x.valid_in(state.space) ? 0 : x.size() * Index{sizeof(T)};
  const Array<T>& from = x.in_for_product(executor.memory());
  Array<T>& to = y.target_in(executor.memory(), false);
  const RowFold<T> fold{work.function_for(executor), work.fold_for(executor),
                        contents_.copies.find(state)->storage(), from};
  matrix_skeletons<T>(executor.backend()).fold_rows(executor, fold, to);
  if (awaited) executor.finish();
  y.written_in(state.space);
  runtime_->note_product_in(state.space);
  // What a device has been told to do takes it a time that is not known yet.
  const bool is_done = awaited || state.space.is_host();
  const auto seconds = is_done ? std::optional(seconds_between(start, now_())) : std::nullopt;
  records_.computed({.kind = StepKind::MapRows,
                     .from = state,
                     .to = state,
                     .predicted_seconds = choice.itself_seconds,
                     .bytes = bytes_in(state.format, contents_.structure, Index{sizeof(T)})},
                    start, seconds, x_bytes);
  ++row_folds_;
}

template <Element T>
void MatrixState<T>::fold_rows(const UserFunction<T>& function, const UserFold<T>& fold,
                               const Vector<T>& x, Vector<T>& y) {
  check_size(x.size(), cols_);
  check_size(y.size(), rows_);
  if (&x == &y) throw Error(ErrorCode::InvalidArgument, "x and y must not be the same");
  const Lock lock(mutex_);
  SkeletonWork<T> work(function, &fold);
  for (;;) {
    require_a_copy();
    const SkeletonChoice choice =
        remembered_for_rows(work, traffic_of(Product<T>{.x = &x, .y = &y}));
    if (!brought_for(StepKind::MapRows, choice, work)) continue;
    settle();
    records_.reserve();
    try {
      return with_enough_memory([&] { fold_rows_in(choice, work, x, y); });
    } catch (const Error& error) {
      if (is_elsewhere(x, choice.state.space)) throw;
      recover_from_skeleton(choice.state, error, work);
    }
  }
}

template void MatrixState<float>::fold_rows(const UserFunction<float>&, const UserFold<float>&,
                                            const Vector<float>&, Vector<float>&);
template void MatrixState<double>::fold_rows(const UserFunction<double>&, const UserFold<double>&,
                                             const Vector<double>&, Vector<double>&);

}  // namespace switchyard
