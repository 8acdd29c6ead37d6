// The edge of the PETSc types: exceptions become PETSc's errors.
#pragma once

#include <utility>

#include "petsc.hpp"

namespace switchyard::petsc {

/// Raises the exception that is being handled as an error of PETSc. Returns its code. REQUIRES:
/// inside a handler.
[[nodiscard]] PetscErrorCode current_failure(const char* function) noexcept;

/// Does `action`, which returns nothing. `function` names the caller in PETSc's stack trace.
template <class Action>
[[nodiscard]] PetscErrorCode guarded(const char* function, Action&& action) noexcept {
  try {
    std::forward<Action>(action)();
    return 0;
  } catch (...) {
    return current_failure(function);
  }
}

}  // namespace switchyard::petsc
