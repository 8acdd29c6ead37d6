// Products of the sequential type with vectors. What Switchyard is not ready for PETSc does.
#include "seq_products.hpp"

#include "block.hpp"
#include "failure.hpp"
#include "seq_type.hpp"

namespace switchyard::petsc {
namespace {

/// z = A x, or z = y + A x if there is a y.
struct VectorProduct {
  Operand operand = Operand::Matrix;
  Vec x = nullptr;
  Vec y = nullptr;
  Vec z = nullptr;
};

PetscErrorCode multiply_by_petsc(Mat matrix, const VectorProduct& product) {
  const PlainFunctions& base = seq_base();
  PetscFunctionBegin;
  const bool transposed = product.operand == Operand::Transpose;
  if (product.y) {
    const auto function = transposed ? base.multtransposeadd : base.multadd;
    PetscCall(function(matrix, product.x, product.y, product.z));
  } else {
    const auto function = transposed ? base.multtranspose : base.mult;
    PetscCall(function(matrix, product.x, product.z));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_by_switchyard(Block& block, const VectorProduct& product) {
  const PetscScalar* x = nullptr;
  PetscScalar* z = nullptr;
  PetscInt x_size = 0;
  PetscInt z_size = 0;
  PetscFunctionBegin;
  if (product.y && product.y != product.z) PetscCall(VecCopy(product.y, product.z));
  PetscCall(VecGetLocalSize(product.x, &x_size));
  PetscCall(VecGetLocalSize(product.z, &z_size));
  PetscCall(VecGetArrayRead(product.x, &x));
  PetscCall(VecGetArray(product.z, &z));
  const PetscErrorCode failure = guarded(__func__, [&] {
    block.multiply({.request = {product.operand, 1},
                    .x = {x, static_cast<std::size_t>(x_size)},
                    .beta = product.y ? 1.0 : 0.0,
                    .y = {z, static_cast<std::size_t>(z_size)}});
  });
  PetscCall(VecRestoreArray(product.z, &z));
  PetscCall(VecRestoreArrayRead(product.x, &x));
  PetscCall(failure);
  PetscFunctionReturn(0);
}

PetscErrorCode multiply(Mat matrix, const VectorProduct& product) {
  Block* block = nullptr;
  bool ready = false;
  PetscFunctionBegin;
  PetscCall(block_of(matrix, block));
  PetscCall(block->follow(matrix, ready));
  if (!ready) {
    PetscCall(multiply_by_petsc(matrix, product));
    PetscFunctionReturn(0);
  }
  PetscCall(multiply_by_switchyard(*block, product));
  PetscCall(PetscLogFlops(block->operations(1)));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode multiply(Mat matrix, Vec x, Vec z) {
  return multiply(matrix, {.operand = Operand::Matrix, .x = x, .z = z});
}

PetscErrorCode multiply_add(Mat matrix, Vec x, Vec y, Vec z) {
  return multiply(matrix, {.operand = Operand::Matrix, .x = x, .y = y, .z = z});
}

PetscErrorCode multiply_transposed(Mat matrix, Vec x, Vec z) {
  return multiply(matrix, {.operand = Operand::Transpose, .x = x, .z = z});
}

PetscErrorCode multiply_transposed_add(Mat matrix, Vec x, Vec y, Vec z) {
  return multiply(matrix, {.operand = Operand::Transpose, .x = x, .y = y, .z = z});
}

}  // namespace switchyard::petsc
