// What the layer knows: the fault to come, and which objects are alive.
#pragma once

#include <CL/cl_icd.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "faults/fault_layer.hpp"

namespace switchyard::testing {

using Dispatch = cl_icd_dispatch;

struct Object {
  std::int64_t LiveObjects::*kind;
  std::int64_t references = 1;
  std::size_t bytes = 0;
  /// References that their owner gave back in vain: what to do so for real.
  std::int64_t given_up = 0;
  cl_int (*release)(void* handle) = nullptr;
};

/// All of the layer's state; its functions REQUIRE `mutex` held.
struct Layer {
  std::mutex mutex;
  FaultPlan plan;
  Disguise disguise;
  std::int64_t calls = 0;
  std::int64_t faults = 0;
  bool broken = false;    // every further call fails
  bool surfaces = false;  // whoever waits next is told
  std::unordered_map<void*, Object> objects;
  std::size_t bytes = 0;
  Dispatch next{};  // the driver's
  Dispatch ours{};

  void add(void* handle, std::int64_t LiveObjects::*kind, std::size_t size = 0) {
    const auto [place, is_new] = objects.try_emplace(handle, Object{kind, 1, size});
    if (is_new) {
      bytes += size;
    } else {
      ++place->second.references;
    }
  }
  void remove(void* handle) {
    const auto found = objects.find(handle);
    if (found == objects.end() || --found->second.references > 0) return;
    bytes -= found->second.bytes;
    objects.erase(found);
  }
  void give_up(void* handle, cl_int (*release)(void*)) {
    const auto found = objects.find(handle);
    if (found == objects.end()) return;
    ++found->second.given_up;
    found->second.release = release;
  }
  /// Releases what its owners could not, so that a fault in one run is none in the next.
  void clean_up() {
    for (const auto& [handle, object] : std::unordered_map(objects)) {
      for (auto i = std::min(object.given_up, object.references); i > 0; --i) {
        object.release(handle);
        remove(handle);
      }
    }
  }
  /// Whether a call fails at once.
  bool fails(std::string_view name) {
    if (broken) return ++faults > 0;
    if (plan.only && name != plan.only) return false;
    if (++calls != plan.nth) return false;
    broken = plan.for_ever;
    return ++faults > 0;
  }
  /// Whether a command is to be accepted and not done; none is behind one that failed.
  bool fails_late() {
    if (surfaces) return true;
    if (++calls != plan.nth) return false;
    surfaces = true;
    return ++faults > 0;
  }
  /// Whether somebody who waits is told of a command that was not done.
  bool tells() {
    if (!surfaces) return false;
    surfaces = false;
    broken = plan.for_ever;
    return true;
  }
};

/// Never destroyed: objects may be released until the very end.
inline Layer& layer() {
  static auto* const the_layer = new Layer;
  return *the_layer;
}

}  // namespace switchyard::testing
