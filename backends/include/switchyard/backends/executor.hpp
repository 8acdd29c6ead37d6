// The interface that runs operations in one memory space: the host's threads or one OpenCL device.
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

/// How a space computes.
enum class Backend { OpenMP, OpenCL };

/// "openmp", "opencl".
[[nodiscard]] constexpr std::string_view name(Backend backend) noexcept {
  return backend == Backend::OpenMP ? "openmp" : "opencl";
}

/// Facts about the hardware of an executor.
struct ExecutorFacts {
  std::string name;                    ///< the processor's or device's name
  std::string vendor;                  ///< as the OpenCL platform or /proc/cpuinfo reports it
  std::string architecture;            ///< "sm_90" with NVIDIA's driver; else empty
  std::string driver;                  ///< driver and OpenCL version; on the host the compiler's
  std::size_t memory_bytes = 0;        ///< total memory; budgets are shares of it
  std::size_t largest_allocation = 0;  ///< the largest size of one array
  std::size_t cache_bytes = 0;         ///< last-level caches together; 0 if unknown
  int compute_units = 0;               ///< threads on the host
  bool supports_double = true;         ///< whether it supports double precision
  bool shares_host_memory = true;      ///< no transfer over a link is needed
  bool is_gpu = false;                 ///< the OpenCL device type is a GPU
  bool on_host_processors = false;     ///< it computes on the processors of the host
  /// Launch sizes and thresholds of an OpenCL device, chosen when it is opened. Null on the host.
  const opencl::Tuning* tuning = nullptr;
};

/// The time between two points of an executor's work.
struct Elapsed {
  double seconds = 0;  ///< on the executor's own clock
  /// When the second point was marked, the executor had not yet come to the first: it lacked no
  /// work between them, and launches are no part of the time. Work of other threads may be.
  bool queued = false;
};

/// Measures the time between two points of an executor's work, without waiting. Marking allocates
/// no memory of this library. Threads: used by one thread at a time.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Marks the start: the point after everything enqueued so far.
  virtual void start() noexcept = 0;
  /// Marks the end.
  virtual void stop() noexcept = 0;
  /// The time between the two marks. Nothing before both are passed, or if the device cannot
  /// measure it.
  [[nodiscard]] virtual std::optional<Elapsed> elapsed() noexcept = 0;
};

/// Runs operations in one memory space, in the order in which they were enqueued. Threads: all
/// members may be called from any thread.
class Executor {
 public:
  /// For derived classes. `memory` is where the operands are.
  Executor(Backend backend, std::shared_ptr<MemorySpace> memory, ExecutorFacts facts)
      : backend_(backend), memory_(std::move(memory)), facts_(std::move(facts)) {}
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// The backend that computes.
  [[nodiscard]] Backend backend() const noexcept { return backend_; }
  /// The space in which operands must be.
  [[nodiscard]] Space space() const noexcept { return memory_->space(); }
  /// The memory of that space.
  [[nodiscard]] const std::shared_ptr<MemorySpace>& memory() const noexcept { return memory_; }
  /// Facts about the hardware.
  [[nodiscard]] const ExecutorFacts& facts() const noexcept { return facts_; }
  /// Whether matrices of that precision can be multiplied here.
  [[nodiscard]] bool supports(Precision precision) const noexcept {
    return precision == Precision::Float || facts_.supports_double;
  }

  /// Whether the kernels in `program` are built for `precision` in this process, so that a call
  /// does not wait for a compiler. `program` is a name from the operation tables; empty: none is
  /// needed.
  [[nodiscard]] virtual bool built(std::string_view program, Precision precision) const = 0;
  /// Builds them now. Throws `Error(BuildFailed)` with the compiler's log.
  virtual void build(std::string_view program, Precision precision) = 0;
  /// Why the kernels in `program` could not be built for `precision`. Empty if they were built or
  /// not yet tried.
  [[nodiscard]] virtual std::string build_problem(std::string_view /*program*/,
                                                  Precision /*precision*/) const {
    return {};
  }
  /// Waits until everything enqueued so far is done. Throws the errors of that work.
  virtual void finish() = 0;
  /// A stopwatch for work that is not done when the call returns. Null if all work is.
  [[nodiscard]] virtual std::unique_ptr<Stopwatch> make_stopwatch() { return nullptr; }

 private:
  Backend backend_;
  std::shared_ptr<MemorySpace> memory_;
  ExecutorFacts facts_;
};

}  // namespace switchyard
