// Opening a device and launching on it.
#include "device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device_memory.hpp"
#include "errors.hpp"
#include "exit_guard.hpp"
#include "process.hpp"
#include "recorded_text.hpp"
#include "stopwatch.hpp"

namespace switchyard::opencl {
namespace {

/// Destroys what it points to while its driver works. In a child of the process that it was made
/// in, releasing a driver's objects may wait for threads that do not exist there; while the process
/// ends, the driver may be partly destroyed. In both cases the object stays.
template <class Owner>
std::shared_ptr<Owner> kept_without_driver(std::unique_ptr<Owner> owned) {
  return {owned.release(), [process = OwningProcess()](const Owner* owner) {
            if (process.is_child()) return;
            if (exit_guard::has_ended()) return exit_guard::keep(owner);
            delete owner;
          }};
}

/// Drivers end some names with NUL and pad others with blanks.
std::string trimmed(std::string text) {
  const auto superfluous = [](char c) { return c == '\0' || c == ' ' || c == '\n'; };
  while (!text.empty() && superfluous(text.back())) text.pop_back();
  std::size_t first = 0;
  while (first < text.size() && superfluous(text[first])) ++first;
  return text.substr(first);
}

/// "sm_90" for compute capability 9.0; empty where the driver knows no compute capability.
std::string architecture_of(const cl::Device& device) {
  // From the extension cl_nv_device_attribute_query.
  constexpr cl_device_info major_of_capability = 0x4000;
  constexpr cl_device_info minor_of_capability = 0x4001;
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  if (extensions.find("cl_nv_device_attribute_query") == std::string::npos) return {};
  cl_uint major = 0;
  cl_uint minor = 0;
  const auto ask = [&](cl_device_info what, cl_uint& answer) {
    return ::clGetDeviceInfo(device(), what, sizeof answer, &answer, nullptr) == CL_SUCCESS;
  };
  if (!ask(major_of_capability, major) || !ask(minor_of_capability, minor)) return {};
  return fmt::format("sm_{}{}", major, minor);
}

/// 128 KB: more than most launches need, so that it seldom grows.
constexpr Index least_scratch = 16384;

}  // namespace

ExecutorFacts facts_of(const cl::Device& device) {
  const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  const bool is_processor = (type & CL_DEVICE_TYPE_CPU) != 0;
  ExecutorFacts facts;
  facts.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
  facts.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
  facts.driver = fmt::format("{} ({})", trimmed(device.getInfo<CL_DRIVER_VERSION>()),
                             trimmed(device.getInfo<CL_DEVICE_VERSION>()));
  facts.memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  facts.largest_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  facts.cache_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
  facts.compute_units = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  facts.supports_double = device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
  facts.shares_host_memory = is_processor || device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>();
  facts.is_gpu = !is_processor && (type & CL_DEVICE_TYPE_GPU) != 0;
  facts.on_host_processors = is_processor;
  facts.architecture = architecture_of(device);
  facts.tuning = &tuning_row_for(facts).tuning;
  return facts;
}

std::shared_ptr<Device> Device::open(const cl::Device& device, Space space,
                                     const BuildFiles& files) {
  ExecutorFacts facts = translating("OpenCL device", [&] { return facts_of(device); });
  return translating(facts.name, [&] {
    cl::Context context(device);
    auto queue = kept_without_driver(std::make_unique<InOrderQueue>(context, device));
    auto memory = kept_without_driver(std::make_unique<DeviceMemory>(space, context, queue, facts));
    return kept_without_driver(std::make_unique<Device>(
        facts, std::move(memory), std::move(context), std::move(queue), device, files));
  });
}

Device::Device(ExecutorFacts facts, std::shared_ptr<MemorySpace> memory, cl::Context context,
               std::shared_ptr<InOrderQueue> queue, const cl::Device& device,
               const BuildFiles& files)
    : Executor(Backend::OpenCL, std::move(memory), std::move(facts)),
      queue_(std::move(queue)),
      kernels_(std::move(context), device, tuning_of(this->facts()), files) {
  exit_guard::watch(*this);
  exit_guard::arm();
}

Device::~Device() {
  exit_guard::forget(*this);
  wait_for_queue();
  keep(scratch_, {});
  keep(arrivals_, {});
  keep(cleared_, {});
}

void Device::end() noexcept {
  kernels_.end();
  wait_for_queue();
}

void Device::wait_for_queue() noexcept {
  try {
    queue_->finish();
  } catch (const cl::Error&) {
    // The device is lost: there is nothing to wait for.
  }
}

bool Device::built(std::string_view program, Precision precision) const {
  if (program.empty()) return true;
  return supports(precision) && kernels_.built({program, precision, OffsetWidth::Narrow});
}

void Device::build(std::string_view program, Precision precision) {
  if (program.empty()) return;
  require(precision);
  kernels_.build({program, precision, OffsetWidth::Narrow});
}

void Device::require(Precision precision) const {
  if (supports(precision)) return;
  throw Error(ErrorCode::Unsupported, "the device has no double precision", facts().name);
}

void Device::finish() {
  health().awaiting([&] { queue_->finish(); });
}

DerivedData& Device::derived() const { return static_cast<DeviceMemory&>(*memory()).derived(); }

Health& Device::health() const { return static_cast<const DeviceMemory&>(*memory()).health(); }

std::string Device::build_problem(std::string_view program, Precision precision) const {
  return program.empty() ? std::string{} : kernels_.problem(program, precision);
}

std::unique_ptr<Stopwatch> Device::make_stopwatch() { return make_queue_stopwatch(queue_); }

Kernel& Device::kernel(const ProgramKey& key, std::string_view name) {
  require(key.precision);
  return kernels_.kernel(key, name);
}

Kernel& Device::kernel(const RecordedProgram& program, Precision precision, std::string_view name,
                       OffsetWidth width) {
  require(precision);
  for (const RecordedFunction* const function : {program.function, program.fold}) {
    if (function && needs_double(*function)) require(Precision::Double);
  }
  const std::string_view stem = kernels_.recorded().name_of(program);
  return kernels_.kernel({stem, precision, width}, name);
}

template <class T>
void Device::keep(Array<T>& place, Array<T> array) noexcept {
  memory()->charge_own(array.bytes());
  memory()->discharge(array.bytes());
  std::swap(place, array);
  // The array that was there before is released as any other.
  memory()->charge(array.bytes());
  memory()->discharge_own(array.bytes());
}

Device::Scratch Device::scratch(Index elements) {
  std::unique_lock lock(scratch_mutex_);
  if (scratch_.size() < elements) {
    // Launches that still use the old one keep it until they are done.
    keep(scratch_, Array<double>(std::max(elements, least_scratch), memory()));
  }
  if (arrivals_.size() == 0) {
    std::vector<std::uint32_t> zeros(static_cast<std::size_t>(most_meetings()), 0);
    keep(arrivals_, transferred(Array<std::uint32_t>(std::move(zeros)), memory()));
  }
  return {std::move(lock), scratch_, arrivals_};
}

void Device::set_argument(Kernel& kernel, cl_uint position, std::size_t bytes, const void* value) {
  KernelArgument argument{.bytes = bytes};
  std::memcpy(&argument.bits, value, bytes);
  if (kernel.arguments.size() <= position) kernel.arguments.resize(position + 1);
  KernelArgument& known = kernel.arguments[position];
  if (known == argument) return;
  known = {};
  translating(facts().name, [&] { kernel.kernel.setArg(position, bytes, value); });
  known = argument;
}

void Device::forget_released_buffers(Kernel& kernel) const {
  const std::uint64_t releases = static_cast<const DeviceMemory&>(*memory()).releases();
  if (kernel.arguments_set_after == releases) return;
  kernel.arguments.clear();
  kernel.arguments_set_after = releases;
}

void Device::enqueue(Kernel& kernel, Index groups) {
  health().require();
  // The lock of the kernel is held: whoever ends the devices waits for it.
  if (kernels_.has_ended()) throw Error(ErrorCode::DeviceUnavailable, "the process is ending");
  translating(facts().name, [&] {
    const auto group = static_cast<std::size_t>(kernel.group);
    const cl::NDRange items(static_cast<std::size_t>(groups) * group);
    queue_->enqueue([&](const cl::CommandQueue& queue) {
      queue.enqueueNDRangeKernel(kernel.kernel, cl::NullRange, items, cl::NDRange(group));
      // Whoever asked may not come back for a while: the work should start now. NVIDIA's driver
      // starts it anyway, and a flush would be a tenth of the launch. The work has been accepted:
      // what is wrong with it is told to whoever waits.
      if (!kernels_.is_nvidia()) static_cast<void>(::clFlush(queue()));
    });
  });
}

}  // namespace switchyard::opencl
