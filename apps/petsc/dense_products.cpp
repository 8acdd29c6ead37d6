// MatProduct of the sequential type with dense matrices: several columns at once.
#include <vector>

#include "block.hpp"
#include "failure.hpp"
#include "seq_products.hpp"
#include "seq_type.hpp"

namespace switchyard::petsc {
namespace {

using SetProduct = PetscErrorCode (*)(Mat);
using Numeric = PetscErrorCode (*)(Mat, Mat, Mat);

/// PETSc's functions for SEQAIJ, which are the same for all products.
struct PetscProducts {
  SetProduct symbolic = nullptr;
  SetProduct transposed_symbolic = nullptr;
  Numeric numeric = nullptr;
  Numeric transposed_numeric = nullptr;
};

PetscProducts& petsc_products() noexcept {
  static PetscProducts functions;
  return functions;
}

/// A dense matrix of PETSc, column by column.
struct DenseView {
  const PetscScalar* elements = nullptr;
  PetscInt rows = 0;
  PetscInt cols = 0;
  PetscInt stride = 0;

  [[nodiscard]] std::size_t at(PetscInt row, PetscInt col) const noexcept {
    return static_cast<std::size_t>(col) * static_cast<std::size_t>(stride) +
           static_cast<std::size_t>(row);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
};

/// Switchyard's operands are row-major.
std::vector<double> row_major(const DenseView& b) {
  std::vector<double> rows(b.size());
  std::size_t place = 0;
  for (PetscInt i = 0; i < b.rows; ++i) {
    for (PetscInt j = 0; j < b.cols; ++j) rows[place++] = b.elements[b.at(i, j)];
  }
  return rows;
}

void write_columns(const std::vector<double>& rows, const DenseView& c, PetscScalar* elements) {
  std::size_t place = 0;
  for (PetscInt i = 0; i < c.rows; ++i) {
    for (PetscInt j = 0; j < c.cols; ++j) elements[c.at(i, j)] = rows[place++];
  }
}

PetscErrorCode view_of(Mat dense, DenseView& view) {
  PetscFunctionBegin;
  view.rows = dense->rmap->n;
  view.cols = dense->cmap->N;
  PetscCall(MatDenseGetLDA(dense, &view.stride));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_by_switchyard(Block& block, Operand operand, Mat b, Mat c) {
  DenseView x;
  DenseView y;
  PetscScalar* elements = nullptr;
  PetscFunctionBegin;
  PetscCall(view_of(b, x));
  PetscCall(view_of(c, y));
  PetscCall(MatDenseGetArrayRead(b, &x.elements));
  PetscCall(MatDenseGetArrayWrite(c, &elements));
  const PetscErrorCode failure = guarded(__func__, [&] {
    std::vector<double> product(y.size());
    const std::vector<double> factor = row_major(x);
    block.multiply({.request = {operand, x.cols}, .x = factor, .beta = 0, .y = product});
    write_columns(product, y, elements);
  });
  PetscCall(MatDenseRestoreArrayWrite(c, &elements));
  PetscCall(MatDenseRestoreArrayRead(b, &x.elements));
  PetscCall(failure);
  PetscCall(PetscLogFlops(block.operations(x.cols)));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply(Mat matrix, Operand operand, Mat b, Mat c) {
  Block* block = nullptr;
  bool ready = false;
  PetscFunctionBegin;
  const Numeric by_petsc =
      operand == Operand::Matrix ? petsc_products().numeric : petsc_products().transposed_numeric;
  if (is_switchyard_block(matrix) && b->cmap->N > 0) {
    PetscCall(block_of(matrix, block));
    PetscCall(block->follow(matrix, ready));
  }
  if (ready) {
    PetscCall(multiply_by_switchyard(*block, operand, b, c));
  } else {
    PetscCall(by_petsc(matrix, b, c));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_transposed_dense(Mat matrix, Mat b, Mat c) {
  return multiply(matrix, Operand::Transpose, b, c);
}

PetscErrorCode symbolic(Mat product) {
  PetscFunctionBegin;
  PetscCall(petsc_products().symbolic(product));
  petsc_products().numeric = product->ops->matmultnumeric;
  product->ops->matmultnumeric = multiply_dense;
  PetscFunctionReturn(0);
}

PetscErrorCode transposed_symbolic(Mat product) {
  PetscFunctionBegin;
  PetscCall(petsc_products().transposed_symbolic(product));
  petsc_products().transposed_numeric = product->ops->transposematmultnumeric;
  product->ops->transposematmultnumeric = multiply_transposed_dense;
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode multiply_dense(Mat matrix, Mat b, Mat c) {
  return multiply(matrix, Operand::Matrix, b, c);
}

PetscErrorCode set_product_with_dense(Mat product) {
  SetProduct set_by_petsc = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(product->product->B),
                                     "MatProductSetFromOptions_seqaij_seqdense_C", &set_by_petsc));
  if (!set_by_petsc) PetscFunctionReturn(0);
  PetscCall(set_by_petsc(product));
  if (product->product->type == MATPRODUCT_AB && product->ops->productsymbolic) {
    petsc_products().symbolic = product->ops->productsymbolic;
    product->ops->productsymbolic = symbolic;
  }
  if (product->product->type == MATPRODUCT_AtB && product->ops->productsymbolic) {
    petsc_products().transposed_symbolic = product->ops->productsymbolic;
    product->ops->productsymbolic = transposed_symbolic;
  }
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
