// What holds of every CSR matrix.
#pragma once

#include <gtest/gtest.h>

#include <switchyard/containers/csr.hpp>

namespace switchyard::testing {

template <Element T>
void expect_well_formed(const Csr<T>& matrix) {
  ASSERT_EQ(matrix.offset(0), 0);
  ASSERT_EQ(matrix.offset(matrix.rows), matrix.nnz);
  ASSERT_EQ(matrix.columns.size(), matrix.nnz);
  ASSERT_EQ(matrix.values.size(), matrix.nnz);
  for (Index i = 0; i < matrix.rows; ++i) {
    ASSERT_LE(matrix.offset(i), matrix.offset(i + 1));
    Column last = -1;
    for (Index k = matrix.offset(i); k < matrix.offset(i + 1); ++k) {
      ASSERT_GT(matrix.columns[k], last) << "row " << i;
      ASSERT_LT(matrix.columns[k], matrix.cols);
      last = matrix.columns[k];
    }
  }
}

}  // namespace switchyard::testing
