// The handler that `exit` runs, and the devices that it waits for.
#include "exit_guard.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/containers/error.hpp>
#include <thread>
#include <vector>

#include "device.hpp"
#include "process.hpp"

namespace switchyard::opencl::exit_guard {
namespace {

/// How long a thread is held that asks for work while another ends the process. Usually the process
/// is gone by then; but the other thread may be waiting for this one.
constexpr std::chrono::seconds delay(2);

/// Of handlers registered, each of which takes some bytes: a program may build kernels for ever.
constexpr int most_armed = 1024;

struct State {
  OwningProcess process;
  std::atomic<bool> ended{false};
  std::atomic<std::thread::id> ended_by;
  std::atomic<int> armed{0};
  std::mutex mutex;  // guards what follows
  std::vector<Device*> devices;
  std::vector<const void*> kept;
};

/// Never destroyed: it is used after static objects are.
State& state() {
  static State* const made = new State;
  return *made;
}

void end() {
  State& all = state();
  // Drivers do not survive a fork: a child has nothing to wait for.
  if (all.process.is_child() || all.ended) return;
  const std::lock_guard lock(all.mutex);
  all.ended_by = std::this_thread::get_id();
  all.ended = true;
  for (Device* device : all.devices) device->end();
}

}  // namespace

void watch(Device& device) {
  const std::lock_guard lock(state().mutex);
  state().devices.push_back(&device);
}

void forget(Device& device) noexcept {
  const std::lock_guard lock(state().mutex);
  std::erase(state().devices, &device);
}

void arm() noexcept {
  State& all = state();
  if (all.ended || all.armed.fetch_add(1) >= most_armed) return;
  static_cast<void>(std::atexit(end));
}

bool has_ended() noexcept { return state().ended; }

void refuse(const std::string& device) {
  if (state().ended_by.load() != std::this_thread::get_id()) std::this_thread::sleep_for(delay);
  throw Error(ErrorCode::DeviceUnavailable, "the process is ending", device);
}

void keep(const void* object) noexcept {
  try {
    const std::lock_guard lock(state().mutex);
    state().kept.push_back(object);
  } catch (const std::bad_alloc&) {
    return;  // it stays all the same
  }
}

}  // namespace switchyard::opencl::exit_guard

namespace switchyard {

void end_opencl_work() noexcept { opencl::exit_guard::end(); }

}  // namespace switchyard
