// An OpenCL layer between the loader and the driver: makes calls fail and counts live objects.
#include <CL/cl_layer.h>

#include <array>
#include <cstring>

#include "faults/fault_wrapper.hpp"

namespace switchyard::testing {
namespace {

constexpr std::size_t most_entries = 64;
std::array<const char*, most_entries + 1> names{};
std::size_t name_count = 0;

template <auto entry>
void wrap(const char* name) {
  Wrapper<entry>::name = name;
  layer().ours.*entry = &Wrapper<entry>::call;
  names[name_count++] = name;
}

/// What the library calls, in the order of nm; the test `EntryPoints` sees that none is missing.
void wrap_all() {
  wrap<&Dispatch::clBuildProgram>("clBuildProgram");
  wrap<&Dispatch::clCreateBuffer>("clCreateBuffer");
  wrap<&Dispatch::clCreateCommandQueue>("clCreateCommandQueue");
  wrap<&Dispatch::clCreateContext>("clCreateContext");
  wrap<&Dispatch::clCreateKernel>("clCreateKernel");
  wrap<&Dispatch::clCreateKernelsInProgram>("clCreateKernelsInProgram");
  wrap<&Dispatch::clCreateProgramWithBinary>("clCreateProgramWithBinary");
  wrap<&Dispatch::clCreateProgramWithSource>("clCreateProgramWithSource");
  wrap<&Dispatch::clEnqueueBarrierWithWaitList>("clEnqueueBarrierWithWaitList");
  wrap<&Dispatch::clEnqueueMapBuffer>("clEnqueueMapBuffer");
  wrap<&Dispatch::clEnqueueMarkerWithWaitList>("clEnqueueMarkerWithWaitList");
  wrap<&Dispatch::clEnqueueNDRangeKernel>("clEnqueueNDRangeKernel");
  wrap<&Dispatch::clEnqueueReadBuffer>("clEnqueueReadBuffer");
  wrap<&Dispatch::clEnqueueUnmapMemObject>("clEnqueueUnmapMemObject");
  wrap<&Dispatch::clEnqueueWriteBuffer>("clEnqueueWriteBuffer");
  wrap<&Dispatch::clFinish>("clFinish");
  wrap<&Dispatch::clFlush>("clFlush");
  wrap<&Dispatch::clGetContextInfo>("clGetContextInfo");
  wrap<&Dispatch::clGetDeviceIDs>("clGetDeviceIDs");
  wrap<&Dispatch::clGetDeviceInfo>("clGetDeviceInfo");
  wrap<&Dispatch::clGetEventInfo>("clGetEventInfo");
  wrap<&Dispatch::clGetEventProfilingInfo>("clGetEventProfilingInfo");
  wrap<&Dispatch::clGetKernelInfo>("clGetKernelInfo");
  wrap<&Dispatch::clGetKernelWorkGroupInfo>("clGetKernelWorkGroupInfo");
  wrap<&Dispatch::clGetMemObjectInfo>("clGetMemObjectInfo");
  wrap<&Dispatch::clGetPlatformIDs>("clGetPlatformIDs");
  wrap<&Dispatch::clGetPlatformInfo>("clGetPlatformInfo");
  wrap<&Dispatch::clGetProgramBuildInfo>("clGetProgramBuildInfo");
  wrap<&Dispatch::clGetProgramInfo>("clGetProgramInfo");
  wrap<&Dispatch::clReleaseCommandQueue>("clReleaseCommandQueue");
  wrap<&Dispatch::clReleaseContext>("clReleaseContext");
  wrap<&Dispatch::clReleaseDevice>("clReleaseDevice");
  wrap<&Dispatch::clReleaseEvent>("clReleaseEvent");
  wrap<&Dispatch::clReleaseKernel>("clReleaseKernel");
  wrap<&Dispatch::clReleaseMemObject>("clReleaseMemObject");
  wrap<&Dispatch::clReleaseProgram>("clReleaseProgram");
  wrap<&Dispatch::clRetainCommandQueue>("clRetainCommandQueue");
  wrap<&Dispatch::clRetainContext>("clRetainContext");
  wrap<&Dispatch::clRetainDevice>("clRetainDevice");
  wrap<&Dispatch::clRetainEvent>("clRetainEvent");
  wrap<&Dispatch::clRetainKernel>("clRetainKernel");
  wrap<&Dispatch::clRetainMemObject>("clRetainMemObject");
  wrap<&Dispatch::clRetainProgram>("clRetainProgram");
  wrap<&Dispatch::clSetKernelArg>("clSetKernelArg");
  wrap<&Dispatch::clWaitForEvents>("clWaitForEvents");
}

void set_plan(const FaultPlan& plan) {
  Layer& state = layer();
  const std::lock_guard lock(state.mutex);
  state.clean_up();
  state.plan = plan;
  state.calls = 0;
  state.faults = 0;
  state.broken = false;
  state.surfaces = false;
}

void set_disguise(const Disguise& disguise) {
  const std::lock_guard lock(layer().mutex);
  layer().disguise = disguise;
}

LiveObjects live() {
  const std::lock_guard lock(layer().mutex);
  LiveObjects live;
  for (const auto& [handle, object] : layer().objects) {
    live.*object.kind += std::max<std::int64_t>(0, object.references - object.given_up);
  }
  return live;
}

constexpr FaultLayer control{.set_plan = set_plan,
                             .set_disguise = set_disguise,
                             .calls =
                                 [] {
                                   const std::lock_guard lock(layer().mutex);
                                   return layer().calls;
                                 },
                             .faults =
                                 [] {
                                   const std::lock_guard lock(layer().mutex);
                                   return layer().faults;
                                 },
                             .live = live,
                             .entry_points = []() -> const char* const* { return names.data(); }};

}  // namespace
}  // namespace switchyard::testing

extern "C" {

CL_API_ENTRY const switchyard::testing::FaultLayer* switchyard_fault_layer() {
  return &switchyard::testing::control;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info question, size_t size, void* answer,
                                               size_t* answer_size) {
  constexpr cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  constexpr char name[] = "switchyard faults";
  const bool is_name = question == CL_LAYER_NAME;
  if (!is_name && question != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const size_t needed = is_name ? sizeof name : sizeof version;
  if (answer_size) *answer_size = needed;
  if (!answer) return CL_SUCCESS;
  if (size < needed) return CL_INVALID_VALUE;
  std::memcpy(answer, is_name ? static_cast<const void*>(name) : &version, needed);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* next,
                                            cl_uint* our_entries, const cl_icd_dispatch** ours) {
  using namespace switchyard::testing;
  constexpr cl_uint known = sizeof(cl_icd_dispatch) / sizeof(void*);
  if (entries < known) return CL_INVALID_VALUE;
  layer().next = *next;
  layer().ours = *next;
  wrap_all();
  *our_entries = known;
  *ours = &layer().ours;
  return CL_SUCCESS;
}

}  // extern "C"
