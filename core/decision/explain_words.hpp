// The sentences below the tables of an explained plan.
#pragma once

#include <string>
#include <switchyard/core/plan.hpp>

namespace switchyard {

/// "1 call", "1000 calls", "3.20M calls".
[[nodiscard]] std::string calls_text(Index calls);

/// By which rule the state was chosen, and until when that holds.
[[nodiscard]] std::string reason_text(const Plan& plan);

/// At which numbers of calls another state would be chosen.
[[nodiscard]] std::string break_even_text(const Plan& plan);

/// Where x and y are, and what the program does with them.
[[nodiscard]] std::string vectors_text(const Yard& yard);

/// Whether the error of the predictions may be larger than what the two plans differ by: whether
/// `other` may be the faster one.
[[nodiscard]] bool too_close_to_call(const Plan& plan, const Plan& other);

/// What the plan comes to, in one sentence: the state chosen, and by what factor that is faster
/// than leaving the matrix where it is or, where it stays, than the next best state.
[[nodiscard]] std::string result_text(const Plan& plan);

}  // namespace switchyard
