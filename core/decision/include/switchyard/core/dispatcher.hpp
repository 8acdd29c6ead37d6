// Decides for one matrix, call after call, and learns from the measured times.
#pragma once

#include <array>
#include <optional>
#include <switchyard/core/ledger.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/core/policy.hpp>
#include <vector>

namespace switchyard {

/// The decisions for one matrix: the horizon, the states of its calls, their measured times, and
/// the conclusions from these. It uses no clock, no memory and no device, so that `replay` can run
/// it on recorded costs. Threads: not synchronised.
class Dispatcher {
 public:
  /// The largest share of the total time that trials may take, but for the call that exceeds it.
  static constexpr double trial_share = 0.02;
  /// The smallest share that a switch must promise to save, so that run-to-run noise moves nothing.
  static constexpr double margin = 0.03;

  /// With `reproducible`, measured times are ignored: the same calls give the same plans.
  explicit Dispatcher(bool reproducible = false) : reproducible_(reproducible) {}

  /// The contents changed, and `valid` are the states that hold them. Counting and measuring start
  /// again. The number of calls of the last contents is remembered, so that a matrix that is
  /// rewritten every few calls is planned for that number.
  void begin(std::vector<State> valid);
  /// The caller made a copy in `state`, at no cost to the plan.
  void joined(State state);
  /// The copy in `state` is gone, and no plan can begin there.
  void left(State state);
  /// Sets the call-count hint. REQUIRES: calls >= 1.
  void expect_calls(Index calls) noexcept { hinted_ = calls; }

  /// The expected calls of the next plan: what remains of the hint, else of the least number of
  /// calls of the last three contents, else the calls so far plus one.
  [[nodiscard]] Index horizon() const noexcept;
  /// Whether that number is known, from a hint or from earlier contents.
  [[nodiscard]] bool knows_horizon() const noexcept;
  /// The calls that a plan for another request counts on: the remaining ones where they are known,
  /// else as many again as there have been.
  [[nodiscard]] Index expected() const noexcept;
  /// Calls since the contents changed.
  [[nodiscard]] Index calls() const noexcept { return calls_; }
  /// The measured times of the calls so far.
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

  /// The plan for the next call. `yard` has the costs for `horizon()` calls. Throws what
  /// `shortest_plan` throws.
  ///
  /// With a known horizon this is the shortest path, unless it leaves a state for a gain within the
  /// margin. Otherwise it is `choose_for_unknown_calls`. A state that was abandoned because it was
  /// slower than predicted is excluded until the contents change. A state that was never used, and
  /// may be faster than the chosen one, is tried if that takes a small share of the total; so is a
  /// kernel that was never used in a state.
  [[nodiscard]] Plan decide(Yard yard) const;
  /// Records that the plan is carried out.
  void follow(const Plan& plan);

  /// Records the measured time of a conversion or transfer. Conversions on the host that took
  /// longer than predicted make others there dearer in the next plans, by the same factor.
  void note_move(const Step& step, double seconds) noexcept;
  /// Records a call. Returns whether the next one needs a new decision.
  bool note_product(State state, std::string_view variant);
  /// Whether that time, of a product that `wants_time` wanted only for a look, on a device, is
  /// about as short as planned. It says no more then: mostly it is of the launch as much as of the
  /// product. Of other times false.
  [[nodiscard]] bool passes_check(State state, std::string_view variant,
                                  const CallTime& time) noexcept;
  /// Whether such a time says more of the product than of its launch: on a device only if it is
  /// long.
  [[nodiscard]] static bool tells_of_kernel(State state, double seconds) noexcept;
  /// What a clock said of a product, without the launch where that is a part of it.
  [[nodiscard]] static CallTime without_launch(State state, const CallTime& time) noexcept;
  /// Records the time of a call. Returns whether the next one needs a new decision, because the
  /// time differs from the plan.
  bool note_time(State state, std::string_view variant, const CallTime& time);
  /// Records what calls took together, stalls included. Returns whether the next one needs a new
  /// decision: more is lost in stalls than was expected, or a kernel that was left because of them
  /// is worth another try.
  bool note_spent(State state, std::string_view variant, Index calls, double seconds) noexcept;
  /// Whether the time of every call is wanted for `note_spent`: on the host, where a clock costs
  /// little beside it.
  [[nodiscard]] bool wants_every_time() const noexcept;
  /// Whether the next call should be timed, where timing has a cost.
  [[nodiscard]] bool wants_time() const noexcept;
  /// Whether to wait for that time. A program may enqueue a thousand calls before the first is
  /// done, and the time of the last would come too late to change the state. So this is true for
  /// the first few calls after an arrival on a device, if they are a trial or the remaining work is
  /// a hundred times as long as the wait.
  [[nodiscard]] bool worth_waiting() const noexcept;

 private:
  struct Trial {
    State state;
    Index until_calls = 0;
    double most_seconds = 0;  ///< what all trials together may take
  };
  /// Of the host's conversions so far, in seconds.
  struct Conversions {
    double predicted = 0;
    double measured = 0;
    /// How many times as long as predicted they took, 1 at least.
    [[nodiscard]] double delay() const noexcept;
  };
  [[nodiscard]] bool has_much_left() const noexcept;
  /// Whether products in at_, on a device, are so short or few that their times are not wanted, but
  /// for a look whether they are as short as planned.
  [[nodiscard]] bool only_checks() const noexcept;
  [[nodiscard]] bool is_check_due() const noexcept;
  /// Whether that is the first time of the planned kernel, on the host, and too long to ask for
  /// more.
  [[nodiscard]] bool is_long_surprise(State state, std::string_view variant,
                                      const CallTime& time) const noexcept;
  /// Charges a trial with the time of its call. Returns whether it ends with it, because trials
  /// have taken all that they may.
  [[nodiscard]] bool ends_trial(State state, const CallTime& time) noexcept;
  void exclude(Yard& yard) const;
  void delay_conversions(Yard& yard) const;
  [[nodiscard]] Plan chosen(Yard yard) const;
  /// What trials may take of the total. REQUIRES: at_ is in the plan's graph.
  [[nodiscard]] double most_for_trials(const Plan& plan) const;
  [[nodiscard]] std::optional<State> worth_trying(const Plan& plan) const;
  /// The same of a kernel that was never used in the state that the plan stays in: no way leads
  /// there, and four calls cost little more than others.
  [[nodiscard]] bool is_kernel_worth_trying(const Plan& plan) const;
  [[nodiscard]] static Plan trial_of_kernel(Plan plan);
  void note_trial(const Plan& plan, const YardNode& node) noexcept;
  [[nodiscard]] double spent_seconds(const Yard& yard) const;

  bool reproducible_ = false;
  Index hinted_ = 0;                      // remaining calls of the hint; 0: none
  std::array<Index, 3> last_contents_{};  // their calls, the last content first; 0: none
  std::vector<State> origin_;
  Index calls_ = 0;
  double moves_seconds_ = 0;
  Conversions conversions_;
  std::optional<State> at_;
  std::string_view variant_;     // of the kernel that is used there
  double expected_seconds_ = 0;  // of a call in at_, as planned
  double y_bytes_ = 0;           // that a call writes
  double least_elsewhere_ = 0;   // of a call in the best other state, within its p95 error
  double other_kernel_ = 0;      // of a call in at_ with the best other kernel
  double unseen_seconds_ = 0;    // spent since the cost was last looked at
  double here_seconds_ = 0;      // spent since the last plan
  double again_seconds_ = 0;     // after so many, what was left may be tried again
  bool curious_ = false;         // a state never used may be faster than at_
  Index checks_ = 0;             // of products in at_, on a device
  Index next_look_ = 0;          // no call before this one is looked at, on a device
  Index slow_checks_ = 0;        // the last of them in a row that took longer than planned
  bool is_trial_ = false;        // the plan that is followed, of a state or of a kernel
  bool keeps_times_ = false;     // of short products on a device: they were slow, or are a trial
  Ledger ledger_;
  std::vector<State> excluded_;
  std::optional<Trial> trial_;
  double trials_seconds_ = 0;
};

}  // namespace switchyard
