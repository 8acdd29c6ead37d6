// A row that several work-groups share: each publishes its part of the sum, in words of 64 bits in an
// array that only the launches of one kernel on one matrix use. A word holds the number of the launch
// beside 32 bits of the sum, and is written and read as a whole. So a reader can tell by itself
// whether it belongs to this launch, without a fence. Successive launches have different numbers, and
// each publishes in the same places.
#ifdef REAL_IS_DOUBLE
#define PUBLISHED_WORDS 2
#else
#define PUBLISHED_WORDS 1
#endif
/// Parts that an item asks for before it waits for the first of them.
#define IN_FLIGHT 4

static void publish(__global volatile ulong* part, uint launch, REAL sum) {
  const ulong number = (ulong)launch << 32;
#ifdef REAL_IS_DOUBLE
  const uint2 halves = as_uint2(sum);
  part[0] = number | halves.x;
  part[1] = number | halves.y;
#else
  part[0] = number | as_uint(sum);
#endif
}

static void read_part(__global const volatile ulong* part, ulong* words) {
  for (uint w = 0; w < PUBLISHED_WORDS; ++w) words[w] = part[w];
}

/// A part that is published in this launch. `words` were read before, on NVIDIA's devices perhaps too
/// early. On others, all parts were published by an earlier launch.
static REAL awaited(__global const volatile ulong* part, ulong* words, uint launch) {
#ifdef NVIDIA_WARP
  while (words[0] >> 32 != launch) read_part(part, words);
  while (words[PUBLISHED_WORDS - 1] >> 32 != launch) read_part(part, words);
#else
  (void)part;
  (void)launch;
#endif
#ifdef REAL_IS_DOUBLE
  return as_double((uint2)((uint)words[0], (uint)words[1]));
#else
  return as_float((uint)words[0]);
#endif
}

/// The sum of the parts from `first` to before `end`, as far as they fall to one of `lanes` items.
static REAL share_of_published(__global const volatile ulong* parts, long first, long end,
                               uint launch, uint lanes) {
  REAL sum = 0;
  for (long p = first + (uint)get_local_id(0); p < end; p += IN_FLIGHT * lanes) {
    ulong words[IN_FLIGHT][PUBLISHED_WORDS];
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      read_part(parts + min(p + i * lanes, end - 1) * PUBLISHED_WORDS, words[i]);
    }
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      const REAL part =
          awaited(parts + min(p + i * lanes, end - 1) * PUBLISHED_WORDS, words[i], launch);
      sum += p + i * lanes < end ? part : 0;
    }
  }
  return sum;
}

#ifdef NVIDIA_WARP
/// The sum, in item 0, of the parts from `first` to before `end`, which groups of lower index publish
/// without waiting for groups of higher index. Those have started before this one: NVIDIA's devices
/// start groups in the order of their index, which CUB's scans rely on as well. `scratch` holds an
/// element for each item. For groups of GROUP items; all must come here.
static REAL sum_of_published(__global const volatile ulong* parts, long first, long end,
                             uint launch, __local REAL* scratch) {
  if (end - first > WARP) {
    const REAL sum = share_of_published(parts, first, end, launch, GROUP);
    return sum_over_lanes(sum, GROUP, scratch);
  }
  const uint item = (uint)get_local_id(0);
  if (item >= WARP) return 0;
  REAL sum = 0;
  if (item < end - first) {
    __global const volatile ulong* const part = parts + (first + item) * PUBLISHED_WORDS;
    ulong words[PUBLISHED_WORDS];
    read_part(part, words);
    sum = awaited(part, words, launch);
  }
  return sum_over_lanes(sum, WARP, scratch);
}
#endif
