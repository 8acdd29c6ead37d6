// The fold of f(elements), with both recorded from the program: see recorded_text.hpp for what
// stands before.

/// All groups stride along the elements together; the host folds what they leave, in sums[group].
__kernel WORK_GROUP(LARGE_GROUP) void reduce_elements(long size, long columns, FOLDED identity,
                                                      __global FOLDED* sums APPLY_PARAMETERS
                                                      FOLD_PARAMETERS) {
  __local FOLDED scratch[LARGE_GROUP];
  const uint item = (uint)get_local_id(0);
  const long stride = (long)get_global_size(0);
  FOLDED sum0 = identity, sum1 = identity, sum2 = identity, sum3 = identity;
  long i = (long)get_global_id(0);
  for (; i + 3 * stride < size; i += 4 * stride) {
    const FOLDED value0 = apply(i, size, columns APPLY_ARGUMENTS);
    const FOLDED value1 = apply(i + stride, size, columns APPLY_ARGUMENTS);
    const FOLDED value2 = apply(i + 2 * stride, size, columns APPLY_ARGUMENTS);
    const FOLDED value3 = apply(i + 3 * stride, size, columns APPLY_ARGUMENTS);
    sum0 = combine(sum0, value0 FOLD_ARGUMENTS);
    sum1 = combine(sum1, value1 FOLD_ARGUMENTS);
    sum2 = combine(sum2, value2 FOLD_ARGUMENTS);
    sum3 = combine(sum3, value3 FOLD_ARGUMENTS);
  }
  for (; i < size; i += stride) {
    sum0 = combine(sum0, apply(i, size, columns APPLY_ARGUMENTS) FOLD_ARGUMENTS);
  }
  sum0 = combine(sum0, sum1 FOLD_ARGUMENTS);
  sum2 = combine(sum2, sum3 FOLD_ARGUMENTS);
  scratch[item] = combine(sum0, sum2 FOLD_ARGUMENTS);
  for (uint reach = LARGE_GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) scratch[item] = combine(scratch[item], scratch[item + reach] FOLD_ARGUMENTS);
  }
  if (item == 0) sums[get_group_id(0)] = scratch[0];
}
