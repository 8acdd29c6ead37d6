// One OpenCL device as an executor: a context, an in-order queue, its memory and its kernels.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/array.hpp>

#include "cl.hpp"
#include "derived_data.hpp"
#include "exit_guard.hpp"
#include "health.hpp"
#include "in_order_queue.hpp"
#include "kernel_cache.hpp"

namespace switchyard::opencl {

/// What can be told about a device without opening it. Throws cl::Error.
[[nodiscard]] ExecutorFacts facts_of(const cl::Device& device);

/// Runs kernels on one device, in the order of one queue. All members may be called from any
/// thread.
class Device final : public Executor {
 public:
  /// Opens `device` as `space`; its kernels are built with `files`. Throws
  /// `Error`.
  [[nodiscard]] static std::shared_ptr<Device> open(const cl::Device& device, Space space,
                                                    const BuildFiles& files = {});

  [[nodiscard]] bool built(std::string_view program, Precision precision) const override;
  void build(std::string_view program, Precision precision) override;
  [[nodiscard]] std::string build_problem(std::string_view program,
                                          Precision precision) const override;
  void finish() override;
  [[nodiscard]] std::unique_ptr<Stopwatch> make_stopwatch() override;

  /// The kernel `name` of a program, built now if need be. Throws `Error(Unsupported)` where the
  /// device lacks the precision, and what `KernelCache` throws.
  [[nodiscard]] Kernel& kernel(const ProgramKey& key, std::string_view name);

  /// The same of a program made of recorded functions. Throws as well `Error(Unsupported)` where
  /// they need a precision that the device lacks.
  [[nodiscard]] Kernel& kernel(const RecordedProgram& program, Precision precision,
                               std::string_view name, OffsetWidth width = OffsetWidth::Narrow);

  /// Whether the device can still be believed.
  [[nodiscard]] Health& health() const;

  /// What kernels keep beside arrays in this device's memory.
  [[nodiscard]] DerivedData& derived() const;

  /// Asks for `groups` work-groups of a kernel and sees to it that they start. The arguments are
  /// scalars of the kernel's own types and arrays in this device's memory. Nothing is allocated.
  template <class... Arguments>
  void launch(Kernel& kernel, Index groups, const Arguments&... arguments) {
    launch_with(kernel, groups, {}, arguments...);
  }

  /// The same, followed by `more` arguments whose number is not known at compile time.
  template <class... Arguments>
  void launch_with(Kernel& kernel, Index groups, std::span<const KernelArgument> more,
                   const Arguments&... arguments) {
    if (kernels_.has_ended()) exit_guard::refuse(facts().name);
    const std::lock_guard lock(kernel.mutex);
    forget_released_buffers(kernel);
    cl_uint position = 0;
    (set_argument(kernel, position++, arguments), ...);
    for (const KernelArgument& argument : more) {
      set_argument(kernel, position++, argument.bytes, &argument.bits);
    }
    enqueue(kernel, groups);
  }

  /// Launch sizes and thresholds for this device. Its work-groups may be smaller than `group` and
  /// `large_group` say: see `Kernel::group`.
  [[nodiscard]] const Tuning& tuning() const noexcept { return tuning_of(facts()); }

  /// Work-groups that keep the device busy.
  [[nodiscard]] Index groups_wanted() const noexcept {
    return tuning().groups_per_unit * facts().compute_units;
  }

  /// Whether 32 neighbouring items can ask one another without local memory (NVIDIA_WARP in
  /// prelude.cl).
  [[nodiscard]] bool has_warps() const noexcept { return kernels_.is_nvidia(); }
  /// Whether it multiplies tiles of matrices in double at once.
  [[nodiscard]] bool multiplies_doubles() const noexcept { return kernels_.multiplies_doubles(); }

  /// Whether a kernel's work-groups may leave the rest to the last of them (`is_last_group` in
  /// prelude.cl), instead of to another launch.
  [[nodiscard]] bool groups_can_meet() const noexcept {
    return kernels_.is_nvidia() || !facts().is_gpu;
  }

  /// Whether a work-group may wait for what those of lower index publish: they have started before.
  /// OpenCL does not promise that.
  [[nodiscard]] bool groups_can_wait() const noexcept { return kernels_.is_nvidia(); }

  /// How many times groups may meet in one launch.
  [[nodiscard]] Index most_meetings() const noexcept { return groups_wanted() / 8; }

  /// An array for the results that one work-group or launch leaves to the next, `most_meetings`
  /// counters of work-groups that are 0 between launches, and the lock to be held until all are
  /// enqueued.
  struct Scratch {
    std::unique_lock<std::mutex> lock;
    const Array<double>& array;
    const Array<std::uint32_t>& arrivals;
  };
  /// At least `elements` of 64 bits. The array grows to what was needed most so far, and stays; it
  /// counts as the memory's own (`MemorySpace::own`).
  [[nodiscard]] Scratch scratch(Index elements);

  /// Words that are 0 between products, and the lock to be held until all launches are enqueued.
  /// Who uses them sets `is_clear` to false before the first launch, and to true after the last,
  /// which leaves them 0: if it did not come to that they are cleared before the next use.
  struct Cleared {
    std::unique_lock<std::mutex> lock;
    const Array<std::uint64_t>& words;
    bool& is_clear;
    std::uint32_t turn;  ///< products that used them so far, modulo 2^32
  };
  /// At least so many, cleared by `clear(array)` where need be. They stay like the scratch.
  template <class Clear>
  [[nodiscard]] Cleared cleared(Index words, const Clear& clear) {
    std::unique_lock lock(cleared_mutex_);
    if (cleared_.size() < words) {
      Array<std::uint64_t> made(words, memory());
      clear(made);
      keep(cleared_, std::move(made));
    } else if (!is_clear_) {
      clear(cleared_);
    }
    is_clear_ = true;
    return {std::move(lock), cleared_, is_clear_, turns_++};
  }

  /// Takes no more work, and returns when all work is done: for the exit of the process. No thread
  /// is building or launching then.
  void end() noexcept;

  Device(ExecutorFacts facts, std::shared_ptr<MemorySpace> memory, cl::Context context,
         std::shared_ptr<InOrderQueue> queue, const cl::Device& device, const BuildFiles& files);
  /// Waits for what is still running, so that no driver works on what is being taken down.
  ~Device() override;

 private:
  template <class T>
  void set_argument(Kernel& kernel, cl_uint position, const Array<T>& array) {
    const void* handle = array.handle();
    set_argument(kernel, position, sizeof handle, &handle);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void set_argument(Kernel& kernel, cl_uint position, T value) {
    set_argument(kernel, position, sizeof value, &value);
  }
  void set_argument(Kernel& kernel, cl_uint position, std::size_t bytes, const void* value);
  /// A new buffer may have the handle of one that is gone, and is another argument all the same.
  void forget_released_buffers(Kernel& kernel) const;
  void enqueue(Kernel& kernel, Index groups);
  void wait_for_queue() noexcept;
  /// Puts `array` in `place`, counted as the device's own instead of as used.
  template <class T>
  void keep(Array<T>& place, Array<T> array) noexcept;
  void require(Precision precision) const;

  std::shared_ptr<InOrderQueue> queue_;
  KernelCache kernels_;
  std::mutex scratch_mutex_;
  Array<double> scratch_;
  Array<std::uint32_t> arrivals_;
  std::mutex cleared_mutex_;
  Array<std::uint64_t> cleared_;
  bool is_clear_ = true;
  std::uint32_t turns_ = 0;
};

/// REQUIRES: an executor of Backend::OpenCL.
[[nodiscard]] inline Device& device_of(Executor& executor) {
  return static_cast<Device&>(executor);
}

}  // namespace switchyard::opencl
