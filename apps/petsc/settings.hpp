// The options of one matrix.
#pragma once

#include <optional>
#include <switchyard/containers/state.hpp>

#include "petsc.hpp"

namespace switchyard::petsc {

/// What the options database says about a matrix.
struct Settings {
  bool explain = false;      ///< -mat_switchyard_explain
  PetscInt calls = 0;        ///< -mat_switchyard_calls; 0: not given
  std::optional<State> pin;  ///< -mat_switchyard_pin
  bool operator==(const Settings&) const = default;
};

/// Reads the options with the matrix's prefix. Others keep their value. Fails with
/// PETSC_ERR_ARG_OUTOFRANGE for a state that does not exist and a number of calls below 1.
PetscErrorCode read_settings(Mat matrix, Settings& settings);

}  // namespace switchyard::petsc
