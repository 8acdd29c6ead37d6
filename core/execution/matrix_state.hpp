// What stands behind a GMatrix: its copies and its calls, made of parts that can be tested alone.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <switchyard/backends/skeleton_operations.hpp>
#include <switchyard/containers/function_ref.hpp>
#include <switchyard/containers/vector.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <vector>

#include "execution/call_series.hpp"
#include "execution/owned_mutex.hpp"
#include "execution/plan_runner.hpp"
#include "execution/product_timer.hpp"
#include "execution/records.hpp"
#include "execution/setbacks.hpp"
#include "execution/skeleton_work.hpp"
#include "runtime_state.hpp"

namespace switchyard {

/// One call, y = alpha A x + beta y.
template <Element T>
struct Product {
  T alpha{};
  const Vector<T>* x = nullptr;
  T beta{};
  Vector<T>* y = nullptr;
  bool for_caller = false;  ///< y goes back into the caller's own memory
  Request request = {};
};

/// How a call is to be tried.
struct Attempt {
  VectorTraffic traffic;       ///< how its vectors are expected to travel
  bool after_failure = false;  ///< a device has failed it before
  bool again = false;          ///< it has been tried before, and so has what led to it
};

/// One call under way: what was decided for it, and what it holds meanwhile.
template <Element T>
struct Call {
  CallSeries<T>* series = nullptr;
  PlannedCall<T>* planned = nullptr;  ///< lives while `in_use` does
  CopyInUse<T> in_use;                ///< of the copy that was decided for
  TimingRequest timing;
  bool after_failure = false;  ///< the host completes what a device has failed
  CallTimes times = {};        ///< once it is done

  [[nodiscard]] bool is_timed() const noexcept { return timing.by_clock || timing.stopwatch; }
};

/// Vectors beside a matrix whose elements are mapped with it: one for its rows and one for its
/// columns. Either may be null.
template <Element T>
struct VectorsBeside {
  const Vector<T>* of_rows = nullptr;
  const Vector<T>* of_columns = nullptr;

  [[nodiscard]] bool any() const noexcept { return of_rows || of_columns; }
};

/// When a step began, and how many seconds it took.
struct StepTimes {
  Clock::time_point start;
  double seconds = 0;
};

/// Vectors that stand for a caller's own memory, kept so that their copies on devices need not be
/// allocated for each call.
template <Element T>
struct SpanVectors {
  Vector<T> x;
  Vector<T> y;
  std::vector<T> y_before = {};  ///< what was in y, where that may be needed once more
};

/// The state of one matrix. Every public member may be called from any thread. From inside the
/// callback of `rewrite`, members that only look answer; the others throw `Error(InvalidArgument)`.
template <Element T>
class MatrixState final : public CopyHolder {
 public:
  [[nodiscard]] static std::shared_ptr<MatrixState> make(std::shared_ptr<RuntimeState> runtime,
                                                         Storage<T> storage);
  /// Everything is timed by `now`.
  explicit MatrixState(std::shared_ptr<RuntimeState> runtime, ClockFunction now = &Clock::now);
  ~MatrixState() override;

  void multiply(const Product<T>& product);
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, const Request& request = {});

  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index cols() const noexcept { return cols_; }
  [[nodiscard]] Structure structure();
  void expect_calls(const ExpectedCalls& calls);
  /// For every request, or only for that one; for none where there is no state.
  void pin(std::optional<State> state, const std::optional<Request>& request = {});
  [[nodiscard]] std::optional<State> pinned();
  [[nodiscard]] std::vector<State> states();
  [[nodiscard]] Plan plan(const Request& request = {});
  [[nodiscard]] std::vector<Step> history();
  void measure_products(bool measure);
  void bring_to(State state);
  bool evict(State state);
  [[nodiscard]] Storage<T> copy_out(Format format);
  /// Another matrix of the same runtime, which is the transpose.
  [[nodiscard]] std::shared_ptr<MatrixState> transposed();
  /// Calls `change` with the only copy left, in host memory in that format; then takes stock anew.
  void rewrite(Format format, FunctionRef<void(Storage<T>&)> change);
  void assign(Storage<T> storage);
  /// Replaces each element by what the function makes of it, absent ones included: of so many
  /// times the same element. With vectors beside the matrix it is a function of an element that is
  /// not zero and of theirs, and zeros stay.
  void map_elements(const UserFunction<T>& function, std::size_t operands = 1,
                    const VectorsBeside<T>& beside = {});
  /// Becomes what the function makes of the elements of several matrices of one shape, where that
  /// takes least. A function without `at` is shown what is around them.
  void map_from(const UserFunction<T>& function, std::span<MatrixState* const> in,
                const Edge& edge);
  /// The arrays in that state, shared, and brought there if need be.
  [[nodiscard]] std::shared_ptr<StoredCopy<T>> shared_copy(State state);
  /// The way to that state; endless where there is none.
  [[nodiscard]] double seconds_to(State state);
  /// The fold of what the function makes of each element, absent ones included.
  [[nodiscard]] double fold_elements(const UserFunction<T>& function, const UserFold<T>& fold);

  /// y_i = the fold of function(a_ij, x_j) over the elements of row i that are not zero.
  void fold_rows(const UserFunction<T>& function, const UserFold<T>& fold, const Vector<T>& x,
                 Vector<T>& y);

  std::optional<std::uint64_t> oldest_spare(Space space) override;
  bool drop_oldest_spare(Space space) override;
  [[nodiscard]] Counters counters() override;

 private:
  using Lock = std::unique_lock<OwnedMutex>;
  /// Where the contents are from which each series begins.
  using Origins = std::vector<std::vector<State>>;

  // These take mutex_ for as long as they need it.
  /// Computes somewhere, whatever fails on the way. The call is done, but not recorded.
  [[nodiscard]] Call<T> compute(const Product<T>& product, Attempt attempt);
  /// The remembered decision, while another thread has the mutex. Nothing where there is none that
  /// holds, or where the call has to be looked at.
  [[nodiscard]] std::optional<Call<T>> follow(const Product<T>& product, const Attempt& attempt);
  /// Decides where a call is computed, and records the calls that have finished since: mostly the
  /// mutex is taken once for each.
  [[nodiscard]] Call<T> begin(const Product<T>& product, Attempt& attempt);
  /// Records a call that is done and whose y is where it belongs.
  void finish(Call<T>& call, const Product<T>& product) noexcept;
  [[nodiscard]] std::unique_ptr<SpanVectors<T>> take_span_vectors();
  /// Sees to it that y is where the caller has it. False where a device failed on the way, of which
  /// nothing is expected any more; y is then as it was, if it is `needed_again`.
  [[nodiscard]] bool copied_back(SpanVectors<T>& vectors, std::span<T> y, bool needed_again);
  [[nodiscard]] bool has_copy_outside(Space space);

  /// Where a map of several matrices is computed: the state in which the ways of all of them, the
  /// map, and the calls that are expected of this matrix take least.
  [[nodiscard]] SkeletonChoice choice_for_operands(const SkeletonWork<T>& work,
                                                   std::span<MatrixState* const> in);
  /// The time of all calls that are expected, were these the contents, in that state alone.
  [[nodiscard]] double seconds_of_calls_on(State state, const Structure& structure);
  /// Becomes what the work makes of the operands, which are brought there. Throws `Error`, having
  /// done nothing else.
  void make_from(const SkeletonChoice& choice, const SkeletonWork<T>& work,
                 std::span<MatrixState* const> in, const Edge& edge);
  /// Takes over what a skeleton has made, and records it.
  void adopt(const Step& made, Storage<T> storage, const Structure& structure,
             const StepTimes& times);

  // These REQUIRE mutex_ held.
  [[nodiscard]] CallSeries<T>& series_of(const Request& request);
  /// The request that is computed where that one is asked for: with a symmetric matrix the
  /// transpose is none of its own, once so many calls are expected that it is worth a look.
  [[nodiscard]] Request computed_for(const Request& request);
  /// Found out once for these contents, from a copy on the host; false where that has none to tell.
  [[nodiscard]] bool is_symmetric();
  /// Whether somebody wants to know what each call takes.
  [[nodiscard]] bool is_watched() const noexcept;
  [[nodiscard]] TimingRequest timing_of(CallSeries<T>& series, const PlannedCall<T>& planned);
  void record(Call<T>& call, const Product<T>& product);
  void note_time(CallSeries<T>& series, const ProductKind& work, const CallTime& time);
  void collect_time();
  /// Records what has finished since in any series.
  void settle() noexcept;
  /// What decisions depend on has changed.
  void forget_plans() noexcept;
  bool drop(State state);
  [[nodiscard]] Origins origins_in(State state) const;
  /// After the contents changed; the only copy is in `state`, where every series begins. Allocates
  /// nothing that is kept, since there is no way back.
  void take_stock(State state, Origins origins);
  /// The same where the structure is known.
  void take_stock(const Structure& structure, Origins origins);
  /// Throws `Error(DeviceLost)` where the last copy went with its device.
  void require_a_copy() const;
  /// For one call, by the models alone, in the state that is asked for by name, if any.
  [[nodiscard]] Situation situation_for(std::optional<State> wanted,
                                        const Request& request = {}) const;
  /// With the built-in models where the profile lacks what the pinned state needs.
  [[nodiscard]] Yard price(const Situation& situation) const;
  /// For so many calls of that series.
  [[nodiscard]] Situation situation_of(const CallSeries<T>& series, Index horizon,
                                       const VectorTraffic& traffic) const;
  /// The yards of the other series of which calls are expected, if they may go where they like.
  [[nodiscard]] std::vector<Yard> companions_of(const CallSeries<T>& series) const;
  /// Where the calls of that series have to be computed, if anywhere.
  [[nodiscard]] std::optional<State> pinned_for(const CallSeries<T>& series) const {
    return series.pinned ? series.pinned : pinned_;
  }
  [[nodiscard]] Plan make_plan(const CallSeries<T>& series, const VectorTraffic& traffic) const;
  [[nodiscard]] Plan plan_to(State state) const;
  [[nodiscard]] PlannedCall<T>* decide(CallSeries<T>& series, const VectorTraffic& traffic,
                                       bool for_caller);
  [[nodiscard]] PlannedCall<T>* remember(CallSeries<T>& series, const Plan& plan, bool for_caller);
  void go_to(State state);
  void walk(const Plan& plan);
  void recover(StepError failure);
  void make_all_room(State state);
  /// Where a skeleton is computed: the state in which moving there, computing and what follows take
  /// least, of those that the executors suit.
  [[nodiscard]] SkeletonChoice choice_for_map(const SkeletonWork<T>& work,
                                              const VectorsBeside<T>& beside) const;
  [[nodiscard]] SkeletonChoice choice_for_transpose(const SkeletonWork<T>& work) const;
  [[nodiscard]] SkeletonChoice choice_for_fold(const SkeletonWork<T>& work) const;
  [[nodiscard]] SkeletonChoice choice_for_rows(const SkeletonWork<T>& work,
                                               const VectorTraffic& traffic) const;
  /// The same, or what was chosen before if that holds. It does until there are twice as many
  /// folds, or whatever plans depend on changes.
  [[nodiscard]] SkeletonChoice remembered_for_rows(const SkeletonWork<T>& work,
                                                   const VectorTraffic& traffic);
  /// The same of those states; `otherwise` where there is no way to any of them.
  using SkeletonPrice = FunctionRef<SkeletonCost(State, const SpaceOutlook&, const Profile&)>;
  [[nodiscard]] SkeletonChoice cheapest(std::vector<State> states, State otherwise,
                                        const SkeletonWork<T>& work, SkeletonPrice price_in) const;
  /// The states that are there and suit, and that format in every space.
  [[nodiscard]] std::vector<State> states_or(Format format, bool (*suits)(Format)) const;
  /// The time of all calls that are expected, were the only copy in `state`.
  [[nodiscard]] double seconds_of_calls_from(State state) const;
  /// Brings the matrix to where a skeleton is to be computed, and says why. False where the device
  /// does not take it: it is then left to the host.
  [[nodiscard]] bool brought_for(StepKind skeleton, const SkeletonChoice& choice,
                                 SkeletonWork<T>& work);
  /// After a failure that changed nothing: returns where the host can go on.
  void recover_from_skeleton(State state, const Error& error, SkeletonWork<T>& work);
  /// The arrays of vectors beside the matrix where the map is computed. Nothing where the device
  /// does not take them: the map is then left to the host.
  [[nodiscard]] std::optional<BesideMap<T>> brought_beside(State state, SkeletonWork<T>& work,
                                                           const VectorsBeside<T>& beside);
  void map_on_host(State state, const SkeletonWork<T>& work, const BesideMap<T>& beside);
  void map_on_device(State state, const SkeletonWork<T>& work, const BesideMap<T>& beside);
  /// Returns where the map can be done elsewhere.
  void recover_from_map(State state, const Error& error);
  [[nodiscard]] double fold_in(State state, SkeletonWork<T>& work);
  void fold_rows_in(const SkeletonChoice& choice, SkeletonWork<T>& work, const Vector<T>& x,
                    Vector<T>& y);
  void give_up_space(Space space, const Error& error);

  const std::shared_ptr<RuntimeState> runtime_;
  const ClockFunction now_;
  std::atomic<Index> rows_{0};
  std::atomic<Index> cols_{0};
  std::atomic<bool> measure_{false};

  // The first of `series_`, null where there are fewer: found without the mutex.
  std::array<std::atomic<CallSeries<T>*>, 4> first_series_{};

  OwnedMutex mutex_;  // guards what follows
  Contents<T> contents_;
  std::uint64_t contents_number_ = 0;  // of those that there have been
  Index row_folds_ = 0;                // of these contents
  std::optional<RememberedChoice> rows_choice_;
  Setbacks setbacks_;
  Records records_;
  PlanRunner<T> runner_;
  std::vector<std::unique_ptr<CallSeries<T>>> series_;  // none ever goes
  ProductTimer timer_;
  std::optional<State> pinned_;

  std::mutex spans_mutex_;  // guards what follows
  std::vector<std::unique_ptr<SpanVectors<T>>> idle_spans_;
};

/// What the debug log calls a matrix: "A 7000x7000 nnz=9.8M (20.0%)".
[[nodiscard]] std::string subject_of(const Structure& structure);

/// The traffic to expect, from where the vectors are and what was done with them so far.
template <Element T>
[[nodiscard]] VectorTraffic traffic_of(const Product<T>& product);

}  // namespace switchyard
