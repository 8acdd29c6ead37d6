// What OpenCL C and prelude.cl give to kernels, for groups whose items are threads: a group at a
// time, 32 neighbouring threads a warp. For kernels that are compiled as C++
// (kernels_as_cpp.cmake).
#pragma once

#include <algorithm>
#include <array>
#include <barrier>
#include <bit>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "emulated.hpp"

namespace {

using uint = unsigned;
using ulong = unsigned long;
#ifdef REAL_IS_DOUBLE
using REAL = double;
#else
using REAL = float;
#endif

// Small groups, of two warps, so that tiles and windows are many; and of four.
#define OFFSET int
#define GROUP 64
#define LARGE_GROUP 128
#define CHUNKS_GROUP 64
#define NVIDIA_WARP 32
#define WARP ((uint)NVIDIA_WARP)
#define WINDOW 2048
#define STRETCH_ROWS 256

#define __kernel static
#define __global
#define __local
#define WORK_GROUP(items)
#define INLINED static inline
#define UNROLLED
#define NOT_UNROLLED
#define CLK_LOCAL_MEM_FENCE 0

using std::clamp;
using std::isinf;
using std::isnan;
using std::ldexp;
using std::max;
using std::min;
uint max(uint a, int b) { return std::max(a, static_cast<uint>(b)); }
uint max(int a, uint b) { return max(b, a); }
uint clz(uint value) { return static_cast<uint>(std::countl_zero(value)); }
uint clz(ulong value) { return static_cast<uint>(std::countl_zero(value)); }
uint log2_of(uint power) { return 31 - clz(power); }
uint as_uint(float value) { return std::bit_cast<uint>(value); }
float as_float(uint bits) { return std::bit_cast<float>(bits); }
ulong as_ulong(double value) { return std::bit_cast<ulong>(value); }
double as_double(ulong bits) { return std::bit_cast<double>(bits); }

thread_local uint item_of_thread = 0;
thread_local ulong group_of_thread = 0;
uint items_of_group = GROUP;
ulong get_local_id(int) { return item_of_thread; }
ulong get_group_id(int) { return group_of_thread; }
uint lane_of(uint lanes) { return item_of_thread & (lanes - 1); }
ulong get_global_id(int) { return group_of_thread * items_of_group + item_of_thread; }

/// Where all items of the group that runs meet, and those of each of its warps.
std::unique_ptr<std::barrier<>> meeting;
std::vector<std::unique_ptr<std::barrier<>>> meetings;
void barrier(int) { meeting->arrive_and_wait(); }
void meet_team() { meetings[item_of_thread / WARP]->arrive_and_wait(); }

/// What each item shows to its warp.
std::array<uint, LARGE_GROUP> shown{};

/// What `seen` makes of what the items of the warp show.
template <class Seen>
uint exchanged(uint value, const Seen& seen) {
  shown[item_of_thread] = value;
  meet_team();
  const uint result = seen(shown.data() + item_of_thread / WARP * WARP);
  meet_team();
  return result;
}
uint from_item(uint value, uint item) {
  return exchanged(value, [&](const uint* warp) { return warp[item % WARP]; });
}
uint from_lane_above(uint value, uint distance) {
  const uint lane = item_of_thread % WARP;
  return from_item(value, lane + distance < WARP ? lane + distance : lane);
}
REAL real_from_lane_above(REAL value, uint distance) {
#ifdef REAL_IS_DOUBLE
  const ulong bits = as_ulong(value);
  const ulong high = from_lane_above(static_cast<uint>(bits >> 32), distance);
  return as_double(high << 32 | from_lane_above(static_cast<uint>(bits), distance));
#else
  return as_float(from_lane_above(as_uint(value), distance));
#endif
}
uint ballot(bool holds) {
  return exchanged(holds, [](const uint* warp) {
    uint bits = 0;
    for (uint lane = 0; lane < WARP; ++lane) bits |= warp[lane] << lane;
    return bits;
  });
}

int streamed_int(const int* address) { return *address; }
REAL streamed_real(const REAL* address) { return *address; }

template <class T, class Value>
T atomic_max(volatile T* at, Value value) {
  T before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (before < static_cast<T>(value) &&
         !__atomic_compare_exchange_n(at, &before, static_cast<T>(value), false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}
template <class T, class Value>
T atomic_add(volatile T* at, Value value) {
  return __atomic_fetch_add(at, static_cast<T>(value), __ATOMIC_RELAXED);
}
template <class T, class Value>
T atomic_or(volatile T* at, Value value) {
  return __atomic_fetch_or(at, static_cast<T>(value), __ATOMIC_RELAXED);
}
template <class T>
T atomic_inc(volatile T* at) {
  return atomic_add(at, 1);
}
void atom_add(volatile ulong* at, ulong value) { atomic_add(at, value); }
void fence_of_device() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
REAL updated(REAL alpha, REAL sum, REAL beta, const REAL* y, long row) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
}

/// Runs so many groups of so many items, one after another.
template <class Kernel>
void launch(long groups, uint items, const Kernel& kernel) {
  items_of_group = items;
  meeting = std::make_unique<std::barrier<>>(items);
  meetings.clear();
  for (uint warp = 0; warp < items / WARP; ++warp) {
    meetings.push_back(std::make_unique<std::barrier<>>(NVIDIA_WARP));
  }
  std::vector<std::jthread> threads;
  for (uint item = 0; item < items; ++item) {
    threads.emplace_back([&, item] {
      item_of_thread = item;
      for (long group = 0; group < groups; ++group) {
        group_of_thread = static_cast<ulong>(group);
        kernel();
        meeting->arrive_and_wait();
      }
    });
  }
}

/// Planes as csr_scatter.cpp chooses them, and room for their words in `sums`.
struct Planes {
  uint count = 0;
  uint width = 0;
  ulong* words = nullptr;

  Planes(const switchyard::warps::Product<REAL>& a, switchyard::warps::KeptSums& sums) {
    constexpr bool is_double = sizeof(REAL) == sizeof(double);
    constexpr int piece_bits = is_double ? 27 : 24;
    constexpr int places = is_double ? 2046 + 34 : 254 + 5;
    const int bits_of_count = std::bit_width(static_cast<ulong>(a.rows));
    width = static_cast<uint>(std::min(63 - piece_bits - bits_of_count, 30));
    count = (places + width) / width + 1;
    if (a.few_planes) count = std::bit_floor((is_double ? 128 : 64) / width) * 2;
    const auto size =
        static_cast<std::size_t>(switchyard::warps::control_words + a.cols * (count + 1));
    if (sums.words.size() < size) sums.words.assign(size, 0);
    words = sums.words.data();
  }
};

}  // namespace
