// Building of kernels: from a cached binary or from source, once.
#include "kernel_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <switchyard/containers/log.hpp>

#include "build_lock.hpp"
#include "errors.hpp"
#include "exit_guard.hpp"
#include "kernel_sources.hpp"

namespace switchyard::opencl {
namespace {

/// Whether this is NVIDIA's own driver, which takes PTX, and whose devices have warps of 32 items.
bool driven_by_nvidia(const cl::Device& device) {
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  return extensions.find("cl_nv_device_attribute_query") != std::string::npos;
}

/// The first number of the compute capability of a device driven by NVIDIA, or 0.
cl_uint capability_of(const cl::Device& device) {
  constexpr cl_device_info major_of_capability = 0x4000;
  cl_uint major = 0;
  if (!driven_by_nvidia(device)) return 0;
  const cl_int status =
      ::clGetDeviceInfo(device(), major_of_capability, sizeof major, &major, nullptr);
  return status == CL_SUCCESS ? major : 0;
}

/// `tuning` with work-groups that the device allows, which are powers of two.
Tuning fitted(Tuning tuning, const cl::Device& device) {
  const std::size_t most = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const auto largest = narrow<Index>(std::bit_floor(std::max<std::size_t>(1, most)));
  tuning.group = std::min(tuning.group, largest);
  tuning.large_group = std::min(tuning.large_group, largest);
  tuning.chunks_group = std::min(tuning.chunks_group, largest);
  return tuning;
}

/// Whether quotients and roots in float can be what they are on the host.
bool divides_correctly(const cl::Device& device) {
  const auto single = device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>();
  return (single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

ProgramSource source_of(std::string_view program) {
  const ProgramSource source = find_program(program);
  if (!source.files.front()) {
    throw Error(ErrorCode::Internal, fmt::format("there is no kernel file '{}'", program));
  }
  return source;
}

/// Builds a program; throws cl::BuildError. Not by cl::Program::build, which where there is no log
/// throws what went wrong with fetching it.
void build_for(const cl::Device& device, const cl::Program& program, const std::string& flags) {
  const cl_int status = ::clBuildProgram(program(), 1, &device(), flags.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return;
  cl::BuildLogType log;
  try {
    log.emplace_back(device, program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device));
  } catch (const cl::Error&) {
    // The code says enough.
  }
  throw cl::BuildError(status, "clBuildProgram", log);
}

std::vector<std::unique_ptr<Kernel>> kernels_of(cl::Program program, const cl::Device& device) {
  std::vector<cl::Kernel> handles;
  program.createKernels(&handles);
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (cl::Kernel& handle : handles) {
    auto kernel = std::make_unique<Kernel>();
    kernel->name = handle.getInfo<CL_KERNEL_FUNCTION_NAME>();
    while (!kernel->name.empty() && kernel->name.back() == '\0') kernel->name.pop_back();
    kernel->group =
        narrow<Index>(handle.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device)[0]);
    // Moved, since a copy that cannot be retained would be released all the same.
    kernel->kernel = std::move(handle);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

KernelCache::KernelCache(cl::Context context, cl::Device device, const Tuning& tuning,
                         const BuildFiles& files)
    : context_(std::move(context)),
      device_(std::move(device)),
      binaries_(files.binaries),
      lock_(files.lock),
      name_(device_.getInfo<CL_DEVICE_NAME>()),
      target_{.tuning = fitted(tuning, device_),
              .has_double = device_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0,
              .is_nvidia = driven_by_nvidia(device_),
              .copies_ahead = capability_of(device_) >= 8,
              .multiplies_doubles = capability_of(device_) >= 9},
      recorded_flags_(divides_correctly(device_) ? " -cl-fp32-correctly-rounded-divide-sqrt" : "") {
}

KernelCache::Program& KernelCache::slot(const ProgramKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  if (found != programs_.end()) return *found->second;
  ProgramKey kept = key;
  // The caller's text may not live as long as the map.
  const auto recorded = recorded_.find(key.stem);
  kept.stem = recorded ? recorded->name : source_of(key.stem).name;
  return *programs_.emplace(kept, std::make_unique<Program>()).first->second;
}

KernelCache::Program& KernelCache::built_program(const ProgramKey& key) {
  Program& program = slot(key);
  if (ended_) exit_guard::refuse(name_);
  const std::lock_guard lock(program.building);
  if (!program.kernels.empty()) return program;
  if (ended_) throw Error(ErrorCode::DeviceUnavailable, "the process is ending", name_);
  if (program.failure) throw Error(*program.failure);
  try {
    translating(name_, [&] { program.kernels = kernels_of(compiled(key), device_); });
  } catch (const Error& error) {
    // A compiler that refuses once refuses again; a lack of memory may pass.
    if (error.code() != ErrorCode::BuildFailed) throw;
    program.failure = error;
    program.failed = true;
    log(LogLevel::Warning, fmt::format("the kernels in {} are not used in {}: {}", key.stem,
                                       switchyard::name(key.precision), error.what()));
    throw;
  }
  exit_guard::arm();
  return program;
}

void KernelCache::end() noexcept {
  ended_ = true;
  const std::lock_guard lock(mutex_);
  for (const auto& entry : programs_) {
    const std::lock_guard no_build(entry.second->building);
    for (const auto& kernel : entry.second->kernels) {
      const std::lock_guard no_launch(kernel->mutex);
    }
  }
}

Kernel& KernelCache::kernel(const ProgramKey& key, std::string_view name) {
  for (const auto& kernel : built_program(key).kernels) {
    if (kernel->name == name) return *kernel;
  }
  throw Error(ErrorCode::Internal, fmt::format("there is no kernel '{}' in '{}'", name, key.stem));
}

bool KernelCache::built(const ProgramKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  if (found == programs_.end()) return false;
  // Whoever builds it at this moment has not built it yet.
  const std::unique_lock building(found->second->building, std::try_to_lock);
  return building && !found->second->kernels.empty();
}

std::string KernelCache::problem(std::string_view stem, Precision precision) const {
  const std::lock_guard lock(mutex_);
  for (const OffsetWidth width : {OffsetWidth::Narrow, OffsetWidth::Wide}) {
    const auto found = programs_.find({stem, precision, width});
    if (found != programs_.end() && found->second->failed) return found->second->failure->what();
  }
  return {};
}

std::string KernelCache::binary_key(std::string_view text, std::string_view options) const {
  return fmt::format("{}; {}; {}; {:016x}; {}", name_, device_.getInfo<CL_DEVICE_VERSION>(),
                     device_.getInfo<CL_DRIVER_VERSION>(), hash(text), options);
}

cl::Program KernelCache::compiled_from_source(const std::string& text,
                                              const std::string& flags) const {
  std::unique_lock among_threads(compiling_, std::defer_lock);
  if (!lock_.empty()) among_threads.lock();
  const BuildLock among_processes(lock_);
  cl::Program program(context_, text);
  build_for(device_, program, flags);
  return program;
}

KernelCache::Source KernelCache::source_text(const ProgramKey& key) const {
  Source made;
  const auto add = [&](const KernelSource* file) {
    if (file) made.text += fmt::format("\n#line 1 \"{}.cl\"\n{}", file->stem, file->text);
  };
  for (const std::string_view stem : common_stems) add(find_kernel_source(stem));
  if (const auto recorded = recorded_.find(key.stem)) {
    made.text += recorded->text;
    add(find_kernel_source(recorded->skeleton));
    made.definitions = recorded_flags_;
    return made;
  }
  const ProgramSource source = source_of(key.stem);
  for (const KernelSource* const file : source.files) add(file);
  made.definitions = source.definitions;
  if (target_.is_nvidia) made.definitions += source.nvidia;
  return made;
}

cl::Program KernelCache::compiled(const ProgramKey& key) const {
  const auto [text, definitions] = source_text(key);
  const std::string flags = "-cl-std=CL1.2" + program_definitions(target_, key) + definitions;
  const std::string kept_as = binary_key(text, flags);
  if (const auto binary = binaries_.load(kept_as)) {
    try {
      cl::Program program(context_, {device_}, {*binary});
      build_for(device_, program, flags);
      return program;
    } catch (const cl::Error&) {
      // A driver may refuse what an earlier one wrote under the same version: use the source.
    }
  }
  cl::Program program = compiled_from_source(text, flags);
  // To answer, PoCL compiles every kernel of the program for work-groups of any size, which nobody
  // uses: as long again as the kernels that are launched.
  if (!binaries_.keeps()) return program;
  try {
    const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    if (!binaries.empty() && !binaries[0].empty()) binaries_.store(kept_as, binaries[0]);
  } catch (const cl::Error&) {
    // The program is built all the same; it will be built again next time.
  }
  return program;
}

}  // namespace switchyard::opencl
