// What a block says about itself.
#include <algorithm>

#include "block.hpp"

namespace switchyard::petsc {
namespace {

const char* text_of(Role role) noexcept {
  switch (role) {
    case Role::Whole:
      break;
    case Role::Diagonal:
      return "diagonal block";
    case Role::OffDiagonal:
      return "off-diagonal block";
  }
  return "matrix";
}

std::string list_of(const std::vector<State>& states) {
  std::string text;
  for (const State state : states) text += (text.empty() ? "" : ", ") + name(state);
  return text;
}

std::string shape_text(Index rows, Index cols, Index nnz) {
  return std::to_string(rows) + " x " + std::to_string(cols) + ", " + std::to_string(nnz) +
         (nnz == 1 ? " nonzero" : " nonzeros");
}

/// Where the calls with the present contents were computed, in the order of their first.
std::string calls_text(const std::vector<Step>& history) {
  std::vector<Step> sums;
  for (const Step& step : history) {
    if (step.kind != StepKind::Multiply) continue;
    const auto same = std::ranges::find_if(
        sums, [&](const Step& sum) { return sum.request == step.request && sum.to == step.to; });
    if (same == sums.end()) {
      sums.push_back(step);
    } else {
      same->calls += step.calls;
    }
  }
  std::string text;
  for (const Step& sum : sums) {
    text += "    " + name(sum.request) + " in " + name(sum.to) + ": " + std::to_string(sum.calls) +
            " calls\n";
  }
  return text;
}

}  // namespace

std::string Block::summary() const {
  std::string text = "  " + std::string(text_of(role)) + ": ";
  if (!held_) {
    return text + std::to_string(by_petsc_) + " multiplications by PETSc, none by Switchyard\n";
  }
  text += shape_text(rows_, cols_, taken_.offsets && is_held_ ? taken_.offsets[rows_] : 0) + "\n";
  if (few_) text += "    rows with elements: " + std::to_string(few_->rows.size()) + "\n";
  text += "    states: " + list_of(held_->states()) + "\n";
  text += calls_text(held_->history());
  text += "    " + counters_text(held_->counters()) + "\n";
  text += "    multiplications by PETSc: " + std::to_string(by_petsc_) +
          "; contents taken over: " + std::to_string(updates_.patterns) + " patterns, " +
          std::to_string(updates_.values) + " times new values\n";
  return text;
}

std::string Block::explanation() const {
  if (!held_ || !is_held_ || !is_usable_) return {};
  std::string text;
  for (const Request& request : requests_) {
    text += std::string(text_of(role)) + ", " + name(request) + ":\n" + held_->explain(request);
  }
  return text;
}

}  // namespace switchyard::petsc
