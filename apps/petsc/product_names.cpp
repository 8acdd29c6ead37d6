// Looking up a product under the names that SEQAIJ would have.
#include "product_names.hpp"

#include <array>
#include <string>

#include "block.hpp"
#include "failure.hpp"

namespace switchyard::petsc {
namespace {

constexpr const char* any_type = "MatProductSetFromOptions_anytype_C";
using SetProduct = PetscErrorCode (*)(Mat);

std::array<Mat, 3> operands_of(Mat product) {
  const Mat_Product& parts = *product->product;
  return {parts.A, parts.B, parts.type == MATPRODUCT_ABC ? parts.C : nullptr};
}

/// "MatProductSetFromOptions_seqaij_seqmaij_C".
std::string name_as_seqaij(const std::array<Mat, 3>& operands) {
  std::string name = "MatProductSetFromOptions";
  for (Mat operand : operands) {
    if (!operand) continue;
    name += "_";
    name += is_switchyard_block(operand) ? MATSEQAIJ
                                         : reinterpret_cast<PetscObject>(operand)->type_name;
  }
  return name + "_C";
}

/// The first operand that has a function of that name, other than this one.
PetscErrorCode find(const std::array<Mat, 3>& operands, const char* name, SetProduct& found) {
  PetscFunctionBegin;
  found = nullptr;
  for (Mat operand : operands) {
    if (!operand || found) continue;
    PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(operand), name, &found));
    if (found == set_product_as_seqaij) found = nullptr;
  }
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode set_product_as_seqaij(Mat product) {
  const std::array<Mat, 3> operands = operands_of(product);
  SetProduct set_product = nullptr;
  std::string name;
  PetscFunctionBegin;
  PetscCall(guarded(__func__, [&] { name = name_as_seqaij(operands); }));
  PetscCall(find(operands, name.c_str(), set_product));
  if (set_product) PetscCall(set_product(product));
  if (product->ops->productsymbolic) PetscFunctionReturn(0);
  PetscCall(find(operands, any_type, set_product));
  if (set_product) PetscCall(set_product(product));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
