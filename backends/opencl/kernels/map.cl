// z = f(elements), with f recorded from the program: see recorded_text.hpp for what stands before.

// Each item takes ELEMENTS_PER_ITEM elements, a work-group apart, so that neighbouring items read
// neighbours.
__kernel WORK_GROUP(GROUP) void map_elements(long size, long columns, __global REAL* z
                                             APPLY_PARAMETERS) {
  long i = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP) + (long)get_local_id(0);
#ifdef NVIDIA_WARP
  // All are read before any is written. The compiler may not do so: z may be an operand.
  if (i + (ELEMENTS_PER_ITEM - 1) * GROUP < size) {
    REAL values[ELEMENTS_PER_ITEM];
    UNROLLED for (int k = 0; k < ELEMENTS_PER_ITEM; ++k) {
      values[k] = apply(i + k * GROUP, size, columns APPLY_ARGUMENTS);
    }
    UNROLLED for (int k = 0; k < ELEMENTS_PER_ITEM; ++k) z[i + k * GROUP] = values[k];
    return;
  }
#endif
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) {
    z[i] = apply(i, size, columns APPLY_ARGUMENTS);
  }
}
