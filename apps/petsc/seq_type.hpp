// The sequential type.
#pragma once

#include "plain_type.hpp"

namespace switchyard::petsc {

/// Registers MATSEQAIJSWITCHYARD.
PetscErrorCode register_seq_type();

/// Makes a SEQAIJ matrix one of MATSEQAIJSWITCHYARD in place, assembled or not. Does nothing with
/// one that is. Fails with PETSC_ERR_SUP for other subtypes of SEQAIJ.
PetscErrorCode adopt(Mat matrix, const Settings& settings);

/// Functions of SEQAIJ that are called through. REQUIRES: a matrix was adopted.
[[nodiscard]] const PlainFunctions& seq_base() noexcept;

}  // namespace switchyard::petsc
