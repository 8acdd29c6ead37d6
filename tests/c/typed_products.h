/* Products of one element type, included once for each: T is the type, and NAME(f) is f of it. The
   matrix is 3 x 4,
     1 0 2 0
     0 0 0 0
     0 3 0 4
   Its numbers are small integers, so that every sum is exact. */

static const T NAME(dense)[12] = {1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 4};
static const T NAME(values)[4] = {1, 2, 3, 4};

/** Expects the products of that matrix times `factor` in every form of a request. */
static void NAME(expect_products)(const sy_matrix* matrix, T factor) {
  const T x[4] = {1, 2, 3, 4};
  const T transposed_x[3] = {1, 2, 3};
  const T wide_x[8] = {1, -1, 2, -2, 3, -3, 4, -4};
  const sy_request two = {2, 0};
  const sy_request transpose = {1, 1};
  const sy_request two_transposed = {2, 1};
  const T wide_transposed_x[6] = {1, -1, 2, -2, 3, -3};
  T y[3] = {10, 20, 30};
  T transposed_y[4] = {1, 1, 1, 1};
  T wide_y[6];
  T wide_transposed_y[8];
  int i;

  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, x, 4, 0, y, 3));
  EXPECT(y[0] == 7 * factor && y[1] == 0 && y[2] == 22 * factor);
  y[0] = 10;
  y[1] = 20;
  y[2] = 30;
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 2, x, 4, 3, y, 3));
  EXPECT(y[0] == 14 * factor + 30 && y[1] == 60 && y[2] == 44 * factor + 90);

  EXPECT_OK(NAME(sy_multiply)(matrix, &transpose, 1, transposed_x, 3, 1, transposed_y, 4));
  EXPECT(transposed_y[0] == factor + 1 && transposed_y[1] == 9 * factor + 1);
  EXPECT(transposed_y[2] == 2 * factor + 1 && transposed_y[3] == 12 * factor + 1);

  EXPECT_OK(NAME(sy_multiply)(matrix, &two, 1, wide_x, 8, 0, wide_y, 6));
  EXPECT_OK(
      NAME(sy_multiply)(matrix, &two_transposed, 1, wide_transposed_x, 6, 0, wide_transposed_y, 8));
  for (i = 0; i < 2; ++i) {
    const T sign = (T)(i == 0 ? 1 : -1);
    EXPECT(wide_y[0 + i] == sign * 7 * factor && wide_y[2 + i] == 0);
    EXPECT(wide_y[4 + i] == sign * 22 * factor);
    EXPECT(wide_transposed_y[0 + i] == sign * factor);
    EXPECT(wide_transposed_y[2 + i] == sign * 9 * factor);
    EXPECT(wide_transposed_y[4 + i] == sign * 2 * factor);
    EXPECT(wide_transposed_y[6 + i] == sign * 12 * factor);
  }
}

/** The same in each state that a plan may choose on the host. */
static void NAME(expect_products_everywhere)(const sy_matrix* matrix, T factor) {
  const char* const states[] = {"dense@host", "csr@host", "csc@host", "ell@host", "coo@host"};
  size_t i;
  NAME(expect_products)(matrix, factor);
  for (i = 0; i < sizeof states / sizeof states[0]; ++i) {
    EXPECT_OK(sy_pin(matrix, states[i]));
    NAME(expect_products)(matrix, factor);
  }
  EXPECT_OK(sy_unpin(matrix));
}

static void NAME(expect_info)(const sy_matrix* matrix) {
  sy_info info;
  EXPECT_OK(sy_matrix_info(matrix, &info));
  EXPECT(info.rows == 3 && info.cols == 4 && info.nnz == 4);
  EXPECT(info.element_bits == (int32_t)(8 * sizeof(T)));
}

static void NAME(test_dense)(const sy_runtime* runtime) {
  int memory;
  for (memory = SY_COPY; memory <= SY_BORROW_ONLY; ++memory) {
    sy_matrix* matrix = NULL;
    EXPECT_OK(NAME(sy_matrix_dense)(runtime, 3, 4, NAME(dense), memory, &matrix));
    NAME(expect_info)(matrix);
    NAME(expect_products_everywhere)(matrix, 1);
    sy_matrix_free(matrix);
  }
}

/** Every width of offsets and columns, from 0 and from 1, copied and borrowed. */
static void NAME(test_patterns)(const sy_runtime* runtime) {
  const int32_t offsets_32[2][4] = {{0, 2, 2, 4}, {1, 3, 3, 5}};
  const int64_t offsets_64[2][4] = {{0, 2, 2, 4}, {1, 3, 3, 5}};
  const int32_t columns_32[2][4] = {{0, 2, 1, 3}, {1, 3, 2, 4}};
  const int64_t columns_64[2][4] = {{0, 2, 1, 3}, {1, 3, 2, 4}};
  int form;
  for (form = 0; form < 24; ++form) {
    const int base = form & 1;
    const int wide_offsets = form >> 1 & 1;
    const int wide_columns = form >> 2 & 1;
    const int memory = form >> 3;
    const int in_place = base == 0 && !wide_columns;
    sy_csr pattern = {3, 4, 4, NULL, NULL, 32, 32, 0};
    sy_matrix* matrix = NULL;
    pattern.base = base;
    pattern.offset_bits = wide_offsets ? 64 : 32;
    pattern.column_bits = wide_columns ? 64 : 32;
    pattern.offsets = wide_offsets ? (const void*)offsets_64[base] : (const void*)offsets_32[base];
    pattern.columns = wide_columns ? (const void*)columns_64[base] : (const void*)columns_32[base];
    if (memory == SY_BORROW_ONLY && !in_place) {
      EXPECT_STATUS(SY_UNSUPPORTED,
                    NAME(sy_matrix_csr)(runtime, &pattern, NAME(values), memory, &matrix));
      EXPECT(matrix == NULL);
      continue;
    }
    EXPECT_OK(NAME(sy_matrix_csr)(runtime, &pattern, NAME(values), memory, &matrix));
    NAME(expect_info)(matrix);
    NAME(expect_products_everywhere)(matrix, 1);
    sy_matrix_free(matrix);
  }
}

/** Elements in any order, in two parts at one place, of either width, from 0 and from 1. */
static void NAME(test_triplets)(const sy_runtime* runtime) {
  const int32_t rows_32[2][5] = {{2, 0, 2, 0, 2}, {3, 1, 3, 1, 3}};
  const int32_t cols_32[2][5] = {{3, 2, 1, 0, 3}, {4, 3, 2, 1, 4}};
  const int64_t rows_64[2][5] = {{2, 0, 2, 0, 2}, {3, 1, 3, 1, 3}};
  const int64_t cols_64[2][5] = {{3, 2, 1, 0, 3}, {4, 3, 2, 1, 4}};
  T parts[5] = {1, 2, 3, 1, 3};
  const T twice[5] = {2, 4, 6, 2, 6};
  int form;
  for (form = 0; form < 4; ++form) {
    const int base = form & 1;
    sy_triplets places = {3, 4, 5, NULL, NULL, 32, 0};
    sy_matrix* matrix = NULL;
    places.base = base;
    places.index_bits = form < 2 ? 32 : 64;
    places.row_of = form < 2 ? (const void*)rows_32[base] : (const void*)rows_64[base];
    places.col_of = form < 2 ? (const void*)cols_32[base] : (const void*)cols_64[base];
    EXPECT_OK(NAME(sy_matrix_triplets)(runtime, &places, parts, &matrix));
    parts[0] = 9; /* the matrix has a copy */
    NAME(expect_info)(matrix);
    NAME(expect_products_everywhere)(matrix, 1);
    parts[0] = 1;
    EXPECT_OK(NAME(sy_assign_triplets)(matrix, &places, twice));
    NAME(expect_products_everywhere)(matrix, 2);
    sy_matrix_free(matrix);
  }
}

/** What is copied does not follow the caller's array, and what is borrowed is that array. */
static void NAME(test_memory)(const sy_runtime* runtime) {
  const int32_t offsets[4] = {0, 2, 2, 4};
  const int32_t columns[4] = {0, 2, 1, 3};
  const T x[4] = {1, 1, 1, 1};
  const sy_csr pattern = {3, 4, 4, offsets, columns, 32, 32, 0};
  int memory;
  for (memory = SY_COPY; memory <= SY_BORROW_ONLY; ++memory) {
    T changed[4] = {1, 2, 3, 4};
    T y[3] = {0, 0, 0};
    sy_matrix* matrix = NULL;
    EXPECT_OK(NAME(sy_matrix_csr)(runtime, &pattern, changed, memory, &matrix));
    EXPECT_OK(sy_pin(matrix, "csr@host"));
    changed[0] = 5;
    EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, x, 4, 0, y, 3));
    EXPECT(y[0] == (memory == SY_COPY ? 3 : 7));
    sy_matrix_free(matrix);
  }
}

/** New values and new contents, which never write the caller's arrays. */
static void NAME(test_writing)(const sy_runtime* runtime) {
  const int32_t offsets[4] = {0, 2, 2, 4};
  const int32_t columns[4] = {0, 2, 1, 3};
  const sy_csr pattern = {3, 4, 4, offsets, columns, 32, 32, 0};
  const T twice[4] = {2, 4, 6, 8};
  const T one[1] = {5};
  T y[1] = {0};
  T kept[4] = {1, 2, 3, 4};
  sy_info info;
  sy_matrix* matrix = NULL;
  EXPECT_OK(NAME(sy_matrix_csr)(runtime, &pattern, kept, SY_BORROW_ONLY, &matrix));
  NAME(expect_products_everywhere)(matrix, 1);
  EXPECT_OK(NAME(sy_set_values)(matrix, twice, 4));
  EXPECT(memcmp(kept, NAME(values), sizeof kept) == 0);
  NAME(expect_products_everywhere)(matrix, 2);

  EXPECT_OK(NAME(sy_assign_dense)(matrix, 1, 1, one, SY_COPY));
  EXPECT_OK(sy_matrix_info(matrix, &info));
  EXPECT(info.rows == 1 && info.cols == 1);
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, one, 1, 0, y, 1));
  EXPECT(y[0] == 25);

  EXPECT_OK(NAME(sy_assign_dense)(matrix, 3, 4, NAME(dense), SY_BORROW));
  NAME(expect_products_everywhere)(matrix, 1);
  EXPECT_OK(NAME(sy_set_values)(matrix, twice, 4));
  EXPECT(NAME(dense)[0] == 1);
  NAME(expect_products_everywhere)(matrix, 2);

  EXPECT_OK(NAME(sy_assign_csr)(matrix, &pattern, NAME(values), SY_COPY));
  NAME(expect_products_everywhere)(matrix, 1);
  sy_matrix_free(matrix);
}

/** Without rows, columns or elements; arrays may then be NULL. */
static void NAME(test_empty)(const sy_runtime* runtime) {
  const int32_t offsets[3] = {0, 0, 0};
  const sy_csr no_elements = {2, 3, 0, offsets, NULL, 32, 32, 0};
  const sy_csr no_rows = {0, 3, 0, offsets, NULL, 32, 32, 0};
  const sy_triplets no_places = {2, 3, 0, NULL, NULL, 64, 1};
  const T x[3] = {1, 2, 3};
  T y[2] = {4, 5};
  sy_matrix* matrix = NULL;
  EXPECT_OK(NAME(sy_matrix_csr)(runtime, &no_elements, NULL, SY_BORROW, &matrix));
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, x, 3, 2, y, 2));
  EXPECT(y[0] == 8 && y[1] == 10);
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, x, 3, 0, y, 2));
  EXPECT(y[0] == 0 && y[1] == 0);
  EXPECT_OK(NAME(sy_assign_triplets)(matrix, &no_places, NULL));
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, x, 3, 0, y, 2));
  EXPECT(y[0] == 0 && y[1] == 0);
  EXPECT_OK(NAME(sy_assign_csr)(matrix, &no_rows, NULL, SY_COPY));
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, x, 3, 0, NULL, 0));
  EXPECT_OK(NAME(sy_assign_dense)(matrix, 0, 0, NULL, SY_BORROW));
  EXPECT_OK(NAME(sy_multiply)(matrix, NULL, 1, NULL, 0, 0, NULL, 0));
  sy_matrix_free(matrix);
}

static void NAME(test_all)(const sy_runtime* runtime) {
  NAME(test_dense)(runtime);
  NAME(test_patterns)(runtime);
  NAME(test_triplets)(runtime);
  NAME(test_memory)(runtime);
  NAME(test_writing)(runtime);
  NAME(test_empty)(runtime);
}
