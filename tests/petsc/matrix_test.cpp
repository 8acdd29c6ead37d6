// What is done to a matrix of our type gives what it gives with AIJ: new values, new patterns,
// copies, conversions, products of matrices. Run with 1, 2 and 4 ranks.
#include <array>

#include "pair.hpp"

using switchyard::testing::Checks;
using switchyard::testing::Pair;

namespace {

constexpr PetscInt rows = 90;

PetscErrorCode assemble(Mat matrix) {
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode nothing(Mat&) { return 0; }

PetscErrorCode new_values(Mat& matrix) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(matrix, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(matrix, row, row, -3.0 - row, INSERT_VALUES));
  }
  PetscCall(assemble(matrix));
  PetscFunctionReturn(0);
}

/// Also on other ranks, so that MPIAIJ makes its off-diagonal block anew.
PetscErrorCode new_pattern(Mat& matrix) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(matrix, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscCall(MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(matrix, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(matrix, row, rows - 1 - row, 0.25, ADD_VALUES));
    PetscCall(MatSetValue(matrix, (row + 7) % rows, 2, 0.5, ADD_VALUES));
  }
  PetscCall(assemble(matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode scale(Mat& matrix) { return MatScale(matrix, -2.5); }
PetscErrorCode shift(Mat& matrix) { return MatShift(matrix, 1.5); }
PetscErrorCode zero(Mat& matrix) { return MatZeroEntries(matrix); }

PetscErrorCode scale_diagonally(Mat& matrix) {
  Vec left = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(matrix, nullptr, &left));
  PetscCall(MatGetDiagonal(matrix, left));
  PetscCall(MatDiagonalScale(matrix, left, left));
  PetscCall(VecDestroy(&left));
  PetscFunctionReturn(0);
}

PetscErrorCode zero_rows(Mat& matrix) {
  const std::array<PetscInt, 2> zeroed{1, rows - 2};
  return MatZeroRows(matrix, static_cast<PetscInt>(zeroed.size()), zeroed.data(), 4, nullptr,
                     nullptr);
}

PetscErrorCode store_and_retrieve(Mat& matrix) {
  Vec x = nullptr;
  Vec y = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(matrix, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(matrix));
  PetscCall(MatScale(matrix, 3));
  PetscCall(MatCreateVecs(matrix, &x, &y));
  PetscCall(VecSet(x, 1));
  for (int i = 0; i < 3; ++i) PetscCall(MatMult(matrix, x, y));
  PetscCall(MatRetrieveValues(matrix));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

PetscErrorCode replace_by(Mat& matrix, Mat other) {
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&matrix));
  matrix = other;
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Mat& matrix) {
  Mat copy = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, &copy));
  PetscCall(replace_by(matrix, copy));
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate_pattern(Mat& matrix) {
  Mat copy = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(matrix, MAT_DO_NOT_COPY_VALUES, &copy));
  PetscCall(MatCopy(matrix, copy, SAME_NONZERO_PATTERN));
  PetscCall(replace_by(matrix, copy));
  PetscFunctionReturn(0);
}

PetscErrorCode transpose(Mat& matrix) { return MatTranspose(matrix, MAT_INPLACE_MATRIX, &matrix); }

PetscErrorCode square(Mat& matrix) {
  Mat product = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatMatMult(matrix, matrix, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  PetscCall(MatScale(matrix, 0.5));
  PetscCall(MatMatMult(matrix, matrix, MAT_REUSE_MATRIX, PETSC_DEFAULT, &product));
  PetscCall(replace_by(matrix, product));
  PetscFunctionReturn(0);
}

PetscErrorCode triple_product(Mat& matrix) {
  Mat product = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatPtAP(matrix, matrix, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &product));
  PetscCall(MatPtAP(matrix, matrix, MAT_REUSE_MATRIX, PETSC_DEFAULT, &product));
  PetscCall(replace_by(matrix, product));
  PetscFunctionReturn(0);
}

PetscErrorCode add_other(Mat& matrix) {
  Mat other = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatTranspose(matrix, MAT_INITIAL_MATRIX, &other));
  PetscCall(MatAXPY(matrix, 2, other, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&other));
  PetscFunctionReturn(0);
}

PetscErrorCode convert_there_and_back(Mat& matrix) {
  PetscFunctionBeginUser;
  PetscCall(MatConvert(matrix, MATAIJ, MAT_INPLACE_MATRIX, &matrix));
  PetscCall(MatConvert(matrix, MATSWITCHYARD, MAT_INPLACE_MATRIX, &matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode convert_to_copy(Mat& matrix) {
  Mat copy = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatConvert(matrix, MATAIJ, MAT_INITIAL_MATRIX, &copy));
  PetscCall(MatConvert(matrix, MATAIJ, MAT_REUSE_MATRIX, &copy));
  PetscCall(replace_by(matrix, copy));
  PetscFunctionReturn(0);
}

PetscErrorCode convert_to_baij(Mat& matrix) {
  PetscFunctionBeginUser;
  PetscCall(MatConvert(matrix, MATBAIJ, MAT_INPLACE_MATRIX, &matrix));
  PetscCall(MatConvert(matrix, MATAIJ, MAT_INPLACE_MATRIX, &matrix));
  PetscFunctionReturn(0);
}

/// Every other row and column.
PetscErrorCode submatrix(Mat& matrix) {
  IS chosen = nullptr;
  Mat part = nullptr;
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(matrix, &begin, &end));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin, 2, &chosen));
  PetscCall(MatCreateSubMatrix(matrix, chosen, chosen, MAT_INITIAL_MATRIX, &part));
  PetscCall(MatScale(matrix, 2));
  PetscCall(MatCreateSubMatrix(matrix, chosen, chosen, MAT_REUSE_MATRIX, &part));
  PetscCall(ISDestroy(&chosen));
  PetscCall(replace_by(matrix, part));
  PetscFunctionReturn(0);
}

/// From coordinates, which PETSc may change: MPIAIJ then makes both blocks anew.
PetscErrorCode coordinates(Mat& matrix) {
  std::array<PetscInt, 5> row_indices{0, 3, 3, 8, rows - 1};
  std::array<PetscInt, 5> columns{1, 2, rows - 4, 8, 0};
  const std::array<PetscScalar, 5> values{1, -2, 3, 0.5, 7};
  PetscFunctionBeginUser;
  PetscCall(MatSetPreallocationCOO(matrix, row_indices.size(), row_indices.data(), columns.data()));
  PetscCall(MatSetValuesCOO(matrix, values.data(), INSERT_VALUES));
  PetscFunctionReturn(0);
}

struct Case {
  const char* name;
  PetscErrorCode (*change)(Mat&);
  bool stays_ours = true;
};
constexpr std::array cases{
    Case{"as made", nothing},
    Case{"new values", new_values},
    Case{"a new pattern", new_pattern},
    Case{"scaled", scale},
    Case{"shifted", shift},
    Case{"zeroed", zero},
    Case{"scaled by the diagonal", scale_diagonally},
    Case{"rows zeroed", zero_rows},
    Case{"values stored and retrieved", store_and_retrieve},
    Case{"duplicated", duplicate},
    Case{"duplicated without values, copied", duplicate_pattern},
    Case{"transposed in place", transpose, false},
    Case{"squared", square, false},
    Case{"P^T A P", triple_product, false},
    Case{"A + A^T", add_other, false},
    Case{"converted to AIJ and back", convert_there_and_back},
    Case{"converted to a copy of AIJ", convert_to_copy, false},
    Case{"converted to BAIJ", convert_to_baij, false},
    Case{"submatrix", submatrix, false},
    Case{"from coordinates", coordinates},
};

/// AIJ cannot be converted to our type and stay AIJ.
PetscErrorCode change_aij(const Case& changed, Mat& matrix) {
  PetscFunctionBeginUser;
  if (changed.change != convert_there_and_back) PetscCall(changed.change(matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode check(Checks& checks, const Case& changed) {
  Pair pair;
  PetscFunctionBeginUser;
  PetscCall(switchyard::testing::make_pair(rows, rows, pair));
  // Switchyard holds what is about to change.
  PetscCall(switchyard::testing::expect_same_products(checks, pair, changed.name));
  PetscCall(changed.change(pair.ours));
  PetscCall(change_aij(changed, pair.aij));
  PetscCall(switchyard::testing::expect_same_products(checks, pair, changed.name));
  PetscCall(switchyard::testing::expect_same_elements(checks, pair, changed.name));
  if (changed.stays_ours)
    PetscCall(switchyard::testing::expect_ours(checks, pair.ours, changed.name));
  PetscCall(switchyard::testing::destroy_pair(pair));
  PetscFunctionReturn(0);
}

PetscErrorCode check_shapes(Checks& checks) {
  constexpr std::array shapes{std::array{40, 60}, std::array{60, 40}, std::array{1, 1},
                              std::array{0, 0},   std::array{0, 5},   std::array{5, 0}};
  PetscFunctionBeginUser;
  for (const auto& shape : shapes) {
    Pair pair;
    PetscCall(switchyard::testing::make_pair(shape[0], shape[1], pair));
    PetscCall(switchyard::testing::expect_same_products(checks, pair, "another shape"));
    PetscCall(switchyard::testing::destroy_pair(pair));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode dense_operand(PetscInt local_rows, PetscInt columns, Mat* dense) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, local_rows, PETSC_DECIDE, PETSC_DETERMINE, columns,
                           nullptr, dense));
  PetscCall(MatGetOwnershipRange(*dense, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    for (PetscInt col = 0; col < columns; ++col) {
      PetscCall(MatSetValue(*dense, row, col, 1.0 / (1 + row + 3 * col), INSERT_VALUES));
    }
  }
  PetscCall(assemble(*dense));
  PetscFunctionReturn(0);
}

using Product = PetscErrorCode (*)(Mat, Mat, MatReuse, PetscReal, Mat*);

PetscErrorCode check_dense_product(Checks& checks, Product product, bool transposed,
                                   const char* what) {
  Pair pair;
  Pair result;
  Mat operand = nullptr;
  PetscInt local_rows = 0;
  PetscInt local_cols = 0;
  PetscFunctionBeginUser;
  PetscCall(switchyard::testing::make_pair(rows, rows - 20, pair));
  PetscCall(MatGetLocalSize(pair.aij, &local_rows, &local_cols));
  PetscCall(dense_operand(transposed ? local_rows : local_cols, 6, &operand));
  for (int round = 0; round < 4; ++round) {
    const MatReuse reuse = round == 0 ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX;
    if (round == 3) PetscCall(MatScale(pair.ours, 2));
    if (round == 3) PetscCall(MatScale(pair.aij, 2));
    PetscCall(product(pair.ours, operand, reuse, PETSC_DEFAULT, &result.ours));
    PetscCall(product(pair.aij, operand, reuse, PETSC_DEFAULT, &result.aij));
    PetscCall(switchyard::testing::expect_same_elements(checks, result, what));
  }
  PetscCall(MatDestroy(&operand));
  PetscCall(switchyard::testing::destroy_pair(result));
  PetscCall(switchyard::testing::destroy_pair(pair));
  PetscFunctionReturn(0);
}

PetscErrorCode check_all(Checks& checks) {
  PetscFunctionBeginUser;
  for (const Case& changed : cases) PetscCall(check(checks, changed));
  PetscCall(check_shapes(checks));
  PetscCall(check_dense_product(checks, MatMatMult, false, "A B, B dense"));
  PetscCall(check_dense_product(checks, MatTransposeMatMult, true, "A^T B, B dense"));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  Checks checks;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SwitchyardPetscRegister());
  PetscCall(SwitchyardPetscRegister());
  PetscCall(check_all(checks));
  PetscCall(PetscFinalize());
  return checks.failures() == 0 ? 0 : 1;
}
