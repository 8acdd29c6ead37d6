// Reading on an OpenCL device.
#include <algorithm>
#include <switchyard/containers/array.hpp>

#include "opencl.hpp"
#include "read_probe.hpp"

namespace switchyard::command::bench {
namespace {

// The sums are stored only if they are a value that they never have, so that nothing but reading is
// measured and the compiler has to do it all the same.
constexpr auto source = R"(
kernel void read_grid(global const uint4* data, ulong count, global uint* out) {
  uint4 a = 0, b = 0, c = 0, d = 0;
  const size_t step = get_global_size(0);
  size_t i = get_global_id(0);
  for (; i + 3 * step < count; i += 4 * step) {
    a += data[i];
    b += data[i + step];
    c += data[i + 2 * step];
    d += data[i + 3 * step];
  }
  for (; i < count; i += step) a += data[i];
  a += b + c + d;
  if (a.x + a.y + a.z + a.w == 0x12345678u) out[0] = 1;
}
kernel void read_stretch(global const uint16* data, ulong count, global uint* out) {
  uint16 a = 0, b = 0, c = 0, d = 0;
  const ulong begin = count * get_global_id(0) / get_global_size(0);
  const ulong end = count * (get_global_id(0) + 1) / get_global_size(0);
  ulong i = begin;
  for (; i + 3 < end; i += 4) {
    a += data[i];
    b += data[i + 1];
    c += data[i + 2];
    d += data[i + 3];
  }
  for (; i < end; ++i) a += data[i];
  a += b + c + d;
  const uint8 e = a.lo + a.hi;
  if (e.s0 + e.s1 + e.s2 + e.s3 + e.s4 + e.s5 + e.s6 + e.s7 == 0x12345678u) out[0] = 1;
}
)";

constexpr std::size_t piece = 64;  // the widest load
constexpr Index chunk_words = Index{4} << 20;

class DeviceReadProbe final : public ReadProbe {
 public:
  explicit DeviceReadProbe(Executor& device)
      : device_(device), opencl_(plain_opencl(device)), out_(16, device.memory()) {
    const cl::Program program(opencl_.context, source);
    program.build("-cl-std=CL1.2");  // the bindings would ask for 2.0, which few processors have
    kernel_ = cl::Kernel(program, device.facts().is_gpu ? "read_grid" : "read_stretch");
  }

  std::size_t prepare(std::size_t bytes) override {
    // The array there now is given back first where a larger one is wanted.
    const std::size_t room = (device_.memory()->available() + words_.bytes()) / 2;
    const std::size_t most = std::min({most_probe_bytes, device_.facts().largest_allocation, room});
    bytes = std::min(std::max(bytes, piece), std::max(most, piece)) / piece * piece;
    if (bytes > words_.bytes()) grow(bytes);
    return bytes;
  }

  std::vector<Racer> racers(std::size_t bytes) override {
    const bool gpu = device_.facts().is_gpu;
    kernel_.setArg(0, buffer_of(words_.handle()));
    kernel_.setArg(1, static_cast<cl_ulong>(bytes / (gpu ? 16 : 64)));
    kernel_.setArg(2, buffer_of(out_.handle()));
    const auto read = [this, items = items(bytes), group = cl::NDRange(gpu ? 256 : 1)] {
      opencl_.queue.enqueueNDRangeKernel(kernel_, cl::NullRange, items, group);
    };
    return {{"read", read, [this] { opencl_.queue.finish(); }}};
  }

 private:
  void grow(std::size_t bytes) {
    words_ = {};
    words_ = Array<std::uint32_t>(static_cast<Index>(bytes / 4), device_.memory());
    Array<std::uint32_t> chunk(std::min(chunk_words, words_.size()));
    for (Index i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<std::uint32_t>(i) * 0x9E37U;
    for (std::size_t offset = 0; offset < bytes; offset += chunk.bytes()) {
      device_.memory()->copy_in(words_.handle(), offset, chunk.handle(),
                                std::min(chunk.bytes(), bytes - offset));
    }
    device_.finish();
  }

  /// Work-items: enough to fill a GPU, or one for each processor.
  [[nodiscard]] cl::NDRange items(std::size_t bytes) const {
    const auto units = static_cast<std::size_t>(device_.facts().compute_units);
    if (!device_.facts().is_gpu) return cl::NDRange(units);
    const std::size_t groups = std::clamp<std::size_t>(bytes / (256 * 64), 1, 32 * units);
    return cl::NDRange(groups * 256);
  }

  Executor& device_;
  PlainOpenCl opencl_;
  cl::Kernel kernel_;
  Array<std::uint32_t> words_;
  Array<std::uint32_t> out_;
};

}  // namespace

std::unique_ptr<ReadProbe> make_device_read_probe(Executor& device) {
  return std::make_unique<DeviceReadProbe>(device);
}

}  // namespace switchyard::command::bench
