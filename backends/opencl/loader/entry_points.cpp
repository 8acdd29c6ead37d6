// The functions of OpenCL that this library calls, forwarded to the loader that is found at run
// time. They are hidden (CMakeLists.txt): a program's own calls of OpenCL do not come here. A
// function that another file calls and that is missing here is undefined when programs are linked.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <tuple>
#include <type_traits>

#include "loader.hpp"

namespace {

/// What a caller gets where the loader, or this function of it, is missing.
template <class Result, class... Arguments>
Result refused(Arguments... arguments) {
  constexpr cl_int code = CL_INVALID_OPERATION;
  if constexpr (std::is_same_v<Result, cl_int>) {
    return code;
  } else {
    cl_int* const told = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
    if (told) *told = code;
    return nullptr;
  }
}

/// Calls the loader's function `name`, which `entry_point` declares. It is looked for once.
template <auto* entry_point, class... Arguments>
auto call(const char* name, Arguments... arguments) {
  static auto* const function =
      reinterpret_cast<decltype(entry_point)>(switchyard::opencl::loader_function(name));
  using Result = decltype(function(arguments...));
  return function ? function(arguments...) : refused<Result>(arguments...);
}

using BuildCallback = void(CL_CALLBACK*)(cl_program, void*);
using ContextCallback = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);

}  // namespace

// The linter wants the parameters named as in each version of the header.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                      const char* options, BuildCallback notify, void* data) {
  return call<clBuildProgram>(__func__, program, count, devices, options, notify, data);
}
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                      cl_int* error) {
  return call<clCreateBuffer>(__func__, context, flags, size, host, error);
}
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int* error) {
  return call<clCreateCommandQueue>(__func__, context, device, properties, error);
}
cl_context clCreateContext(const cl_context_properties* properties, cl_uint count,
                           const cl_device_id* devices, ContextCallback notify, void* data,
                           cl_int* error) {
  return call<clCreateContext>(__func__, properties, count, devices, notify, data, error);
}
cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error) {
  return call<clCreateKernel>(__func__, program, name, error);
}
cl_int clCreateKernelsInProgram(cl_program program, cl_uint count, cl_kernel* kernels,
                                cl_uint* count_ret) {
  return call<clCreateKernelsInProgram>(__func__, program, count, kernels, count_ret);
}
cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const size_t* lengths, const unsigned char** binaries,
                                     cl_int* status, cl_int* error) {
  return call<clCreateProgramWithBinary>(__func__, context, count, devices, lengths, binaries,
                                         status, error);
}
cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings,
                                     const size_t* lengths, cl_int* error) {
  return call<clCreateProgramWithSource>(__func__, context, count, strings, lengths, error);
}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint waits,
                                    const cl_event* wait_list, cl_event* event) {
  return call<clEnqueueBarrierWithWaitList>(__func__, queue, waits, wait_list, event);
}
void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint waits,
                         const cl_event* wait_list, cl_event* event, cl_int* error) {
  return call<clEnqueueMapBuffer>(__func__, queue, buffer, blocking, flags, offset, size, waits,
                                  wait_list, event, error);
}
cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event* wait_list,
                                   cl_event* event) {
  return call<clEnqueueMarkerWithWaitList>(__func__, queue, waits, wait_list, event);
}
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local,
                              cl_uint waits, const cl_event* wait_list, cl_event* event) {
  return call<clEnqueueNDRangeKernel>(__func__, queue, kernel, dimensions, offset, global, local,
                                      waits, wait_list, event);
}
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void* host, cl_uint waits, const cl_event* wait_list,
                           cl_event* event) {
  return call<clEnqueueReadBuffer>(__func__, queue, buffer, blocking, offset, size, host, waits,
                                   wait_list, event);
}
cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* mapped, cl_uint waits,
                               const cl_event* wait_list, cl_event* event) {
  return call<clEnqueueUnmapMemObject>(__func__, queue, memory, mapped, waits, wait_list, event);
}
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void* host, cl_uint waits, const cl_event* wait_list,
                            cl_event* event) {
  return call<clEnqueueWriteBuffer>(__func__, queue, buffer, blocking, offset, size, host, waits,
                                    wait_list, event);
}
cl_int clFinish(cl_command_queue queue) { return call<clFinish>(__func__, queue); }
cl_int clFlush(cl_command_queue queue) { return call<clFlush>(__func__, queue); }
cl_int clGetContextInfo(cl_context context, cl_context_info what, size_t size, void* value,
                        size_t* size_ret) {
  return call<clGetContextInfo>(__func__, context, what, size, value, size_ret);
}
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint count,
                      cl_device_id* devices, cl_uint* found) {
  return call<clGetDeviceIDs>(__func__, platform, device_type, count, devices, found);
}
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* value,
                       size_t* size_ret) {
  return call<clGetDeviceInfo>(__func__, device, what, size, value, size_ret);
}
cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value,
                      size_t* size_ret) {
  return call<clGetEventInfo>(__func__, event, what, size, value, size_ret);
}
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void* value,
                               size_t* size_ret) {
  return call<clGetEventProfilingInfo>(__func__, event, what, size, value, size_ret);
}
cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void* value,
                       size_t* size_ret) {
  return call<clGetKernelInfo>(__func__, kernel, what, size, value, size_ret);
}
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t size, void* value,
                                size_t* size_ret) {
  return call<clGetKernelWorkGroupInfo>(__func__, kernel, device, what, size, value, size_ret);
}
cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t size, void* value,
                          size_t* size_ret) {
  return call<clGetMemObjectInfo>(__func__, memory, what, size, value, size_ret);
}
cl_int clGetPlatformIDs(cl_uint count, cl_platform_id* platforms, cl_uint* found) {
  return call<clGetPlatformIDs>(__func__, count, platforms, found);
}
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void* value,
                         size_t* size_ret) {
  return call<clGetPlatformInfo>(__func__, platform, what, size, value, size_ret);
}
cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                             size_t size, void* value, size_t* size_ret) {
  return call<clGetProgramBuildInfo>(__func__, program, device, what, size, value, size_ret);
}
cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void* value,
                        size_t* size_ret) {
  return call<clGetProgramInfo>(__func__, program, what, size, value, size_ret);
}
cl_int clReleaseCommandQueue(cl_command_queue queue) {
  return call<clReleaseCommandQueue>(__func__, queue);
}
cl_int clReleaseContext(cl_context context) { return call<clReleaseContext>(__func__, context); }
cl_int clReleaseDevice(cl_device_id device) { return call<clReleaseDevice>(__func__, device); }
cl_int clReleaseEvent(cl_event event) { return call<clReleaseEvent>(__func__, event); }
cl_int clReleaseKernel(cl_kernel kernel) { return call<clReleaseKernel>(__func__, kernel); }
cl_int clReleaseMemObject(cl_mem memory) { return call<clReleaseMemObject>(__func__, memory); }
cl_int clReleaseProgram(cl_program program) { return call<clReleaseProgram>(__func__, program); }
cl_int clRetainCommandQueue(cl_command_queue queue) {
  return call<clRetainCommandQueue>(__func__, queue);
}
cl_int clRetainContext(cl_context context) { return call<clRetainContext>(__func__, context); }
cl_int clRetainDevice(cl_device_id device) { return call<clRetainDevice>(__func__, device); }
cl_int clRetainEvent(cl_event event) { return call<clRetainEvent>(__func__, event); }
cl_int clRetainKernel(cl_kernel kernel) { return call<clRetainKernel>(__func__, kernel); }
cl_int clRetainMemObject(cl_mem memory) { return call<clRetainMemObject>(__func__, memory); }
cl_int clRetainProgram(cl_program program) { return call<clRetainProgram>(__func__, program); }
cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  return call<clSetKernelArg>(__func__, kernel, index, size, value);
}
cl_int clWaitForEvents(cl_uint count, const cl_event* events) {
  return call<clWaitForEvents>(__func__, count, events);
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
