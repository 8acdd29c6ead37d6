/* In C: heat that spreads over a plate, u = A u for each step of time, with other values half-way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <switchyard.h>

enum { side = 200, cells = side * side, steps = 200 };

/* The matrix and the heat of each cell. */
typedef struct plate {
  int32_t offsets[cells + 1];
  int32_t columns[5 * cells];
  float values[5 * cells];
  float u[cells];
  float next[cells];
} plate;

static int failed(sy_status status) {
  if (status != SY_OK) {
    fprintf(stderr, "heat_equation: error: %s: %s\n", sy_status_name(status), sy_last_error());
  }
  return status != SY_OK;
}

/* The five-point stencil: each cell gives the share `rate` of its heat to each neighbour, and the
   cells at the edge lose it to the outside. Returns the number of stored elements. */
static int32_t make_stencil(plate* p, float rate) {
  int32_t k = 0;
  int row, column;
  for (row = 0; row < side; ++row) {
    for (column = 0; column < side; ++column) {
      const int32_t cell = row * side + column;
      const int32_t neighbours[5] = {row > 0 ? cell - side : -1, column > 0 ? cell - 1 : -1, cell,
                                     column < side - 1 ? cell + 1 : -1,
                                     row < side - 1 ? cell + side : -1};
      int n;
      p->offsets[cell] = k;
      for (n = 0; n < 5; ++n) {
        if (neighbours[n] < 0) continue;
        p->columns[k] = neighbours[n];
        p->values[k++] = neighbours[n] == cell ? 1 - 4 * rate : rate;
      }
    }
  }
  p->offsets[cells] = k;
  return k;
}

static double heat_of(const plate* p) {
  double sum = 0;
  int i;
  for (i = 0; i < cells; ++i) sum += p->u[i];
  return sum;
}

static int spread(sy_matrix* A, plate* p) {
  int step, i;
  for (step = 0; step < steps; ++step) {
    if (failed(sy_multiply_f32(A, NULL, 1, p->u, cells, 0, p->next, cells))) return 1;
    for (i = 0; i < cells; ++i) p->u[i] = p->next[i];
  }
  printf("heat after %d steps: %.4f, at the middle %.3e\n", steps, heat_of(p),
         (double)p->u[cells / 2 + side / 2]);
  return 0;
}

static int run(sy_runtime* runtime, sy_matrix** A, plate* p) {
  sy_csr pattern = {cells, cells, 0, NULL, NULL, 32, 32, 0};
  char* plan = NULL;
  pattern.nnz = make_stencil(p, 0.2F);
  pattern.offsets = p->offsets;
  pattern.columns = p->columns;
  /* The values are written below, and borrowed arrays must not be: they are copied. */
  if (failed(sy_matrix_csr_f32(runtime, &pattern, p->values, SY_COPY, A))) return 1;
  if (failed(sy_expect_calls(*A, NULL, steps)) || spread(*A, p)) return 1;

  make_stencil(p, 0.1F); /* the same pattern: heat spreads half as fast */
  if (failed(sy_set_values_f32(*A, p->values, pattern.nnz)) || spread(*A, p)) return 1;

  if (failed(sy_explain(*A, NULL, &plan))) return 1;
  printf("\n%s", plan);
  sy_free(plan);
  return 0;
}

int main(void) {
  plate* const p = calloc(1, sizeof *p);
  sy_runtime* runtime = NULL;
  sy_matrix* A = NULL;
  int status = 1;
  if (p && !failed(sy_runtime_create(NULL, &runtime))) {
    p->u[cells / 2 + side / 2] = 1000;
    status = run(runtime, &A, p);
  }
  sy_matrix_free(A);
  sy_runtime_free(runtime);
  free(p);
  return status;
}
