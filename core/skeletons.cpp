// Skeletons on vectors: recording functions for devices, and running where the vectors are.
#include <algorithm>
#include <array>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/skeletons.hpp>

#include "execution/vector_work.hpp"

namespace switchyard::skeleton {
namespace {

/// Where the operands are, or without any where the result is.
template <Element T>
Space place_of(const Runtime& runtime, std::span<const Vector<T>* const> in, const Vector<T>* out) {
  std::array<std::uint64_t, most_operands> valid{};
  std::ranges::transform(in, valid.begin(),
                         [](const Vector<T>* vector) { return vector->outlook().valid_mask; });
  if (!in.empty()) return place_for(runtime, std::span(valid).first(in.size()));
  valid.front() = out->outlook().valid_mask;
  return place_for(runtime, std::span(valid).first(1));
}

/// Whether a device can compute a function that was recorded like this.
bool is_recorded(const RecordedFunction& function, std::string_view skeleton) {
  if (!function.problem) return true;
  log(LogLevel::Debug, std::string(skeleton) + " on the host: " + function.problem);
  return false;
}

/// The arrays of the operands in an executor's memory.
template <Element T>
struct Brought {
  std::array<const Array<T>*, most_operands> arrays{};

  Brought(Executor& executor, std::span<const Vector<T>* const> in) {
    std::ranges::transform(in, arrays.begin(),
                           [&](const Vector<T>* vector) { return &vector->in(executor.memory()); });
  }
};

template <Element T>
SkeletonOperands<T> operands_of(const Call<T>& call, const Brought<T>& brought, Index size,
                                const RecordedFunction& recorded) {
  return {.function = call.function,
          .arrays = std::span(brought.arrays).first(call.in.size()),
          .size = size,
          .columns = std::max(call.columns, Index{1}),
          .edge = call.edge,
          .recorded = &recorded};
}

/// The function and the operation of a skeleton as a device would compute them, recorded when a
/// device asks.
template <Element T>
class Recording {
 public:
  Recording(const UserFunction<T>* function, const UserFold<T>* fold, std::string_view skeleton)
      : user_function_(function), user_fold_(fold), skeleton_(skeleton) {}
  /// Records for that device. False if it cannot compute it.
  bool usable(const Executor& device) {
    if (user_function_) {
      user_function_->record(user_function_->object, function_);
      if (!is_recorded(function_, skeleton_)) return false;
    }
    if (!user_fold_) return true;
    user_fold_->record(user_fold_->object, user_fold_->in_double && device.facts().supports_double,
                       fold_);
    return is_recorded(fold_, skeleton_);
  }
  [[nodiscard]] const RecordedFunction& function() const noexcept { return function_; }
  [[nodiscard]] const RecordedFunction& fold() const noexcept { return fold_; }

 private:
  const UserFunction<T>* user_function_;
  const UserFold<T>* user_fold_;
  std::string_view skeleton_;
  RecordedFunction function_;
  RecordedFunction fold_;
};

template <Element T>
void note_work(const Runtime& runtime, Index size, std::size_t arrays, bool is_fold) {
  const Index bytes = size * static_cast<Index>(arrays * sizeof(T));
  runtime.note_vector_work({.operations = 1, .sums = is_fold ? 1 : 0, .bytes = bytes});
}

}  // namespace

void check_shape(Index rows, Index columns, Index wanted_rows, Index wanted_columns) {
  if (rows == wanted_rows && columns == wanted_columns) return;
  const auto shape = [](Index a, Index b) { return std::to_string(a) + " x " + std::to_string(b); };
  throw Error(ErrorCode::DimensionMismatch, "elements of " + shape(wanted_rows, wanted_columns) +
                                                " and " + shape(rows, columns) +
                                                " do not go together");
}

template <Element T>
void run_map(const Runtime& runtime, const Call<T>& call, Vector<T>& out) {
  for (const Vector<T>* const vector : call.in) {
    check_size(vector->size(), out.size());
    if (vector == &out && !call.function.at) {
      throw Error(ErrorCode::InvalidArgument, "map_overlap cannot write what it reads");
    }
  }
  if (out.size() == 0) return;
  Recording<T> recording(&call.function, nullptr, "map");
  compute_in<T>(
      runtime, place_of(runtime, call.in, &out),
      [&](const Executor& device) { return recording.usable(device); },
      [&](Executor& executor) {
        const Brought<T> brought(executor, call.in);
        const auto operands = operands_of(call, brought, out.size(), recording.function());
        Array<T>& target = out.target_in(executor.memory(), false);
        skeleton_operations<T>(executor.backend()).map(executor, operands, target);
        out.combined_in(executor.space());
        return true;
      });
  note_work<T>(runtime, out.size(), call.in.size() + 1, false);
}

template <Element T>
T run_reduce(const Runtime& runtime, const Call<T>& call, const UserFold<T>& fold) {
  const Index size = call.in.front()->size();
  for (const Vector<T>* const vector : call.in) check_size(vector->size(), size);
  if (size == 0) return static_cast<T>(fold.identity);
  Recording<T> recording(&call.function, &fold, "reduce");
  const double result = compute_in<T>(
      runtime, place_of<T>(runtime, call.in, nullptr),
      [&](const Executor& device) { return recording.usable(device); },
      [&](Executor& executor) {
        const Brought<T> brought(executor, call.in);
        const auto operands = operands_of(call, brought, size, recording.function());
        return skeleton_operations<T>(executor.backend())
            .reduce(executor, operands, fold, &recording.fold());
      });
  note_work<T>(runtime, size, call.in.size(), true);
  return static_cast<T>(result);
}

template <Element T>
void run_scan(const Runtime& runtime, const UserFold<T>& fold, const Vector<T>& in,
              Vector<T>& out) {
  check_size(in.size(), out.size());
  if (out.size() == 0) return;
  Recording<T> recording(nullptr, &fold, "scan");
  const std::array<const Vector<T>*, 1> operands{&in};
  compute_in<T>(
      runtime, place_of<T>(runtime, operands, nullptr),
      [&](const Executor& device) { return recording.usable(device); },
      [&](Executor& executor) {
        const Array<T>& source = in.in(executor.memory());
        Array<T>& target = out.target_in(executor.memory(), false);
        skeleton_operations<T>(executor.backend())
            .scan(executor, fold, &recording.fold(), source, target);
        out.combined_in(executor.space());
        return true;
      });
  note_work<T>(runtime, out.size(), 2, false);
}

std::string text_of(const RecordedFunction& function) {
  if (function.problem) return std::string("host only: ") + function.problem;
  return recorded_text(function);
}

template void run_map(const Runtime&, const Call<float>&, Vector<float>&);
template void run_map(const Runtime&, const Call<double>&, Vector<double>&);
template float run_reduce(const Runtime&, const Call<float>&, const UserFold<float>&);
template double run_reduce(const Runtime&, const Call<double>&, const UserFold<double>&);
template void run_scan(const Runtime&, const UserFold<float>&, const Vector<float>&,
                       Vector<float>&);
template void run_scan(const Runtime&, const UserFold<double>&, const Vector<double>&,
                       Vector<double>&);

}  // namespace switchyard::skeleton
