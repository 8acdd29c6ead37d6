// Adding to PETSc's log.
#include "log_events.hpp"

#include <exception>

namespace switchyard::petsc {
namespace {

LogEvents& events() noexcept {
  static LogEvents numbers;
  return numbers;
}

/// As if the event had begun and ended `times` times and taken so long.
void add(PetscLogEvent event, Index times, double seconds) noexcept {
  if (times <= 0 || !petsc_stageLog) return;
  const PetscStageInfo& stage = petsc_stageLog->stageInfo[petsc_stageLog->curStage];
  PetscEventPerfInfo& info = stage.eventLog->eventInfo[event];
  if (!stage.perfInfo.active || !info.active) return;
  info.count += static_cast<int>(times);
  info.time += seconds;
}

}  // namespace

PetscErrorCode register_log_events() {
  LogEvents& numbers = events();
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("SwydTakeOver", MAT_CLASSID, &numbers.take_over));
  PetscCall(PetscLogEventRegister("SwydPlan", MAT_CLASSID, &numbers.plan));
  PetscCall(PetscLogEventRegister("SwydConvert", MAT_CLASSID, &numbers.convert));
  PetscCall(PetscLogEventRegister("SwydTransfer", MAT_CLASSID, &numbers.transfer));
  PetscFunctionReturn(0);
}

const LogEvents& log_events() noexcept { return events(); }

Accounting::Accounting(const GMatrix<double>& matrix)
    : matrix_(matrix), active_(PetscLogPLB != nullptr) {
  if (active_) before_ = matrix_.counters();
}

Accounting::~Accounting() {
  if (!active_) return;
  try {
    const Counters now = matrix_.counters();
    add(log_events().plan, now.decisions_planned - before_.decisions_planned, 0);
    const Index moves = now.conversions - before_.conversions + now.transfers - before_.transfers;
    if (moves > 0) add_moves(moves);
  } catch (const std::exception&) {
    // The log then lacks a line; the product is done.
  }
}

void Accounting::add_moves(Index moves) const {
  const std::vector<Step> steps = matrix_.history();
  for (auto step = steps.rbegin(); step != steps.rend() && moves > 0; ++step) {
    if (step->kind == StepKind::Multiply) continue;
    const bool converts = step->kind == StepKind::Convert;
    add(converts ? log_events().convert : log_events().transfer, 1,
        step->measured_seconds.value_or(0));
    --moves;
  }
}

}  // namespace switchyard::petsc
