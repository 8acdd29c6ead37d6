// The fold of f(elements), with both recorded from the program: see recorded_text.hpp for what
// stands before.

/// The fold of `folded` over the group, in item 0, always in the same order.
static FOLDED fold_over_group(FOLDED folded, __local FOLDED* scratch FOLD_PARAMETERS) {
  const uint item = (uint)get_local_id(0);
  scratch[item] = folded;
  for (uint reach = LARGE_GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) scratch[item] = combine(scratch[item], scratch[item + reach] FOLD_ARGUMENTS);
  }
  return scratch[item];
}

/// Takes elements into folds of their own.
INLINED void fold_wide(FOLDED* folds, WIDE values FOLD_PARAMETERS) {
  folds[0] = combine(folds[0], values.s0 FOLD_ARGUMENTS);
  folds[1] = combine(folds[1], values.s1 FOLD_ARGUMENTS);
#if WIDE_LENGTH == 4
  folds[2] = combine(folds[2], values.s2 FOLD_ARGUMENTS);
  folds[3] = combine(folds[3], values.s3 FOLD_ARGUMENTS);
#endif
}

/// All groups stride along the elements together, and leave what they fold in folds[group]. Where they
/// are to `meet`, the last one leaves the fold of all in folds[0].
__kernel WORK_GROUP(LARGE_GROUP) void reduce_elements(long size, long columns, FOLDED identity,
                                                      __global FOLDED* folds, uint meet,
                                                      __global uint* arrivals APPLY_PARAMETERS
                                                      FOLD_PARAMETERS) {
  __local FOLDED scratch[LARGE_GROUP];
  __local uint last;
  const uint item = (uint)get_local_id(0);
  const long stride = (long)get_global_size(0);
  FOLDED own[4] = {identity, identity, identity, identity};
  long i = (long)get_global_id(0);
#ifdef SAME_ELEMENTS
  // By the widest loads.
  __global const WIDE* const wide = (__global const WIDE*)in0;
  const long wides = size / WIDE_LENGTH;
  for (; i + stride < wides; i += 2 * stride) {
    const WIDE values0 = wide[i];
    const WIDE values1 = wide[i + stride];
    fold_wide(own, values0 FOLD_ARGUMENTS);
    fold_wide(own, values1 FOLD_ARGUMENTS);
  }
  if (i < wides) fold_wide(own, wide[i] FOLD_ARGUMENTS);
  i = wides * WIDE_LENGTH + (long)get_global_id(0);
#endif
  for (; i + 3 * stride < size; i += 4 * stride) {
    const FOLDED value0 = apply(i, size, columns APPLY_ARGUMENTS);
    const FOLDED value1 = apply(i + stride, size, columns APPLY_ARGUMENTS);
    const FOLDED value2 = apply(i + 2 * stride, size, columns APPLY_ARGUMENTS);
    const FOLDED value3 = apply(i + 3 * stride, size, columns APPLY_ARGUMENTS);
    own[0] = combine(own[0], value0 FOLD_ARGUMENTS);
    own[1] = combine(own[1], value1 FOLD_ARGUMENTS);
    own[2] = combine(own[2], value2 FOLD_ARGUMENTS);
    own[3] = combine(own[3], value3 FOLD_ARGUMENTS);
  }
  for (; i < size; i += stride) {
    own[0] = combine(own[0], apply(i, size, columns APPLY_ARGUMENTS) FOLD_ARGUMENTS);
  }
  own[0] = combine(own[0], own[1] FOLD_ARGUMENTS);
  own[2] = combine(own[2], own[3] FOLD_ARGUMENTS);
  FOLDED folded = combine(own[0], own[2] FOLD_ARGUMENTS);
  folded = fold_over_group(folded, scratch FOLD_ARGUMENTS);
  if (item == 0) folds[get_group_id(0)] = folded;
  if (!meet) return;
  const bool is_last = is_last_group((uint)get_num_groups(0), arrivals, &last);
  LEAVE_UNLESS(is_last);
  const uint groups = is_last ? (uint)get_num_groups(0) : 0;
  __global const volatile FOLDED* const of_groups = folds;
  folded = identity;
  for (uint group = item; group < groups; group += LARGE_GROUP) {
    folded = combine(folded, of_groups[group] FOLD_ARGUMENTS);
  }
  folded = fold_over_group(folded, scratch FOLD_ARGUMENTS);
  if (is_last && item == 0) folds[0] = folded;
}
