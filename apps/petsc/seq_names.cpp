// Composing functions under the names that PETSc looks for.
#include "seq_names.hpp"

#include <array>
#include <utility>

#include "product_names.hpp"
#include "seq_products.hpp"

namespace switchyard::petsc {
namespace {

/// Our name, and SEQAIJ's name of the function that it stands for. PETSc 3.18 composes these.
constexpr std::array same_functions{
    std::pair{"MatConvert_seqaijswitchyard_seqsbaij_C", "MatConvert_seqaij_seqsbaij_C"},
    std::pair{"MatConvert_seqaijswitchyard_seqbaij_C", "MatConvert_seqaij_seqbaij_C"},
    std::pair{"MatConvert_seqaijswitchyard_seqdense_C", "MatConvert_seqaij_seqdense_C"},
    std::pair{"MatConvert_seqaijswitchyard_seqsell_C", "MatConvert_seqaij_seqsell_C"},
    std::pair{"MatConvert_seqaijswitchyard_is_C", "MatConvert_seqaij_is_C"},
    std::pair{"MatConvert_seqaijswitchyard_hypre_C", "MatConvert_seqaij_hypre_C"},
    std::pair{"MatConvert_seqaijswitchyard_scalapack_C", "MatConvert_seqaij_scalapack_C"},
};

// Under the name that users write, too: `MatConvert` does not look up what that stands for.
constexpr std::array to_ours{
    "MatConvert_seqaij_seqaijswitchyard_C",
    "MatConvert_seqaij_switchyard_C",
    "MatConvert_seqaijswitchyard_switchyard_C",
};
constexpr const char* to_plain = "MatConvert_seqaijswitchyard_seqaij_C";
constexpr const char* with_any_type = "MatProductSetFromOptions_anytype_C";
constexpr const char* with_dense = "MatProductSetFromOptions_seqaijswitchyard_seqdense_C";

PetscErrorCode add_same_functions(PetscObject object) {
  PetscFunctionBegin;
  for (const auto& [ours, theirs] : same_functions) {
    PetscVoidFunction function = nullptr;
    PetscCall(PetscObjectQueryFunction(object, theirs, &function));
    if (function) PetscCall(PetscObjectComposeFunction(object, ours, function));
  }
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode add_names(Mat matrix, Converter convert, Converter convert_back) {
  auto* const object = reinterpret_cast<PetscObject>(matrix);
  PetscFunctionBegin;
  PetscCall(add_same_functions(object));
  for (const char* const name : to_ours) {
    PetscCall(PetscObjectComposeFunction(object, name, convert));
  }
  PetscCall(PetscObjectComposeFunction(object, to_plain, convert_back));
  PetscCall(PetscObjectComposeFunction(object, with_dense, set_product_with_dense));
  PetscCall(PetscObjectComposeFunction(object, with_any_type, set_product_as_seqaij));
  PetscFunctionReturn(0);
}

PetscErrorCode remove_names(Mat matrix) {
  auto* const object = reinterpret_cast<PetscObject>(matrix);
  PetscFunctionBegin;
  for (const auto& names : same_functions) {
    PetscCall(PetscObjectComposeFunction(object, names.first, nullptr));
  }
  for (const char* const name : to_ours) {
    PetscCall(PetscObjectComposeFunction(object, name, nullptr));
  }
  PetscCall(PetscObjectComposeFunction(object, to_plain, nullptr));
  PetscCall(PetscObjectComposeFunction(object, with_dense, nullptr));
  PetscCall(PetscObjectComposeFunction(object, with_any_type, nullptr));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
