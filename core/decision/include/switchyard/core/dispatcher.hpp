// Decides for one matrix, product after product, and learns from what they cost.
#pragma once

#include <array>
#include <optional>
#include <switchyard/core/ledger.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/core/policy.hpp>
#include <vector>

namespace switchyard {

/// The course of one matrix: how many products are to come, where they are sent, what they have
/// cost, and what is concluded from it. Knows no clock, no memory and no device, so that a recorded
/// cost table can be driven through it (see `replay`). Not synchronised.
class Dispatcher {
 public:
  /// What trials may cost of the whole.
  static constexpr double trial_share = 0.02;
  /// A switch must promise to save more than this share, so that run-to-run noise moves nothing.
  static constexpr double margin = 0.03;

  /// With `reproducible`, nothing measured is consulted: the same calls give the same plans.
  explicit Dispatcher(bool reproducible = false) : reproducible_(reproducible) {}

  /// The contents changed and are now in the states of `valid`: counting and measuring begin anew.
  /// How many products the last contents saw is remembered, so that a matrix that is rewritten
  /// every few calls is planned for that few.
  void begin(std::vector<State> valid);
  /// The caller brought a copy there, at no cost to the plan.
  void joined(State state);
  /// The copy there is gone: nobody could have begun from it.
  void left(State state);
  /// So many products are to come. REQUIRES at least one.
  void expect_calls(Index calls) noexcept { hinted_ = calls; }

  /// The number of products that the next plan is for: what is left of the caller's hint, or of
  /// the least that the last three contents saw, or as many as have been made with the one to come.
  [[nodiscard]] Index horizon() const noexcept;
  /// Products made since the contents changed.
  [[nodiscard]] Index calls() const noexcept { return calls_; }
  /// What the products made so far have cost.
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

  /// The plan for the next product over `yard`, which is priced for `horizon()` products. Throws
  /// what `shortest_plan` throws.
  ///
  /// With a known horizon the shortest path, but where that leaves a state for a gain within the
  /// margin; with none `choose_for_unknown_calls`. A state that disappointed, so that it was left
  /// again, is not gone to a second time. Where a state never tried may well be better than the
  /// one chosen and finding out costs a small part of the whole, it is tried.
  [[nodiscard]] Plan decide(Yard yard) const;
  /// The plan is carried out.
  void follow(const Plan& plan);

  /// What a step of the way has cost.
  void note_move(const Step& step, double seconds) noexcept;
  /// A product is made. Returns whether the next one should be decided anew.
  bool note_product(State state, std::string_view variant);
  /// The last one noted failed.
  void take_back_product() noexcept;
  /// One that was noted took so many seconds. Returns whether the next one should be decided anew,
  /// because that is not what the plan expected.
  bool note_time(State state, std::string_view variant, double seconds);
  /// Whether the time of the next product is worth knowing, where knowing it costs something.
  [[nodiscard]] bool wants_time() const noexcept;
  /// Whether it is worth waiting for: a program may ask a device for a thousand products before the
  /// first is done, and the time of the last tells too late that they had better been made
  /// elsewhere. So for the first few after an arrival on a device, where what is to come is a
  /// hundred times as long as the waiting.
  [[nodiscard]] bool worth_waiting() const noexcept;

 private:
  struct Trial {
    State state;
    Index until_calls = 0;
  };
  [[nodiscard]] bool knows_horizon() const noexcept;
  [[nodiscard]] bool has_much_left() const noexcept;
  void exclude(Yard& yard) const;
  [[nodiscard]] Plan chosen(Yard yard) const;
  [[nodiscard]] std::optional<State> worth_trying(const Plan& plan) const;
  [[nodiscard]] double spent_seconds(const Yard& yard) const;

  bool reproducible_ = false;
  Index hinted_ = 0;                      // what is left of the caller's hint; 0: none
  std::array<Index, 3> last_contents_{};  // products that they saw, the last first; 0: none
  std::vector<State> origin_;
  Index calls_ = 0;
  double moves_seconds_ = 0;
  std::optional<State> at_;
  std::string_view variant_;     // of the kernel that is used there
  double expected_seconds_ = 0;  // a product in at_, as it was planned
  double least_elsewhere_ = 0;   // what one may cost in another state at best, by the models
  bool curious_ = false;         // a state never tried may be better than at_
  Ledger ledger_;
  std::vector<State> excluded_;
  std::optional<Trial> trial_;
  double trials_seconds_ = 0;
};

}  // namespace switchyard
