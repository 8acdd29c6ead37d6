/* Matrices from a caller's arrays, and their products, in both precisions. */
#include "check.h"

#define T float
#define NAME(name) name##_f32
#include "typed_products.h"
#undef T
#undef NAME

#define T double
#define NAME(name) name##_f64
#include "typed_products.h"
#undef T
#undef NAME

/** A matrix outlives its runtime's handle. */
static void test_lifetime(void) {
  sy_runtime* runtime = quiet_runtime();
  sy_matrix* matrix = NULL;
  EXPECT_OK(sy_matrix_dense_f64(runtime, 3, 4, dense_f64, SY_COPY, &matrix));
  sy_runtime_free(runtime);
  expect_products_f64(matrix, 1);
  sy_matrix_free(matrix);
}

int main(void) {
  sy_runtime* runtime = quiet_runtime();
  test_all_f32(runtime);
  test_all_f64(runtime);
  sy_runtime_free(runtime);
  test_lifetime();
  return failures != 0;
}
