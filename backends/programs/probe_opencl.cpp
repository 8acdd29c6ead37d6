// Loads the OpenCL drivers and asks them for their devices, so that a driver that crashes or hangs
// does so here and not in the program that uses the library (docs/decisions/0014). Arguments: names
// of platforms to leave alone. See backends/opencl/driver_probe.cpp, which starts it and reads what
// it prints.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Whatever happens to who started it, it does not stay for longer.
constexpr unsigned longest_seconds = 120;

/// Drivers print too, so that a line begins by itself and with a word of its own.
void say(std::string_view what, std::string_view text) {
  std::printf("\nswitchyard-probe %.*s %.*s\n", static_cast<int>(what.size()), what.data(),
              static_cast<int>(text.size()), text.data());
  std::fflush(stdout);
}

std::string name_of(cl_platform_id platform) {
  std::size_t bytes = 0;
  if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string name(bytes, '\0');
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, bytes, name.data(), nullptr);
  return name.c_str();
}

/// What the library asks of a device before it opens it.
void ask(cl_device_id device) {
  for (const cl_device_info what :
       {CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_DEVICE_EXTENSIONS,
        CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS,
        CL_DEVICE_DOUBLE_FP_CONFIG}) {
    std::size_t bytes = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS) continue;
    std::vector<char> answer(bytes);
    clGetDeviceInfo(device, what, bytes, answer.data(), nullptr);
  }
}

void ask(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return;
  std::vector<cl_device_id> devices(count);
  if (count == 0) return;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  for (cl_device_id device : devices) ask(device);
}

/// A file that the drivers consist of.
int say_file(dl_phdr_info* object, std::size_t, void*) {
  struct stat status {};
  if (object->dlpi_name[0] != '/' || ::stat(object->dlpi_name, &status) != 0) return 0;
  say("file", object->dlpi_name);
  return 0;
}

bool is_among(const std::string& name, int count, char** names) {
  for (int i = 1; i < count; ++i) {
    if (name == names[i]) return true;
  }
  return false;
}

}  // namespace

int main(int count, char** names) {
  for (int inherited = 3; inherited < 1024; ++inherited) ::close(inherited);
  ::alarm(longest_seconds);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  say("loading", "");
  cl_uint found = 0;
  if (clGetPlatformIDs(0, nullptr, &found) != CL_SUCCESS) found = 0;
  std::vector<cl_platform_id> platforms(found);
  if (found > 0) clGetPlatformIDs(found, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    const std::string name = name_of(platform);
    if (is_among(name, count, names)) continue;
    say("platform", name);
    ask(platform);
  }
  ::dl_iterate_phdr(say_file, nullptr);
  say("done", "");
  std::fflush(stdout);
  ::_exit(0);  // drivers are not always able to end in order
}
