/** @file
   Switchyard's C interface: y = A x in the storage format and on the device that are fastest for
   the expected number of calls. Every text, size and rule is as in the C++ library. */
#ifndef SWITCHYARD_H
#define SWITCHYARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version that this header belongs to. `sy_version` has the version of the library. */
#define SY_VERSION_MAJOR 0
/** As above. */
#define SY_VERSION_MINOR 1
/** As above. */
#define SY_VERSION_PATCH 0
/** Counts up whenever a program that was compiled before no longer works. It is also the number at
    the end of the library's file name, so an unsuitable library is not loaded. */
#define SY_ABI_VERSION 1

/** What became of a call. After anything but `SY_OK` the arguments are as they were, unless the
    function says otherwise, and `sy_last_error` has the text. */
typedef enum sy_status {
  SY_OK = 0,                   /**< done */
  SY_INVALID_ARGUMENT = 1,     /**< an argument is NULL, unknown or contradicts another */
  SY_DIMENSION_MISMATCH = 2,   /**< x or y has another size than the matrix needs */
  SY_OUT_OF_RANGE = 3,         /**< an index or a size is negative or too large */
  SY_PARSE_ERROR = 4,          /**< a file is malformed */
  SY_DATA_CORRUPT = 5,         /**< a compressed file is damaged */
  SY_PROFILE_MISMATCH = 6,     /**< a profile belongs to another machine or version */
  SY_OUT_OF_MEMORY = 7,        /**< the host's memory or its budget does not suffice */
  SY_DEVICE_UNAVAILABLE = 8,   /**< there is no such device */
  SY_DEVICE_OUT_OF_MEMORY = 9, /**< a device's memory or its budget does not suffice */
  SY_DEVICE_LOST = 10,         /**< a device failed that had the only copy */
  SY_BUILD_FAILED = 11,        /**< a kernel could not be compiled */
  SY_IO_ERROR = 12,            /**< a file could not be read */
  SY_UNSUPPORTED = 13,         /**< nothing can do that, or not without copying */
  SY_INTERNAL = 14             /**< a fault of the library */
} sy_status;

/** Whether a matrix uses the caller's arrays in place. Any other number is `SY_INVALID_ARGUMENT`.

    Borrowed arrays are only read. They must stay alive and unchanged until `sy_matrix_free` or the
    next successful `sy_set_values_*` or `sy_assign_*` returns. */
enum sy_memory {
  SY_COPY = 0,   /**< copies the arrays; the caller may free them after the call */
  SY_BORROW = 1, /**< uses each array in place where its form allows it, and copies the others */
  SY_BORROW_ONLY = 2 /**< as `SY_BORROW`, and `SY_UNSUPPORTED` if values or columns need a copy */
};

/** The devices of this machine, its profile and its memory budgets. A program usually has one. Its
    matrices share it and keep it alive. Threads: all calls on it may be made from any thread. */
typedef struct sy_runtime sy_runtime;

/** A matrix of elements of one type, held in one or more states. Before each multiplication the
    state with the least predicted total time is chosen.

    Threads: calls that take a `const sy_matrix*` may be made from any number of threads at once,
    with distinct results. The others need exclusive access. */
typedef struct sy_matrix sy_matrix;

/** Settings of a runtime. Where a member is 0 or NULL, the environment decides (SWITCHYARD_DEVICES,
    SWITCHYARD_PROFILE, ...), and without it the default. */
typedef struct sy_options {
  const char* devices;   /**< "all", "none", numbers like "0,1", or part of a device's name */
  const char* profile;   /**< the file of the profile; without one that fits, built-in models */
  int64_t host_budget;   /**< the most bytes of matrices and vectors on the host */
  int64_t device_budget; /**< the same for each device */
  int32_t threads;       /**< the most threads on the host */
  int32_t reproducible;  /**< 1: ignores measured times, so that plans are repeatable */
} sy_options;

/** The pattern of a matrix in compressed sparse rows: row i has the columns and values from
    offsets[i] to before offsets[i + 1], both less `base`. Columns ascend strictly within a row.

    Columns are borrowed if they have 32 bits and base 0, values always. Offsets are borrowed if
   they also have as many bits as the library uses: 32 up to 2^31 - 1 elements, 64 above. */
typedef struct sy_csr {
  int64_t rows;        /**< number of rows */
  int64_t cols;        /**< number of columns, at most 2^31 - 1 */
  int64_t nnz;         /**< number of stored elements: the length of `columns` and of the values */
  const void* offsets; /**< rows + 1 of int32_t or int64_t: where each row begins */
  const void* columns; /**< nnz of int32_t or int64_t; may be NULL if nnz is 0 */
  int32_t offset_bits; /**< 32 or 64 */
  int32_t column_bits; /**< 32 or 64 */
  int32_t base;        /**< 0 if the first column is 0 (C), 1 if it is 1 (Fortran) */
} sy_csr;

/** The places of elements in coordinates, in any order: element k is in row row_of[k] and column
    col_of[k], both less `base`. Elements at the same place are added. */
typedef struct sy_triplets {
  int64_t rows;       /**< number of rows */
  int64_t cols;       /**< number of columns, at most 2^31 - 1 */
  int64_t nnz;        /**< number of elements: the length of both arrays and of the values */
  const void* row_of; /**< nnz of int32_t or int64_t; may be NULL if nnz is 0 */
  const void* col_of; /**< the same for columns */
  int32_t index_bits; /**< 32 or 64, of both arrays */
  int32_t base;       /**< 0 if the first row and column are 0 (C), 1 if they are 1 (Fortran) */
} sy_triplets;

/** What is asked of a matrix. Each request has its own call-count hint and its own plan. Where a
    function takes a pointer to one, NULL stands for A and one column. */
typedef struct sy_request {
  int64_t columns;    /**< of x and y, from 1 */
  int32_t transposed; /**< 0: y = A x, 1: y = A^T x */
} sy_request;

/** Facts about a matrix. */
typedef struct sy_info {
  int64_t rows;         /**< elements of y */
  int64_t cols;         /**< elements of x */
  int64_t nnz;          /**< elements that are not 0, or that are stored */
  int32_t nnz_is_exact; /**< 0 if nnz is estimated from a sample of a dense matrix */
  int32_t element_bits; /**< 32: float, 64: double */
} sy_info;

/** Counters of a matrix, or of all matrices of a runtime. They never decrease. */
typedef struct sy_counters {
  int64_t calls;                   /**< multiplications that are done */
  int64_t switches;                /**< calls in another state than the call before */
  int64_t decisions_planned;       /**< calls for which a plan was made */
  int64_t decisions_remembered;    /**< calls that used a remembered decision */
  int64_t conversions;             /**< of the matrix, within a memory space */
  int64_t converted_bytes;         /**< bytes of the copies that conversions made */
  int64_t transfers;               /**< of the matrix, between memory spaces */
  int64_t transferred_bytes;       /**< bytes of the copies that transfers made */
  int64_t vector_bytes;            /**< bytes of x and y that calls moved */
  int64_t device_failures;         /**< steps and calls that failed on a device */
  int64_t completed_after_failure; /**< calls that the host completed after one */
  double switching_seconds;        /**< time of conversions and transfers */
} sy_counters;

/** The library's version, like "0.1.0". */
const char* sy_version(void);
/** The library's `SY_ABI_VERSION`. */
int32_t sy_abi_version(void);
/** The name of a status in logs and JSON, like "parse_error"; "ok" for 0, "unknown" for a number
    that is none. */
const char* sy_status_name(int status);
/** The text of the last call that failed on this thread, on one line of at most 1023 bytes. Empty
   if none has. It stays until the next failure on this thread; calls that succeed do not change it.
 */
const char* sy_last_error(void);
/** Frees a text that a function returned. NULL is allowed. */
void sy_free(char* text);

/** Makes a runtime. `options` may be NULL. SY_DEVICE_UNAVAILABLE or SY_INVALID_ARGUMENT if the
    settings name no existing device or are out of range. */
sy_status sy_runtime_create(const sy_options* options, sy_runtime** runtime);
/** Lets the runtime go. Matrices made from it stay usable. NULL is allowed. */
void sy_runtime_free(sy_runtime* runtime);
/** The counters of all matrices of the runtime, freed ones included. */
sy_status sy_runtime_counters(const sy_runtime* runtime, sy_counters* counters);

/** Makes a matrix from rows * cols elements in row-major order: element (i, j) is
    values[i * cols + j]. `memory` is one of `sy_memory`. */
sy_status sy_matrix_dense_f32(const sy_runtime* runtime, int64_t rows, int64_t cols,
                              const float* values, int memory, sy_matrix** matrix);
/** The same in double precision. */
sy_status sy_matrix_dense_f64(const sy_runtime* runtime, int64_t rows, int64_t cols,
                              const double* values, int memory, sy_matrix** matrix);
/** Makes a matrix from compressed sparse rows. All offsets and columns are checked.
    SY_INVALID_ARGUMENT if offsets do not ascend from `base` to nnz + base, or columns do not ascend
    strictly within a row. SY_OUT_OF_RANGE if a column is outside the shape or a size is negative.
 */
sy_status sy_matrix_csr_f32(const sy_runtime* runtime, const sy_csr* pattern, const float* values,
                            int memory, sy_matrix** matrix);
/** The same in double precision. */
sy_status sy_matrix_csr_f64(const sy_runtime* runtime, const sy_csr* pattern, const double* values,
                            int memory, sy_matrix** matrix);
/** Makes a matrix in compressed sparse rows from elements in coordinates. The arrays are copied,
    which takes several times their memory until the call returns. SY_OUT_OF_RANGE if a row or a
    column is outside the shape, or a size is negative or too large. */
sy_status sy_matrix_triplets_f32(const sy_runtime* runtime, const sy_triplets* places,
                                 const float* values, sy_matrix** matrix);
/** The same in double precision. */
sy_status sy_matrix_triplets_f64(const sy_runtime* runtime, const sy_triplets* places,
                                 const double* values, sy_matrix** matrix);
/** Reads a Matrix Market file, plain, gzipped or in a tar archive of the SuiteSparse collection, or
    a .npz file of SciPy's save_npz. An array file gives a dense matrix, all others compressed
    sparse rows. SY_IO_ERROR, SY_PARSE_ERROR (the text has the line), SY_DATA_CORRUPT,
    or SY_UNSUPPORTED for complex elements. */
sy_status sy_matrix_read_f32(const sy_runtime* runtime, const char* file, sy_matrix** matrix);
/** The same in double precision. */
sy_status sy_matrix_read_f64(const sy_runtime* runtime, const char* file, sy_matrix** matrix);
/** Frees the matrix. REQUIRES: no call on it is running. NULL is allowed. */
void sy_matrix_free(sy_matrix* matrix);

/** Shape, nonzeros and element type. */
sy_status sy_matrix_info(const sy_matrix* matrix, sy_info* info);

/** Y = alpha A X + beta Y, or with the transpose, as `request` says. With beta == 0, y is not read.

    x and y are row-major with request->columns columns: element (i, c) is x[i * columns + c].
    `x_size` and `y_size` are their lengths in elements; x has cols * columns and y rows * columns
    of them, with the transpose the other way round. SY_DIMENSION_MISMATCH otherwise, and
    SY_INVALID_ARGUMENT if x and y overlap or the matrix is of doubles. y is complete when the call
    returns. */
sy_status sy_multiply_f32(const sy_matrix* matrix, const sy_request* request, float alpha,
                          const float* x, int64_t x_size, float beta, float* y, int64_t y_size);
/** The same in double precision. SY_INVALID_ARGUMENT if the matrix is of floats. */
sy_status sy_multiply_f64(const sy_matrix* matrix, const sy_request* request, double alpha,
                          const double* x, int64_t x_size, double beta, double* y, int64_t y_size);

/** Replaces the values of the stored elements, row by row in ascending columns; the pattern stays.
    A dense matrix is first converted to compressed sparse rows, without its zeros. `count` is the
    number of stored elements, SY_DIMENSION_MISMATCH otherwise; if `nnz_is_exact` was 0, all copies
    but one are then dropped. The values are copied. */
sy_status sy_set_values_f32(sy_matrix* matrix, const float* values, int64_t count);
/** The same in double precision. */
sy_status sy_set_values_f64(sy_matrix* matrix, const double* values, int64_t count);
/** Replaces the contents, whose shape may differ, as `sy_matrix_dense_f32` makes them. The element
    type stays: SY_INVALID_ARGUMENT if the matrix is of doubles. */
sy_status sy_assign_dense_f32(sy_matrix* matrix, int64_t rows, int64_t cols, const float* values,
                              int memory);
/** The same in double precision. */
sy_status sy_assign_dense_f64(sy_matrix* matrix, int64_t rows, int64_t cols, const double* values,
                              int memory);
/** Replaces the contents as `sy_matrix_csr_f32` makes them. */
sy_status sy_assign_csr_f32(sy_matrix* matrix, const sy_csr* pattern, const float* values,
                            int memory);
/** The same in double precision. */
sy_status sy_assign_csr_f64(sy_matrix* matrix, const sy_csr* pattern, const double* values,
                            int memory);
/** Replaces the contents as `sy_matrix_triplets_f32` makes them. */
sy_status sy_assign_triplets_f32(sy_matrix* matrix, const sy_triplets* places, const float* values);
/** The same in double precision. */
sy_status sy_assign_triplets_f64(sy_matrix* matrix, const sy_triplets* places,
                                 const double* values);

/** Sets the call-count hint of a request: how many calls to plan for, from 1. Each call reduces it
    by one. */
sy_status sy_expect_calls(const sy_matrix* matrix, const sy_request* request, int64_t calls);
/** Overrides the planner: computes in that state only, like "csr@host". SY_INVALID_ARGUMENT if the
    text names no state, SY_DEVICE_UNAVAILABLE if there is no such device, SY_UNSUPPORTED if nothing
    multiplies in that state. */
sy_status sy_pin(const sy_matrix* matrix, const char* state);
/** The same for one request only, whatever the others are pinned to: products in one state and
    transposed ones in another. A later `sy_pin` holds for all requests again. */
sy_status sy_pin_request(const sy_matrix* matrix, const sy_request* request, const char* state);
/** Lets the planner decide again, about every request. */
sy_status sy_unpin(const sy_matrix* matrix);
/** The names of the states that hold a copy, separated by single spaces. Free it by `sy_free`. */
sy_status sy_states(const sy_matrix* matrix, char** states);
/** Makes a copy in that state and keeps it. Fails as `sy_pin` and `sy_multiply_f32` do. */
sy_status sy_bring_to(const sy_matrix* matrix, const char* state);
/** Drops the copy in that state. `dropped` may be NULL; it becomes 1, or 0 if there is no such copy
    or it is the last one. */
sy_status sy_evict(const sy_matrix* matrix, const char* state, int32_t* dropped);

/** The plan for the next call of a request, as JSON: `steps`, `predicted_seconds`, ... as in `plan`
    of `switchyard explain --json`. Free it by `sy_free`. */
sy_status sy_plan_json(const sy_matrix* matrix, const sy_request* request, char** json);
/** The plan, what it was chosen from and the counters, with measured times, as JSON with the keys
   of `switchyard explain --json`; and `states`. Free it by `sy_free`. */
sy_status sy_explain_json(const sy_matrix* matrix, const sy_request* request, char** json);
/** The same as a page of text with at most 100 columns. Free it by `sy_free`. */
sy_status sy_explain(const sy_matrix* matrix, const sy_request* request, char** text);
/** The counters of the matrix since it was made. */
sy_status sy_matrix_counters(const sy_matrix* matrix, sy_counters* counters);

#ifdef __cplusplus
}
#endif

#endif
