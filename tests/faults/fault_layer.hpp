// How a test steers the layer that makes OpenCL calls fail (fault_layer.cpp).
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

namespace switchyard::testing {

/// Which call fails, and how. Calls are counted from 1, from when the plan is set.
struct FaultPlan {
  std::int64_t nth = 0;        ///< of the calls that `only` lets through; 0: none fails
  const char* only = nullptr;  ///< counts calls of this entry point alone; null: of all
  cl_int code = CL_SUCCESS;
  /// Every call after it fails as well, as on a device that is lost.
  bool for_ever = false;
  /// A command that is asked for seems to be accepted, is not done, and fails whoever waits next.
  /// Calls that are no commands are not counted.
  bool late = false;
};

/// What the device pretends to be.
struct Disguise {
  bool discrete_gpu = false;           ///< a GPU across a link, though it is the processor
  bool shared_gpu = false;             ///< a GPU in the host's memory
  std::size_t largest_allocation = 0;  ///< bytes; 0: what it has
  std::size_t total_allocation = 0;    ///< bytes of all buffers that are alive; 0: no limit
};

/// References held to objects of OpenCL, but for those that could not be given back.
struct LiveObjects {
  std::int64_t contexts = 0;
  std::int64_t queues = 0;
  std::int64_t buffers = 0;
  std::int64_t programs = 0;
  std::int64_t kernels = 0;
  std::int64_t events = 0;
  [[nodiscard]] std::int64_t all() const {
    return contexts + queues + buffers + programs + kernels + events;
  }
};

/// What the layer hands out by its exported function `switchyard_fault_layer`. Everything may be
/// called from any thread.
struct FaultLayer {
  void (*set_plan)(const FaultPlan& plan);
  void (*set_disguise)(const Disguise& disguise);
  std::int64_t (*calls)();   ///< counted since the plan was set
  std::int64_t (*faults)();  ///< calls that failed on purpose since then
  LiveObjects (*live)();
  const char* const* (*entry_points)();  ///< the names of all it wraps, null at the end
};

}  // namespace switchyard::testing
