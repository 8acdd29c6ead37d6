// Measuring one matrix of the thesis's experiments in every state and with automatic choice.
#pragma once

#include <map>
#include <string>
#include <switchyard/switchyard.hpp>
#include <vector>

/// One of the thesis's matrices: square, of single precision, its zeros anywhere.
struct ThesisCase {
  std::string name;
  switchyard::Index size = 0;
  int percent_zeros = 0;
  switchyard::State initial;
};

/// What automatic choice did for so many products.
struct AdaptiveRun {
  switchyard::Index calls = 1;
  switchyard::State predicted;                  ///< where the plans had led by the last product
  std::vector<switchyard::State> final_states;  ///< that hold a copy afterwards
  switchyard::State next_prediction;
  double product_seconds = 0;  ///< one product where the plan led, moves not counted
  double total_seconds = 0;    ///< everything: planning, moves, all products, y on the host
  bool right = false;          ///< the result is within the error bound
};

struct ThesisResult {
  ThesisCase what;
  std::map<switchyard::State, double> product_seconds;  ///< of one product in each fixed state
  std::vector<AdaptiveRun> adaptive;
};

/// Measures medians of a few products in each state, and adaptive runs of `calls` products each.
/// `fixed_states` are those that are there.
[[nodiscard]] ThesisResult measure_case(const switchyard::Runtime& runtime, const ThesisCase& what,
                                        const std::vector<switchyard::Index>& calls);

/// The four states of the thesis that this machine has.
[[nodiscard]] std::vector<switchyard::State> thesis_states(const switchyard::Runtime& runtime);
