/* A program in C: one product, and what the library says of itself. */
#include <stdio.h>
#include <string.h>
#include <switchyard.h>

int main(void) {
  const float values[6] = {1, 0, 2, 0, 3, 0};
  const float x[3] = {1, 10, 100};
  float y[2] = {0, 0};
  sy_runtime* runtime = NULL;
  sy_matrix* matrix = NULL;
  if (sy_abi_version() != SY_ABI_VERSION || sy_runtime_create(NULL, &runtime) != SY_OK ||
      sy_matrix_dense_f32(runtime, 2, 3, values, SY_BORROW, &matrix) != SY_OK ||
      sy_multiply_f32(matrix, NULL, 1, x, 3, 0, y, 2) != SY_OK) {
    fprintf(stderr, "consumer in C: %s\n", sy_last_error());
    return 1;
  }
  sy_matrix_free(matrix);
  sy_runtime_free(runtime);
  printf("Switchyard %s from C: %g %g\n", sy_version(), (double)y[0], (double)y[1]);
  return y[0] != 201 || y[1] != 30;
}
