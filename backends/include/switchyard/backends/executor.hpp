// What runs operations in one memory space: the host's threads, or one OpenCL device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/memory_space.hpp>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

namespace opencl {
struct Tuning;
}

/// By what means a space computes.
enum class Backend { OpenMP, OpenCL };

/// "openmp", "opencl".
[[nodiscard]] constexpr std::string_view name(Backend backend) noexcept {
  return backend == Backend::OpenMP ? "openmp" : "opencl";
}

/// What can be told about the hardware behind an executor.
struct ExecutorFacts {
  std::string name;                    ///< the processor's or device's own name
  std::string vendor;                  ///< as the OpenCL platform tells it; empty for the host
  std::string architecture;            ///< "sm_90" where NVIDIA's driver tells it; else empty
  std::string driver;                  ///< driver and OpenCL version; the compiler's for the host
  std::size_t memory_bytes = 0;        ///< in all; the budgets are shares of it
  std::size_t largest_allocation = 0;  ///< the most that one array can take
  std::size_t cache_bytes = 0;         ///< last-level cache, 0 where unknown
  int compute_units = 0;               ///< threads on the host
  bool supports_double = true;         ///< whether it computes in double precision
  bool shares_host_memory = true;      ///< no link to cross
  bool is_gpu = false;                 ///< the OpenCL device type is a GPU
  /// Launch sizes and thresholds of an OpenCL device, found when it is opened; null on the host.
  const opencl::Tuning* tuning = nullptr;
};

/// The time between two points of an executor's work, told later: nobody waits. Used by one thread
/// at a time. Marking allocates nothing of ours.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Marks the point after everything asked for so far.
  virtual void start() noexcept = 0;
  /// Marks the point up to which it counts.
  virtual void stop() noexcept = 0;
  /// Seconds from when the first point was passed to when the second was; nothing until then, nor
  /// where the device cannot tell.
  [[nodiscard]] virtual std::optional<double> seconds() noexcept = 0;
};

/// Runs operations in one memory space, in the order in which they were asked for. All members may
/// be called from any thread.
class Executor {
 public:
  /// For a backend's own class: `memory` is where it computes.
  Executor(Backend backend, std::shared_ptr<MemorySpace> memory, ExecutorFacts facts)
      : backend_(backend), memory_(std::move(memory)), facts_(std::move(facts)) {}
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// By what means it computes.
  [[nodiscard]] Backend backend() const noexcept { return backend_; }
  /// Where its operands have to be.
  [[nodiscard]] Space space() const noexcept { return memory_->space(); }
  /// The memory of that space.
  [[nodiscard]] const std::shared_ptr<MemorySpace>& memory() const noexcept { return memory_; }
  /// What the hardware says of itself.
  [[nodiscard]] const ExecutorFacts& facts() const noexcept { return facts_; }
  /// Whether matrices of that precision can be multiplied here.
  [[nodiscard]] bool supports(Precision precision) const noexcept {
    return precision == Precision::Float || facts_.supports_double;
  }

  /// Whether the kernels in `program` (a name from the operation tables; empty: none needed) are
  /// built for `precision` in this process, so that a call will not have to wait for a compiler.
  [[nodiscard]] virtual bool built(std::string_view program, Precision precision) const = 0;
  /// Builds them now. Throws `Error(BuildFailed)` with the compiler's log.
  virtual void build(std::string_view program, Precision precision) = 0;
  /// Why the kernels in `program` cannot be built for `precision`, as far as that has been tried;
  /// empty where nothing is known against it.
  [[nodiscard]] virtual std::string build_problem(std::string_view /*program*/,
                                                  Precision /*precision*/) const {
    return {};
  }
  /// Returns when everything asked for so far is done. Throws what went wrong meanwhile.
  virtual void finish() = 0;
  /// A stopwatch for work that is not done when the call returns; null where all work is.
  [[nodiscard]] virtual std::unique_ptr<Stopwatch> make_stopwatch() { return nullptr; }

 private:
  Backend backend_;
  std::shared_ptr<MemorySpace> memory_;
  ExecutorFacts facts_;
};

}  // namespace switchyard
