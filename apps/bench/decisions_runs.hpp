// Single runs of a workload: the matrix put where it starts, the products made, y read.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "fixed_choice.hpp"
#include "forms.hpp"

namespace switchyard::command::bench {

/// Who makes the calls: a fixed choice, or the automatic one with or without a hint.
struct Contender {
  std::optional<FixedChoice> fixed;
  bool hinted = false;
  Index calls = 1;
  bool operator==(const Contender&) const = default;
};

/// The seconds of one call with each fixed choice, where these are known.
using CallSeconds = std::map<FixedChoice, double>;

/// The seconds with that choice; those of its state where the variant is not known by itself.
/// Absent where neither is known.
[[nodiscard]] std::optional<double> seconds_of_call(const CallSeconds& known,
                                                    const FixedChoice& choice);

/// What came of one run. Of a long one only the beginning is made, until nothing can change any
/// more; the rest is `calls - made` calls with the last choice.
struct ContenderRun {
  double seconds = 0;
  Index made = 0;
  FixedChoice last;
  std::vector<State> visited = {};
  std::vector<Step> moves = {};
  double error = 0;   ///< times what rounding allows
  bool open = false;  ///< patience ended before it was sure that nothing changes any more
};

/// Runs contenders on one matrix.
template <Element T>
class ContenderRuns {
 public:
  /// Keeps references to all of its arguments.
  ContenderRuns(Laboratory& lab, Forms<T>& forms, const std::vector<T>& x,
                const std::vector<ReferenceRow>& expected, const CallSeconds& per_call)
      : lab_(lab), forms_(forms), x_(x), expected_(expected), per_call_(per_call) {}

  /// The matrix in that state only, made by the runtime that holds `choice`, by default any. Throws
  /// what `bring_to` throws.
  [[nodiscard]] GMatrix<T> standing_in(State state, const FixedChoice& choice = {});
  [[nodiscard]] ContenderRun run(State from, const Contender& contender);
  /// How many of the calls are made at least where all of them are made with that choice.
  [[nodiscard]] Index worth_making(const FixedChoice& choice, Index calls) const;
  [[nodiscard]] const CallSeconds& per_call() const noexcept { return per_call_; }

 private:
  [[nodiscard]] bool settled(const GMatrix<T>& matrix, const Contender& contender,
                             Index made) const;
  [[nodiscard]] Index next_stop(const GMatrix<T>& matrix, const Contender& contender,
                                Index made) const;
  void make_calls(const GMatrix<T>& matrix, const Contender& contender, ContenderRun& run,
                  State from);

  Laboratory& lab_;
  Forms<T>& forms_;
  const std::vector<T>& x_;
  const std::vector<ReferenceRow>& expected_;
  const CallSeconds& per_call_;
};

}  // namespace switchyard::command::bench
