// Markers, and the device's own clock.
#include "stopwatch.hpp"

#include <utility>

#include "exit_guard.hpp"
#include "process.hpp"

namespace switchyard::opencl {
namespace {

class QueueStopwatch final : public Stopwatch {
 public:
  explicit QueueStopwatch(std::shared_ptr<InOrderQueue> queue) : queue_(std::move(queue)) {}
  QueueStopwatch(const QueueStopwatch&) = delete;
  QueueStopwatch& operator=(const QueueStopwatch&) = delete;
  ~QueueStopwatch() override {
    // Where the work failed, nobody came to the end.
    stop();
    leave_what_is_out_of_reach();
  }

  void start() noexcept override {
    stop();
    forget(end_);
    if (queue_) runs_ = queue_->start_timing(begin_);
  }
  void stop() noexcept override {
    leave_what_is_out_of_reach();
    if (std::exchange(runs_, false)) queue_->stop_timing(end_);
  }

  std::optional<Elapsed> elapsed() noexcept override {
    try {
      leave_what_is_out_of_reach();
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
  /// By swapping: assigning throws where the driver does not take the old event back.
  static void forget(cl::Event& event) noexcept {
    cl::Event old;
    std::swap(old(), event());
  }

  /// In a child the driver's objects are the parent's, and while the process ends, the driver may
  /// be partly destroyed.
  void leave_what_is_out_of_reach() noexcept {
    if (!process_.is_child() && !exit_guard::has_ended()) return;
    runs_ = false;
    queue_ = nullptr;
    begin_() = nullptr;
    end_() = nullptr;
  }

  OwningProcess process_;
  std::shared_ptr<InOrderQueue> queue_;
  cl::Event begin_;
  cl::Event end_;
  bool runs_ = false;
};

}  // namespace

std::unique_ptr<Stopwatch> make_queue_stopwatch(std::shared_ptr<InOrderQueue> queue) {
  return std::make_unique<QueueStopwatch>(std::move(queue));
}

}  // namespace switchyard::opencl
