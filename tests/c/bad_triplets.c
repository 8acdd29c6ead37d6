/* Elements in coordinates that are refused: the call says so, and changes nothing. */
#include <limits.h>

#include "check.h"

static const int32_t offsets[3] = {0, 2, 3};
static const int32_t columns[3] = {0, 2, 1};
static const float values[3] = {1, 2, 3};
static const double wide_values[3] = {1, 2, 3};
static const sy_csr good = {2, 3, 3, offsets, columns, 32, 32, 0};
static const int32_t row_of[3] = {1, 0, 0};
static const int32_t col_of[3] = {1, 2, 0};
static const sy_triplets good_places = {2, 3, 3, row_of, col_of, 32, 0};
static const char never = 0;
/** What no function may write to. */
#define UNTOUCHED ((sy_matrix*)&never)

/** Expects that no matrix of elements at these places is made of either type, nor assigned. */
static void refuse_triplets(const sy_runtime* runtime, sy_status status,
                            const sy_triplets* places) {
  sy_matrix* assigned = NULL;
  sy_matrix* wide_assigned = NULL;
  sy_matrix* matrix = UNTOUCHED;
  EXPECT_OK(sy_matrix_csr_f32(runtime, &good, values, SY_COPY, &assigned));
  EXPECT_OK(sy_matrix_csr_f64(runtime, &good, wide_values, SY_COPY, &wide_assigned));
  EXPECT_STATUS(status, sy_matrix_triplets_f32(runtime, places, values, &matrix));
  EXPECT_STATUS(status, sy_matrix_triplets_f64(runtime, places, wide_values, &matrix));
  EXPECT(matrix == UNTOUCHED);
  EXPECT_STATUS(status, sy_assign_triplets_f32(assigned, places, values));
  EXPECT_STATUS(status, sy_assign_triplets_f64(wide_assigned, places, wide_values));
  sy_matrix_free(assigned);
  sy_matrix_free(wide_assigned);
}

static void test_sizes_of_triplets(const sy_runtime* runtime) {
  const int64_t sizes[4] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 62};
  sy_triplets bad = good_places;
  size_t i;
  refuse_triplets(runtime, SY_INVALID_ARGUMENT, NULL);
  for (i = 0; i < 4; ++i) {
    bad = good_places;
    bad.rows = sizes[i];
    refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
    bad = good_places;
    bad.cols = sizes[i];
    refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
    bad = good_places;
    bad.nnz = sizes[i];
    refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
  }
  bad = good_places;
  bad.row_of = NULL;
  refuse_triplets(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good_places;
  bad.col_of = (const char*)col_of + 1;
  refuse_triplets(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good_places;
  bad.index_bits = 33;
  refuse_triplets(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good_places;
  bad.base = 2;
  refuse_triplets(runtime, SY_INVALID_ARGUMENT, &bad);
}

static void test_contents_of_triplets(const sy_runtime* runtime) {
  const int32_t outside[4] = {3, -1, INT_MAX, INT_MIN};
  const int64_t wide_rows[3] = {1, INT64_MIN, 0};
  const int64_t wide_cols[3] = {1, 2, (INT64_C(1) << 32) + 1};
  const int64_t zeros[3] = {0, 0, 0};
  size_t i;
  sy_triplets bad;
  for (i = 0; i < 4; ++i) {
    int32_t numbers[3] = {0, 0, 0};
    numbers[1] = outside[i];
    bad = good_places;
    bad.row_of = numbers;
    refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
    bad = good_places;
    bad.col_of = numbers;
    refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
  }
  EXPECT(strstr(sy_last_error(), "column -2147483648 is outside 0..2") != NULL);
  bad.index_bits = 64;
  bad.row_of = wide_rows;
  bad.col_of = zeros;
  bad.base = 1;
  refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
  bad.row_of = zeros;
  bad.base = 0;
  bad.col_of = wide_cols;
  refuse_triplets(runtime, SY_OUT_OF_RANGE, &bad);
}

static void test_missing_arguments(const sy_runtime* runtime) {
  sy_matrix* matrix = UNTOUCHED;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_triplets_f32(NULL, &good_places, values, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT,
                sy_matrix_triplets_f64(NULL, &good_places, wide_values, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_triplets_f32(runtime, &good_places, NULL, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_triplets_f64(runtime, &good_places, NULL, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_triplets_f32(runtime, &good_places, values, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT,
                sy_matrix_triplets_f64(runtime, &good_places, wide_values, NULL));
  EXPECT(matrix == UNTOUCHED);
}

static void test_assignments(const sy_runtime* runtime) {
  const float x[3] = {1, 10, 100};
  float y[2] = {0, 0};
  sy_matrix* matrix = NULL;
  sy_matrix* wide = NULL;
  EXPECT_OK(sy_matrix_csr_f32(runtime, &good, values, SY_BORROW, &matrix));
  EXPECT_OK(sy_matrix_csr_f64(runtime, &good, wide_values, SY_COPY, &wide));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_triplets_f32(NULL, &good_places, values));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_triplets_f64(NULL, &good_places, wide_values));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_triplets_f32(wide, &good_places, values));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_triplets_f64(matrix, &good_places, wide_values));
  EXPECT_OK(sy_multiply_f32(matrix, NULL, 1, x, 3, 0, y, 2));
  EXPECT(y[0] == 201 && y[1] == 30);
  sy_matrix_free(matrix);
  sy_matrix_free(wide);
}

int main(void) {
  sy_runtime* runtime = quiet_runtime();
  test_sizes_of_triplets(runtime);
  test_contents_of_triplets(runtime);
  test_missing_arguments(runtime);
  test_assignments(runtime);
  sy_runtime_free(runtime);
  return failures != 0;
}
