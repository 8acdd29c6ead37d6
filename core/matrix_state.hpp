// What stands behind a GMatrix: its copies, what is known of it, and the remembered decision.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <switchyard/core/dispatcher.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <switchyard/core/planner.hpp>
#include <switchyard/core/trace.hpp>
#include <vector>

#include "copy_set.hpp"
#include "execution/owned_mutex.hpp"
#include "history.hpp"
#include "mean_work.hpp"
#include "runtime_state.hpp"

namespace switchyard {

/// A decision as it is remembered, with all that it depends on.
template <Element T>
struct Decision {
  std::uint64_t runtime_version = 0;  ///< 0: no decision
  std::uint64_t content_version = 0;
  VectorTraffic traffic;
  Index until_calls = 0;  ///< it holds while fewer products have been made
  State target;
  Executor* executor = nullptr;
  const MultiplyOperation<T>* operation = nullptr;
  std::shared_ptr<Storage<T>> storage;
  // What was planned for each product:
  double predicted_seconds = 0;
  double bytes = 0;
  Reason reason = Reason::ShortestPath;
  // How this very product is counted:
  bool after_failure = false;        ///< a device failed it before
  std::optional<State> before = {};  ///< where the product before it was computed
  Index vector_bytes = 0;            ///< of x and y that travel for it
  // How this very product is to be timed:
  bool timed = false;                         ///< by the host's clock
  bool awaited = false;                       ///< waiting for it to be done
  std::shared_ptr<Stopwatch> stopwatch = {};  ///< by the device's
};

/// One product, y = alpha A x + beta y.
template <Element T>
struct Product {
  T alpha{};
  const Vector<T>* x = nullptr;
  T beta{};
  Vector<T>* y = nullptr;
  bool for_caller = false;  ///< y goes back into the caller's own memory
};

/// How long a product took, where that is known.
struct ProductTimes {
  std::optional<double> whole = {};   ///< what its vectors travelled included
  std::optional<double> kernel = {};  ///< the kernel alone
  TraceEvent::Clock::time_point start = {};
};

/// The timing of one product on a device among those that follow, of which nobody waits for any.
struct DeviceTiming {
  enum class Stage { Idle, Running, Pending };
  Executor* executor = nullptr;
  std::shared_ptr<Stopwatch> stopwatch = {};
  Stage stage = Stage::Idle;
  State state = {};
  std::string_view variant = {};
};

/// Vectors that stand for a caller's own memory, kept so that their copies on devices need not be
/// allocated for each product.
template <Element T>
struct SpanVectors {
  Vector<T> x;
  Vector<T> y;
  std::vector<T> y_before = {};  ///< what was in y, where that may be needed once more
};

/// A step that could not be done, and the state whose use it was for. Never leaves the library.
struct StepError {
  State state;
  Error error;
  std::string_view program = {};  ///< the kernel file it needed, if any
};

/// The state of one matrix. Every public member may be called from any thread. From inside the
/// callback of `rewrite`, members that only look answer; the others throw `Error(InvalidArgument)`.
template <Element T>
class MatrixState final : public CopyHolder {
 public:
  [[nodiscard]] static std::shared_ptr<MatrixState> make(std::shared_ptr<RuntimeState> runtime,
                                                         Storage<T> storage);
  explicit MatrixState(std::shared_ptr<RuntimeState> runtime)
      : runtime_(std::move(runtime)), dispatcher_(runtime_->reproducible()) {}
  ~MatrixState() override { runtime_->retire(counters_); }

  void multiply(const Product<T>& product);
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y);

  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index cols() const noexcept { return cols_; }
  [[nodiscard]] Structure structure() const;
  void expect_calls(Index calls);
  void pin(std::optional<State> state);
  [[nodiscard]] std::optional<State> pinned() const;
  [[nodiscard]] std::vector<State> states() const;
  [[nodiscard]] Plan plan() const;
  [[nodiscard]] std::vector<Step> history() const;
  void measure_products(bool measure);
  void bring_to(State state);
  bool evict(State state);
  [[nodiscard]] Storage<T> copy_out(Format format);
  /// Calls `change` with the only copy left, in host memory in that format; then takes stock anew.
  void rewrite(Format format, const std::function<void(Storage<T>&)>& change);
  void assign(Storage<T> storage);

  std::optional<std::uint64_t> oldest_spare(Space space) override;
  bool drop_oldest_spare(Space space) override;
  [[nodiscard]] Counters counters() const override;

 private:
  using Lock = std::unique_lock<OwnedMutex>;

  // These take mutex_ for as long as they need it.
  /// Computes on vectors whose travel the plan expects to be as in `traffic`. Returns the decision
  /// that was carried out.
  Decision<T> compute(const Product<T>& product, const VectorTraffic& traffic, bool after_failure);
  /// Where the product that is about to be made is computed. It is counted here, so that mostly the
  /// mutex is taken once for each; `take_back_product` where it fails.
  [[nodiscard]] Decision<T> decision_for(VectorTraffic traffic, const Product<T>& product,
                                         bool after_failure);
  void note_times(const Decision<T>& decision, const ProductTimes& times);
  [[nodiscard]] std::unique_ptr<SpanVectors<T>> take_span_vectors();
  /// Sees to it that y is where the caller has it. False where a device failed on the way, of which
  /// nothing is expected any more; y is then as it was, if it is `needed_again`, and the product of
  /// that decision is as if it had not been made.
  [[nodiscard]] bool brought_home(SpanVectors<T>& vectors, std::span<T> y, bool needed_again,
                                  const Decision<T>& decision);
  [[nodiscard]] bool has_copy_outside(Space space) const;

  // These REQUIRE mutex_ held.
  bool drop(State state);
  void adopt(Storage<T> storage);
  /// After the contents changed; `valid` holds the state of the only copy. Allocates nothing, since
  /// there is no way back.
  void take_stock(std::vector<State> valid);
  [[nodiscard]] bool remembers(const VectorTraffic& traffic) const;
  /// What the program has been doing between products, once it has done the same twice.
  [[nodiscard]] VectorWork work_between_products();
  /// Throws `Error(DeviceLost)` where the last copy went with its device.
  void require_a_copy() const;
  [[nodiscard]] Plan make_plan(const VectorTraffic& traffic) const;
  [[nodiscard]] Plan plan_to(State state) const;
  void decide(const VectorTraffic& traffic);
  void arrange_timing(Decision<T>& decision);
  void count_product(const Decision<T>& decision);
  void take_back_product(const Decision<T>& decision);
  void remember(const Plan& plan, const VectorTraffic& traffic);
  void collect_time();
  void note_time(State state, std::string_view variant, double seconds);
  void look_again_if(bool wanted);
  void go_to(State state);
  void walk(const Plan& plan);
  void move(const Step& step, Reason reason);
  void note_count(Decision<T>& decision, const Product<T>& product) noexcept;
  void take_back_count(const Decision<T>& decision) noexcept;
  void note_move(StepKind kind, Index bytes, double seconds) noexcept;
  void trace_product(const Decision<T>& decision, const ProductTimes& times) const;
  void trace_move(const Step& step, Reason reason, TraceEvent::Clock::time_point start,
                  double seconds) const;
  void trace_decision(const Plan& plan) const;
  [[nodiscard]] Storage<T> moved(const Step& step, const Storage<T>& from) const;
  void recover(const StepError& failure);
  /// After a call that failed for want of memory: the next one finds more, or fails by itself.
  void forget_short_memory();
  void give_up_space(Space space, const Error& error);

  const std::shared_ptr<RuntimeState> runtime_;
  std::atomic<Index> rows_{0};
  std::atomic<Index> cols_{0};

  mutable OwnedMutex mutex_;  // guards what follows
  mutable CopySet<T> copies_;
  Structure structure_;
  std::uint64_t content_version_ = 1;  // counts changes of what a decision depends on here
  std::vector<RefusedState> refused_;  // tried in vain for this content
  std::vector<State> room_made_;       // states for which others gave way once already
  std::vector<State> needed_;          // states that a move under way needs
  std::optional<Error> last_failure_;
  Dispatcher dispatcher_;
  std::optional<State> pinned_;
  bool measure_ = false;
  VectorTraffic last_traffic_;
  VectorWork work_so_far_;  // of the runtime, at the last product
  VectorWork last_work_;    // between the last two products
  MeanWork mean_work_;      // since `usual_work_` was last made of it
  VectorWork usual_work_;   // what is planned with: what was twice the same, or the mean where not
  Decision<T> decision_;
  DeviceTiming timing_;
  History history_;
  Counters counters_;
  std::optional<State> last_target_;  // of the last product, whatever the contents then were
  std::vector<std::unique_ptr<SpanVectors<T>>> idle_spans_;
};

/// What the debug log calls a matrix: "A 7000x7000 nnz=9.8M (20.0%)".
[[nodiscard]] std::string subject_of(const Structure& structure);

/// The traffic to expect, from where the vectors are and what was done with them so far.
template <Element T>
[[nodiscard]] VectorTraffic traffic_of(const Product<T>& product);

}  // namespace switchyard
