// A device of a test's own, with other facts than the driver tells.
#pragma once

#include "opencl/device.hpp"
#include "opencl/device_memory.hpp"
#include "opencl/platforms.hpp"

namespace switchyard::opencl::testing {

/// The first device once more, as if it were what `change` makes of its facts.
template <class Change>
std::shared_ptr<Device> open_changed(const Change& change) {
  const FoundDevice found = find_devices().front();
  ExecutorFacts facts = found.facts;
  change(facts);
  const cl::Context context(found.device);
  const auto queue = std::make_shared<InOrderQueue>(context, found.device);
  const auto memory = std::make_shared<DeviceMemory>(Space::device(0), context, queue, facts);
  return std::make_shared<Device>(facts, memory, context, queue, found.device,
                                  build_files_for(found.platform));
}

}  // namespace switchyard::opencl::testing
