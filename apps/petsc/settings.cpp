// Reading the options of a matrix.
#include "settings.hpp"

#include <array>

namespace switchyard::petsc {
namespace {

PetscErrorCode set_pin(const char* text, Settings& settings) {
  PetscFunctionBegin;
  settings.pin = parse_state(text);
  PetscCheck(settings.pin, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_switchyard_pin: there is no state '%s'; an example is csr@host", text);
  PetscFunctionReturn(0);
}

PetscErrorCode set_calls(PetscInt calls, Settings& settings) {
  PetscFunctionBegin;
  PetscCheck(calls >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_switchyard_calls: %" PetscInt_FMT " is below 1", calls);
  settings.calls = calls;
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode read_settings(Mat matrix, Settings& settings) {
  PetscBool explain = settings.explain ? PETSC_TRUE : PETSC_FALSE;
  PetscInt calls = settings.calls;
  std::array<char, 64> pin{};
  PetscBool has_calls = PETSC_FALSE;
  PetscBool has_pin = PETSC_FALSE;

  PetscFunctionBegin;
  auto* const object = reinterpret_cast<PetscObject>(matrix);
  PetscOptionsBegin(PetscObjectComm(object), object->prefix, "Switchyard options", "Mat");
  PetscCall(PetscOptionsBool("-mat_switchyard_explain", "Print the plan of each block at the end",
                             MATSWITCHYARD, explain, &explain, nullptr));
  PetscCall(PetscOptionsInt("-mat_switchyard_calls", "Number of multiplications to plan for",
                            MATSWITCHYARD, calls, &calls, &has_calls));
  PetscCall(PetscOptionsString("-mat_switchyard_pin", "Compute in this state only, e.g. csr@host",
                               MATSWITCHYARD, "", pin.data(), pin.size(), &has_pin));
  PetscOptionsEnd();
  settings.explain = explain == PETSC_TRUE;
  if (has_calls) PetscCall(set_calls(calls, settings));
  if (has_pin) PetscCall(set_pin(pin.data(), settings));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
