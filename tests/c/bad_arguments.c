/* Every function with arguments that it refuses: it says so, and changes nothing. */
#include <limits.h>

#include "check.h"

static const int32_t offsets[3] = {0, 2, 3};
static const int32_t columns[3] = {0, 2, 1};
static const float values[3] = {1, 2, 3};
static const double wide_values[3] = {1, 2, 3};
static const sy_csr good = {2, 3, 3, offsets, columns, 32, 32, 0};
static const char never = 0;
/** What no function may write to. */
#define UNTOUCHED ((sy_matrix*)&never)

static void test_runtime(void) {
  sy_options options;
  sy_counters counters;
  sy_runtime* runtime = NULL;
  memset(&options, 0, sizeof options);
  options.devices = "none";
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_create(&options, NULL));
  options.threads = -1;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_create(&options, &runtime));
  options.threads = 0;
  options.reproducible = 2;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_create(&options, &runtime));
  options.reproducible = 0;
  options.host_budget = -1;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_create(&options, &runtime));
  options.host_budget = 0;
  options.device_budget = INT64_MIN;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_create(&options, &runtime));
  options.device_budget = 0;
  options.devices = "77";
  EXPECT(sy_runtime_create(&options, &runtime) != SY_OK);
  EXPECT(runtime == NULL);
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_counters(NULL, &counters));
  sy_runtime_free(NULL);
  sy_matrix_free(NULL);
  sy_free(NULL);
}

/** Expects that a dense matrix of neither type is made, nor assigned. */
static void refuse_dense(const sy_runtime* runtime, sy_status status, int64_t rows, int64_t cols,
                         const float* narrow, const double* wide, int memory) {
  sy_matrix* matrix = UNTOUCHED;
  EXPECT_STATUS(status, sy_matrix_dense_f32(runtime, rows, cols, narrow, memory, &matrix));
  EXPECT_STATUS(status, sy_matrix_dense_f64(runtime, rows, cols, wide, memory, &matrix));
  EXPECT(matrix == UNTOUCHED);
  if (!runtime) return;
  EXPECT_OK(sy_matrix_dense_f32(runtime, 1, 3, values, SY_COPY, &matrix));
  EXPECT_STATUS(status, sy_assign_dense_f32(matrix, rows, cols, narrow, memory));
  sy_matrix_free(matrix);
  EXPECT_OK(sy_matrix_dense_f64(runtime, 1, 3, wide_values, SY_COPY, &matrix));
  EXPECT_STATUS(status, sy_assign_dense_f64(matrix, rows, cols, wide, memory));
  sy_matrix_free(matrix);
}

static void test_dense(const sy_runtime* runtime) {
  const int64_t most = INT64_MAX;
  const double* const misaligned = (const double*)((const char*)wide_values + 1);
  sy_matrix* matrix = UNTOUCHED;
  refuse_dense(NULL, SY_INVALID_ARGUMENT, 1, 3, values, wide_values, SY_COPY);
  refuse_dense(runtime, SY_INVALID_ARGUMENT, 1, 3, NULL, NULL, SY_COPY);
  refuse_dense(runtime, SY_INVALID_ARGUMENT, 1, 3, values, wide_values, -1);
  refuse_dense(runtime, SY_INVALID_ARGUMENT, 1, 3, values, wide_values, 3);
  refuse_dense(runtime, SY_INVALID_ARGUMENT, 1, 3, values, wide_values, INT_MAX);
  refuse_dense(runtime, SY_OUT_OF_RANGE, -1, 3, values, wide_values, SY_COPY);
  refuse_dense(runtime, SY_OUT_OF_RANGE, 1, -3, values, wide_values, SY_BORROW);
  refuse_dense(runtime, SY_OUT_OF_RANGE, most, 3, values, wide_values, SY_BORROW);
  refuse_dense(runtime, SY_OUT_OF_RANGE, most / 3, 2, values, wide_values, SY_COPY);
  EXPECT_STATUS(SY_INVALID_ARGUMENT,
                sy_matrix_dense_f64(runtime, 1, 2, misaligned, SY_BORROW, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_dense_f32(runtime, 1, 3, values, SY_COPY, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT,
                sy_matrix_dense_f64(runtime, 1, 3, wide_values, SY_COPY, NULL));
}

/** Expects that no matrix of that pattern is made of either type, copied or borrowed, nor assigned.
 */
static void refuse_csr(const sy_runtime* runtime, sy_status status, const sy_csr* pattern) {
  sy_matrix* assigned = NULL;
  sy_matrix* wide_assigned = NULL;
  int memory;
  EXPECT_OK(sy_matrix_csr_f32(runtime, &good, values, SY_COPY, &assigned));
  EXPECT_OK(sy_matrix_csr_f64(runtime, &good, wide_values, SY_COPY, &wide_assigned));
  for (memory = SY_COPY; memory <= SY_BORROW; ++memory) {
    sy_matrix* matrix = UNTOUCHED;
    EXPECT_STATUS(status, sy_matrix_csr_f32(runtime, pattern, values, memory, &matrix));
    EXPECT_STATUS(status, sy_matrix_csr_f64(runtime, pattern, wide_values, memory, &matrix));
    EXPECT(matrix == UNTOUCHED);
    EXPECT_STATUS(status, sy_assign_csr_f32(assigned, pattern, values, memory));
    EXPECT_STATUS(status, sy_assign_csr_f64(wide_assigned, pattern, wide_values, memory));
  }
  sy_matrix_free(assigned);
  sy_matrix_free(wide_assigned);
}

static void test_sizes_of_patterns(const sy_runtime* runtime) {
  sy_csr bad = good;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, NULL);
  bad.rows = -1;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad.rows = INT64_MAX;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad = good;
  bad.cols = -3;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad.cols = INT64_C(1) << 31;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad = good;
  bad.nnz = -1;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad.nnz = INT64_MAX;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad.nnz = 2;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good;
  bad.offsets = NULL;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good;
  bad.columns = NULL;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad.columns = (const char*)columns + 1;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good;
  bad.offset_bits = 16;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good;
  bad.column_bits = 0;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good;
  bad.base = 2;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad.base = -1;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
}

static void test_contents_of_patterns(const sy_runtime* runtime) {
  const int32_t bad_offsets[5][3] = {{1, 2, 3}, {0, 3, 2}, {0, -1, 3}, {0, 4, 3}, {0, INT_MIN, 3}};
  const int32_t unsorted[2][3] = {{2, 0, 1}, {1, 1, 1}};
  const int32_t outside[4][3] = {{0, 3, 1}, {-1, 2, 1}, {0, INT_MAX, 1}, {INT_MIN, 2, 1}};
  const int64_t wide_offsets[3] = {0, INT64_C(1) << 32, 3};
  const int64_t wide_columns[2][3] = {{0, (INT64_C(1) << 32) + 1, 1}, {INT64_MIN, 2, 1}};
  size_t i;
  sy_csr bad = good;
  for (i = 0; i < 5; ++i) {
    bad.offsets = bad_offsets[i];
    refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  }
  bad.offsets = wide_offsets;
  bad.offset_bits = 64;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad = good;
  for (i = 0; i < 2; ++i) {
    bad.columns = unsorted[i];
    refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  }
  for (i = 0; i < 4; ++i) {
    bad.columns = outside[i];
    refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  }
  bad.column_bits = 64;
  for (i = 0; i < 2; ++i) {
    bad.columns = wide_columns[i];
    refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  }
}

/** Counted from 1, a 0 is outside. */
static void test_contents_from_one(const sy_runtime* runtime) {
  const int32_t from_one[3] = {1, 3, 4};
  const int32_t unsorted[3] = {3, 1, 2};
  const int32_t with_zero[3] = {0, 3, 2};
  const int32_t too_large[3] = {1, 4, 2};
  sy_csr bad = {2, 3, 3, offsets, columns, 32, 32, 1};
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  bad.offsets = from_one;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad.columns = with_zero;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  bad.columns = too_large;
  refuse_csr(runtime, SY_OUT_OF_RANGE, &bad);
  EXPECT(strstr(sy_last_error(), "column 4 is outside 1..3") != NULL);
  bad.columns = unsorted;
  refuse_csr(runtime, SY_INVALID_ARGUMENT, &bad);
  EXPECT(strstr(sy_last_error(), "counts rows and columns from 0") != NULL);
}

static void test_other_ways_to_make(const sy_runtime* runtime) {
  sy_matrix* matrix = UNTOUCHED;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f32(NULL, &good, values, SY_COPY, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f64(NULL, &good, wide_values, 0, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f32(runtime, &good, NULL, SY_COPY, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f64(runtime, &good, NULL, SY_BORROW, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f32(runtime, &good, values, 9, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f64(runtime, &good, wide_values, 9, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f32(runtime, &good, values, SY_COPY, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_csr_f64(runtime, &good, wide_values, 0, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_read_f32(NULL, "a", &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_read_f32(runtime, NULL, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_read_f32(runtime, "a", NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_read_f64(NULL, "a", &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_read_f64(runtime, NULL, &matrix));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_read_f64(runtime, "a", NULL));
  EXPECT_STATUS(SY_IO_ERROR, sy_matrix_read_f64(runtime, "no such file", &matrix));
  EXPECT_STATUS(SY_IO_ERROR, sy_matrix_read_f64(runtime, "", &matrix));
  EXPECT(matrix == UNTOUCHED);
}

/** Expects that a product of a 2 x 3 matrix of floats fails and leaves y. */
static void refuse_product(const sy_matrix* matrix, sy_status status, const sy_request* request,
                           const float* x, int64_t x_size, float* y, int64_t y_size) {
  float before[8] = {0};
  if (y) memcpy(before, y, sizeof before);
  EXPECT_STATUS(status, sy_multiply_f32(matrix, request, 1, x, x_size, 0, y, y_size));
  EXPECT(!y || memcmp(before, y, sizeof before) == 0);
}

static void test_products(const sy_matrix* matrix, const sy_matrix* wide) {
  const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  float y[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  const double wide_x[3] = {1, 2, 3};
  double wide_y[2] = {7, 7};
  sy_request request = {0, 0};
  const int64_t most = INT64_MAX;
  refuse_product(NULL, SY_INVALID_ARGUMENT, NULL, x, 3, y, 2);
  refuse_product(matrix, SY_INVALID_ARGUMENT, NULL, NULL, 3, y, 2);
  refuse_product(matrix, SY_INVALID_ARGUMENT, NULL, x, 3, NULL, 2);
  refuse_product(matrix, SY_DIMENSION_MISMATCH, NULL, x, 2, y, 2);
  refuse_product(matrix, SY_DIMENSION_MISMATCH, NULL, x, 3, y, 3);
  refuse_product(matrix, SY_OUT_OF_RANGE, NULL, x, -3, y, 2);
  refuse_product(matrix, SY_OUT_OF_RANGE, NULL, x, 3, y, INT64_MIN);
  refuse_product(matrix, SY_OUT_OF_RANGE, NULL, x, most, y, 2);
  refuse_product(matrix, SY_INVALID_ARGUMENT, NULL, y + 1, 3, y, 2); /* they overlap */
  refuse_product(matrix, SY_INVALID_ARGUMENT, NULL, (const float*)((const char*)x + 1), 3, y, 2);
  refuse_product(matrix, SY_INVALID_ARGUMENT, &request, x, 3, y, 2);
  request.columns = -1;
  refuse_product(matrix, SY_INVALID_ARGUMENT, &request, x, 3, y, 2);
  request.columns = most;
  refuse_product(matrix, SY_DIMENSION_MISMATCH, &request, x, 3, y, 2);
  request.columns = 2;
  refuse_product(matrix, SY_DIMENSION_MISMATCH, &request, x, 3, y, 2);
  request.columns = 1;
  request.transposed = 1;
  refuse_product(matrix, SY_DIMENSION_MISMATCH, &request, x, 3, y, 2);
  request.transposed = 2;
  refuse_product(matrix, SY_INVALID_ARGUMENT, &request, x, 3, y, 2);
  refuse_product(wide, SY_INVALID_ARGUMENT, NULL, x, 3, y, 2); /* of the other type */
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_multiply_f64(matrix, NULL, 1, wide_x, 3, 0, wide_y, 2));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_multiply_f64(NULL, NULL, 1, wide_x, 3, 0, wide_y, 2));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_multiply_f64(wide, NULL, 1, NULL, 3, 0, wide_y, 2));
  EXPECT_STATUS(SY_DIMENSION_MISMATCH, sy_multiply_f64(wide, NULL, 1, wide_x, 1, 0, wide_y, 2));
  EXPECT(wide_y[0] == 7 && wide_y[1] == 7);
}

static void test_writing(sy_matrix* matrix, sy_matrix* wide) {
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_set_values_f32(NULL, values, 3));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_set_values_f32(matrix, NULL, 3));
  EXPECT_STATUS(SY_DIMENSION_MISMATCH, sy_set_values_f32(matrix, values, 2));
  EXPECT_STATUS(SY_OUT_OF_RANGE, sy_set_values_f32(matrix, values, -1));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_set_values_f32(wide, values, 3));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_set_values_f64(matrix, wide_values, 3));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_set_values_f64(NULL, wide_values, 3));
  EXPECT_STATUS(SY_DIMENSION_MISMATCH, sy_set_values_f64(wide, wide_values, 0));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_dense_f32(NULL, 1, 3, values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_dense_f64(NULL, 1, 3, wide_values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_dense_f32(wide, 1, 3, values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_dense_f64(matrix, 1, 3, wide_values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_csr_f32(NULL, &good, values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_csr_f64(NULL, &good, wide_values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_csr_f32(wide, &good, values, SY_COPY));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_assign_csr_f64(matrix, &good, wide_values, SY_COPY));
}

static void test_texts(const sy_matrix* matrix) {
  const sy_request bad = {1, -1};
  char text = 'x';
  char* untouched = &text;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_states(NULL, &untouched));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_states(matrix, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_plan_json(NULL, NULL, &untouched));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_plan_json(matrix, NULL, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_plan_json(matrix, &bad, &untouched));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_explain_json(NULL, NULL, &untouched));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_explain_json(matrix, NULL, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_explain_json(matrix, &bad, &untouched));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_explain(NULL, NULL, &untouched));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_explain(matrix, NULL, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_explain(matrix, &bad, &untouched));
  EXPECT(untouched == &text && text == 'x');
}

static void test_states(const sy_matrix* matrix) {
  const char* const unknown[] = {"",         "csr",          "csr@",    "@host",
                                 "csr@moon", "csr@device64", "xyz@host"};
  const sy_request no_columns = {0, 0};
  int32_t dropped = 5;
  size_t i;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin(NULL, "csr@host"));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin(matrix, NULL));
  EXPECT_STATUS(SY_DEVICE_UNAVAILABLE, sy_pin(matrix, "csr@device9"));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin_request(NULL, NULL, "csr@host"));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin_request(matrix, NULL, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin_request(matrix, &no_columns, "csr@host"));
  EXPECT_STATUS(SY_DEVICE_UNAVAILABLE, sy_pin_request(matrix, NULL, "csr@device9"));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_unpin(NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_bring_to(NULL, "csr@host"));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_bring_to(matrix, NULL));
  EXPECT_STATUS(SY_DEVICE_UNAVAILABLE, sy_bring_to(matrix, "csr@device9"));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_evict(NULL, "csr@host", &dropped));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_evict(matrix, NULL, &dropped));
  for (i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
    EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin(matrix, unknown[i]));
    EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin_request(matrix, NULL, unknown[i]));
    EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_bring_to(matrix, unknown[i]));
    EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_evict(matrix, unknown[i], &dropped));
  }
  EXPECT(dropped == 5);
}

static void test_hints_and_facts(const sy_runtime* runtime, const sy_matrix* matrix) {
  const sy_request bad = {0, 0};
  sy_info info;
  sy_counters counters;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_expect_calls(NULL, NULL, 1));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_expect_calls(matrix, NULL, 0));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_expect_calls(matrix, NULL, INT64_MIN));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_expect_calls(matrix, &bad, 1));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_info(NULL, &info));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_info(matrix, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_counters(NULL, &counters));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_matrix_counters(matrix, NULL));
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_runtime_counters(runtime, NULL));
}

/** Nothing above has changed the matrix. */
static void expect_unchanged(const sy_matrix* matrix) {
  const float x[3] = {1, 10, 100};
  float y[2] = {0, 0};
  sy_counters counters;
  char* states = NULL;
  EXPECT_OK(sy_matrix_counters(matrix, &counters));
  EXPECT(counters.calls == 0 && counters.conversions == 0);
  EXPECT_OK(sy_states(matrix, &states));
  EXPECT(strcmp(states, "csr@host") == 0);
  sy_free(states);
  EXPECT_OK(sy_multiply_f32(matrix, NULL, 1, x, 3, 0, y, 2));
  EXPECT(y[0] == 201 && y[1] == 30);
}

int main(void) {
  sy_runtime* runtime = quiet_runtime();
  sy_matrix* matrix = NULL;
  sy_matrix* wide = NULL;
  test_runtime();
  test_dense(runtime);
  test_sizes_of_patterns(runtime);
  test_contents_of_patterns(runtime);
  test_contents_from_one(runtime);
  test_other_ways_to_make(runtime);
  EXPECT_OK(sy_matrix_csr_f32(runtime, &good, values, SY_BORROW, &matrix));
  EXPECT_OK(sy_matrix_csr_f64(runtime, &good, wide_values, SY_COPY, &wide));
  test_products(matrix, wide);
  test_writing(matrix, wide);
  test_texts(matrix);
  test_states(matrix);
  test_hints_and_facts(runtime, matrix);
  expect_unchanged(matrix);
  sy_matrix_free(matrix);
  sy_matrix_free(wide);
  sy_runtime_free(runtime);
  return failures != 0;
}
