/* Hints, states, plans, counters, files and versions. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

enum { rows = 200, nonzeros = 2 * rows - 1 };

/** A lower bidiagonal matrix, counted from 1 as Fortran does. */
static sy_matrix* bidiagonal(const sy_runtime* runtime) {
  int64_t offsets[rows + 1];
  int32_t columns[nonzeros];
  double values[nonzeros];
  sy_csr pattern = {rows, rows, nonzeros, NULL, NULL, 64, 32, 1};
  sy_matrix* matrix = NULL;
  int k = 0;
  int i;
  pattern.offsets = offsets;
  pattern.columns = columns;
  for (i = 0; i < rows; ++i) {
    offsets[i] = k + 1;
    if (i > 0) {
      columns[k] = i;
      values[k++] = -1 - i % 50;
    }
    columns[k] = i + 1;
    values[k++] = 2 + i;
  }
  offsets[rows] = k + 1;
  EXPECT_OK(sy_matrix_csr_f64(runtime, &pattern, values, SY_COPY, &matrix));
  return matrix;
}

static void multiply(const sy_matrix* matrix, const sy_request* request) {
  static double x[4 * rows];
  static double y[4 * rows];
  const int64_t size = rows * (request ? request->columns : 1);
  EXPECT_OK(sy_multiply_f64(matrix, request, 1, x, size, 0, y, size));
}

static void expect_states(const sy_matrix* matrix, const char* wanted) {
  char* states = NULL;
  EXPECT_OK(sy_states(matrix, &states));
  if (states && strcmp(states, wanted) != 0) fprintf(stderr, "states: %s\n", states);
  EXPECT(states && strcmp(states, wanted) == 0);
  sy_free(states);
}

static void test_states(const sy_runtime* runtime) {
  sy_matrix* matrix = bidiagonal(runtime);
  int32_t dropped = 7;
  expect_states(matrix, "csr@host");
  EXPECT_OK(sy_pin(matrix, "ell@host"));
  multiply(matrix, NULL);
  expect_states(matrix, "csr@host ell@host");
  EXPECT_OK(sy_unpin(matrix));
  EXPECT_OK(sy_bring_to(matrix, "dense@host"));
  expect_states(matrix, "dense@host csr@host ell@host");
  EXPECT_OK(sy_evict(matrix, "csr@host", &dropped));
  EXPECT(dropped == 1);
  EXPECT_OK(sy_evict(matrix, "csr@host", &dropped));
  EXPECT(dropped == 0);
  EXPECT_OK(sy_evict(matrix, "ell@host", NULL));
  EXPECT_OK(sy_evict(matrix, "dense@host", &dropped)); /* the last copy stays */
  EXPECT(dropped == 0);
  expect_states(matrix, "dense@host");
  sy_matrix_free(matrix);
}

/** Products in one state and transposed ones in another. */
static void test_pins_of_requests(const sy_runtime* runtime) {
  const sy_request transpose = {1, 1};
  sy_matrix* matrix = bidiagonal(runtime);
  EXPECT_OK(sy_pin(matrix, "csr@host"));
  EXPECT_OK(sy_pin_request(matrix, &transpose, "csc@host"));
  multiply(matrix, NULL);
  expect_states(matrix, "csr@host");
  multiply(matrix, &transpose);
  expect_states(matrix, "csr@host csc@host");
  EXPECT_OK(sy_pin_request(matrix, NULL, "ell@host"));
  multiply(matrix, NULL);
  expect_states(matrix, "csr@host ell@host csc@host");
  EXPECT_OK(sy_pin(matrix, "coo@host")); /* holds for all again */
  EXPECT_OK(sy_evict(matrix, "csc@host", NULL));
  multiply(matrix, &transpose);
  expect_states(matrix, "csr@host ell@host coo@host");
  sy_matrix_free(matrix);
}

static void expect_in(const char* text, const char* words) {
  EXPECT(text != NULL);
  if (text && strstr(text, words)) return;
  fprintf(stderr, "'%s' is missing in: %s\n", words, text ? text : "NULL");
  ++failures;
}

static void test_plans(const sy_runtime* runtime) {
  const sy_request two_transposed = {2, 1};
  sy_matrix* matrix = bidiagonal(runtime);
  char* text = NULL;
  EXPECT_OK(sy_expect_calls(matrix, NULL, 12345));
  EXPECT_OK(sy_expect_calls(matrix, &two_transposed, 678));
  EXPECT_OK(sy_plan_json(matrix, NULL, &text));
  expect_in(text, "\"calls\": 12345");
  expect_in(text, "\"pinned\": false");
  sy_free(text);
  EXPECT_OK(sy_pin(matrix, "csr@host"));
  EXPECT_OK(sy_plan_json(matrix, &two_transposed, &text));
  expect_in(text, "\"calls\": 678");
  expect_in(text, "\"pinned\": true");
  expect_in(text, "\"state\": \"csr@host\"");
  sy_free(text);
  multiply(matrix, &two_transposed);
  EXPECT_OK(sy_explain_json(matrix, &two_transposed, &text));
  expect_in(text, "\"schema_version\": 1");
  expect_in(text, "\"transposed\": true");
  expect_in(text, "\"columns\": 2");
  expect_in(text, "\"horizon\": 677");
  expect_in(text, "\"nnz\": 399");
  sy_free(text);
  EXPECT_OK(sy_explain(matrix, NULL, &text));
  expect_in(text, "csr@host");
  expect_in(text, "12345");
  sy_free(text);
  sy_matrix_free(matrix);
}

static void test_counters(void) {
  sy_runtime* runtime = quiet_runtime();
  sy_matrix* first = bidiagonal(runtime);
  sy_matrix* second = bidiagonal(runtime);
  sy_counters counters;
  EXPECT_OK(sy_pin(first, "csc@host"));
  multiply(first, NULL);
  multiply(first, NULL);
  multiply(second, NULL);
  EXPECT_OK(sy_matrix_counters(first, &counters));
  EXPECT(counters.calls == 2 && counters.conversions == 1 && counters.converted_bytes > 0);
  EXPECT(counters.transfers == 0 && counters.device_failures == 0);
  EXPECT(counters.decisions_planned + counters.decisions_remembered == 2);
  sy_matrix_free(first);
  EXPECT_OK(sy_runtime_counters(runtime, &counters));
  EXPECT(counters.calls == 3);
  sy_matrix_free(second);
  sy_runtime_free(runtime);
}

static void write_file(const char* name, const char* text) {
  FILE* file = fopen(name, "w");
  EXPECT(file != NULL);
  if (!file) exit(1);
  EXPECT(fputs(text, file) >= 0);
  EXPECT(fclose(file) == 0);
}

static void test_files(const sy_runtime* runtime) {
  const float x[2] = {1, 10};
  float y[2] = {0, 0};
  double wide_y[2] = {0, 0};
  const double wide_x[2] = {1, 10};
  sy_matrix* matrix = NULL;
  write_file("c_test.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 1 4\n");
  EXPECT_OK(sy_matrix_read_f32(runtime, "c_test.mtx", &matrix));
  EXPECT_OK(sy_multiply_f32(matrix, NULL, 1, x, 2, 0, y, 2));
  EXPECT(y[0] == 3 && y[1] == 4);
  sy_matrix_free(matrix);
  write_file("c_test.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
  EXPECT_OK(sy_matrix_read_f64(runtime, "c_test.mtx", &matrix));
  EXPECT_OK(sy_multiply_f64(matrix, NULL, 1, wide_x, 2, 0, wide_y, 2));
  EXPECT(wide_y[0] == 31 && wide_y[1] == 42);
  sy_matrix_free(matrix);
  matrix = NULL;
  write_file("c_test.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\nx\n3\n4\n");
  EXPECT_STATUS(SY_PARSE_ERROR, sy_matrix_read_f64(runtime, "c_test.mtx", &matrix));
  expect_in(sy_last_error(), "c_test.mtx");
  EXPECT(matrix == NULL);
  EXPECT(remove("c_test.mtx") == 0);
  EXPECT_STATUS(SY_IO_ERROR, sy_matrix_read_f32(runtime, "c_test.mtx", &matrix));
}

static void* fail_elsewhere(void* seen) {
  *(int*)seen = sy_last_error()[0] != '\0';
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_unpin(NULL));
  return NULL;
}

/** Each thread has its own error, which stays when calls succeed. */
static void test_last_error(const sy_runtime* runtime) {
  sy_matrix* matrix = bidiagonal(runtime);
  pthread_t thread;
  int seen_elsewhere = 1;
  EXPECT_STATUS(SY_INVALID_ARGUMENT, sy_pin(matrix, "nowhere"));
  expect_in(sy_last_error(), "'nowhere' is no state");
  EXPECT(pthread_create(&thread, NULL, fail_elsewhere, &seen_elsewhere) == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(seen_elsewhere == 0);
  multiply(matrix, NULL);
  expect_in(sy_last_error(), "'nowhere' is no state");
  sy_matrix_free(matrix);
}

/** An error that is too long ends with a whole character. */
static void test_long_error(const sy_runtime* runtime) {
  char name[4001];
  sy_matrix* matrix = NULL;
  size_t i;
  for (i = 0; i < 4000; i += 2) memcpy(name + i, "\xc3\xa4", 2);
  name[4000] = '\0';
  EXPECT_STATUS(SY_IO_ERROR, sy_matrix_read_f32(runtime, name, &matrix));
  EXPECT(strlen(sy_last_error()) >= 1022 && strlen(sy_last_error()) <= 1023);
  EXPECT((unsigned char)sy_last_error()[strlen(sy_last_error()) - 1] == 0xa4);
}

static void test_versions(void) {
  char version[32];
  int status;
  snprintf(version, sizeof version, "%d.%d.%d", SY_VERSION_MAJOR, SY_VERSION_MINOR,
           SY_VERSION_PATCH);
  EXPECT(strcmp(sy_version(), version) == 0);
  EXPECT(sy_abi_version() == SY_ABI_VERSION);
  EXPECT(strcmp(sy_status_name(SY_OK), "ok") == 0);
  EXPECT(strcmp(sy_status_name(SY_PARSE_ERROR), "parse_error") == 0);
  EXPECT(strcmp(sy_status_name(SY_INTERNAL), "internal") == 0);
  for (status = SY_OK; status <= SY_INTERNAL; ++status) {
    EXPECT(strcmp(sy_status_name(status), "unknown") != 0);
  }
  EXPECT(strcmp(sy_status_name(-1), "unknown") == 0);
  EXPECT(strcmp(sy_status_name(SY_INTERNAL + 1), "unknown") == 0);
}

/** The structs that programs were compiled with: another layout needs another SY_ABI_VERSION. */
static void test_layout(void) {
  EXPECT(SY_ABI_VERSION == 1);
  EXPECT(sizeof(sy_status) == 4);
  EXPECT(sizeof(sy_options) == 2 * sizeof(void*) + 24);
  EXPECT(offsetof(sy_options, threads) == 2 * sizeof(void*) + 16);
  EXPECT(offsetof(sy_csr, offsets) == 24);
  EXPECT(offsetof(sy_csr, offset_bits) == 24 + 2 * sizeof(void*));
  EXPECT(offsetof(sy_csr, base) == 32 + 2 * sizeof(void*));
  EXPECT(offsetof(sy_triplets, row_of) == 24);
  EXPECT(offsetof(sy_triplets, index_bits) == 24 + 2 * sizeof(void*));
  EXPECT(sizeof(sy_triplets) == 32 + 2 * sizeof(void*));
  EXPECT(sizeof(sy_request) == 16 && offsetof(sy_request, transposed) == 8);
  EXPECT(sizeof(sy_info) == 32 && offsetof(sy_info, element_bits) == 28);
  EXPECT(sizeof(sy_counters) == 96 && offsetof(sy_counters, switching_seconds) == 88);
}

int main(void) {
  sy_runtime* runtime = quiet_runtime();
  EXPECT(sy_last_error()[0] == '\0');
  test_states(runtime);
  test_pins_of_requests(runtime);
  test_plans(runtime);
  test_counters();
  test_files(runtime);
  test_last_error(runtime);
  test_long_error(runtime);
  test_versions();
  test_layout();
  sy_runtime_free(runtime);
  return failures != 0;
}
