// z = f(elements), with f recorded from the program: see recorded_text.hpp for what stands before.

// Each item takes ELEMENTS_PER_ITEM elements, a work-group apart, so that neighbouring items read
// neighbours.
__kernel WORK_GROUP(GROUP) void map_elements(long size, long columns, __global REAL* z
                                             APPLY_PARAMETERS) {
  long i = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP) + (long)get_local_id(0);
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) {
    z[i] = apply(i, size, columns APPLY_ARGUMENTS);
  }
}
