// Markers, and the device's own clock.
#include "stopwatch.hpp"

#include "process.hpp"

namespace switchyard::opencl {
namespace {

class QueueStopwatch final : public Stopwatch {
 public:
  explicit QueueStopwatch(cl::CommandQueue queue) : queue_(std::move(queue)) {}
  ~QueueStopwatch() override {
    if (process_.is_child()) leave_to_parent();
  }

  void start() noexcept override { mark(begin_); }
  void stop() noexcept override { mark(end_); }

  std::optional<Elapsed> elapsed() noexcept override {
    try {
      if (process_.is_child()) leave_to_parent();
      if (!begin_() || !end_()) return std::nullopt;
      if (end_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE) return std::nullopt;
      const cl_ulong begin = begin_.getProfilingInfo<CL_PROFILING_COMMAND_END>();
      const cl_ulong end = end_.getProfilingInfo<CL_PROFILING_COMMAND_END>();
      if (end <= begin) return std::nullopt;
      // When the host enqueued the second marker, on the device's clock: NVIDIA's driver and PoCL
      // translate it. Zero where a driver does not.
      const cl_ulong enqueued = end_.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>();
      return Elapsed{.seconds = 1e-9 * static_cast<double>(end - begin),
                     .queued = enqueued > 0 && enqueued < begin};
    } catch (const cl::Error&) {
      forget(end_);  // and nothing is asked again
      return std::nullopt;
    }
  }

 private:
  /// What goes wrong here goes wrong again with the next command, which tells.
  void mark(cl::Event& event) noexcept {
    if (process_.is_child()) leave_to_parent();
    if (!queue_()) return;
    forget(event);
    try {
      queue_.enqueueMarkerWithWaitList(nullptr, &event);
    } catch (const cl::Error&) {
      forget(event);
    }
  }

  /// By swapping: assigning throws where the driver does not take the old event back.
  static void forget(cl::Event& event) noexcept {
    cl::Event old;
    std::swap(old(), event());
  }

  void leave_to_parent() noexcept {
    queue_() = nullptr;
    begin_() = nullptr;
    end_() = nullptr;
  }

  OwningProcess process_;
  cl::CommandQueue queue_;
  cl::Event begin_;
  cl::Event end_;
};

}  // namespace

std::unique_ptr<Stopwatch> make_queue_stopwatch(cl::CommandQueue queue) {
  return std::make_unique<QueueStopwatch>(std::move(queue));
}

}  // namespace switchyard::opencl
