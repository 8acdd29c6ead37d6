// The sequential type.
#pragma once

#include "petsc.hpp"
#include "settings.hpp"

namespace switchyard::petsc {

/// Registers MATSEQAIJSWITCHYARD.
PetscErrorCode register_seq_type();

/// Makes a SEQAIJ matrix one of MATSEQAIJSWITCHYARD in place, assembled or not. Does nothing with
/// one that is. Fails with PETSC_ERR_SUP for other subtypes of SEQAIJ.
PetscErrorCode adopt(Mat matrix, const Settings& settings);

/// Functions of SEQAIJ that are called through.
struct SeqBase {
  decltype(_MatOps::mult) mult = nullptr;
  decltype(_MatOps::multadd) multadd = nullptr;
  decltype(_MatOps::multtranspose) multtranspose = nullptr;
  decltype(_MatOps::multtransposeadd) multtransposeadd = nullptr;
  decltype(_MatOps::duplicate) duplicate = nullptr;
  decltype(_MatOps::destroy) destroy = nullptr;
  decltype(_MatOps::view) view = nullptr;
  PetscErrorCode (*retrieve_values)(Mat) = nullptr;
};
/// REQUIRES: a matrix was adopted.
[[nodiscard]] const SeqBase& seq_base() noexcept;

}  // namespace switchyard::petsc
