// An OpenCL driver without a device. Where OCL_BAD_DRIVER in the environment is "abort", "exit" or
// "hang", it does so when it is asked for its devices; with "abort when loaded", before.
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

struct _cl_platform_id {
  const cl_icd_dispatch* dispatch;
};

namespace {

bool is_to(std::string_view how) {
  const char* const wanted = std::getenv("OCL_BAD_DRIVER");
  return wanted && how == wanted;
}

[[noreturn]] void die() {
  std::fputs("the bad driver gives up\n", stderr);
  std::abort();
}

cl_int CL_API_CALL platform_info(cl_platform_id, cl_platform_info what, std::size_t bytes,
                                 void* value, std::size_t* needed) {
  const std::string text = what == CL_PLATFORM_NAME             ? "Bad Driver"
                           : what == CL_PLATFORM_VERSION        ? "OpenCL 1.2 bad"
                           : what == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                           : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "BAD"
                                                                : "bad";
  if (needed) *needed = text.size() + 1;
  if (!value) return CL_SUCCESS;
  if (bytes < text.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(value, text.c_str(), text.size() + 1);
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_ids(cl_platform_id, cl_device_type, cl_uint, cl_device_id*,
                              cl_uint* count) {
  if (is_to("abort")) die();
  if (is_to("exit")) std::_Exit(7);
  while (is_to("hang")) ::pause();
  if (count) *count = 0;
  return CL_DEVICE_NOT_FOUND;
}

cl_icd_dispatch table() {
  cl_icd_dispatch made{};
  made.clGetPlatformInfo = platform_info;
  made.clGetDeviceIDs = device_ids;
  return made;
}

const cl_icd_dispatch dispatch = table();
_cl_platform_id platform{&dispatch};

cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  if (is_to("abort when loaded")) die();
  if (count) *count = 1;
  if (platforms && room > 0) platforms[0] = &platform;
  return CL_SUCCESS;
}

}  // namespace

// The two entry points by which a loader finds all others.
extern "C" {

[[gnu::visibility("default")]] cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id of,
                                                                    cl_platform_info what,
                                                                    std::size_t bytes, void* value,
                                                                    std::size_t* needed) {
  return platform_info(of, what, bytes, value, needed);
}

[[gnu::visibility("default")]] void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "clIcdGetPlatformIDsKHR") return reinterpret_cast<void*>(&platform_ids);
  if (wanted == "clGetPlatformInfo") return reinterpret_cast<void*>(&platform_info);
  return nullptr;
}
}
