// What a device keeps for itself.
#include "opencl/device_memory.hpp"
#include "opencl/platforms.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

class OpenClDevice : public OnDevice {};

TEST_F(OpenClDevice, ScratchIsTheDevicesOwn) {
  const FoundDevice found = find_devices().front();
  const cl::Context context(found.device);
  const auto queue = std::make_shared<InOrderQueue>(context, found.device);
  const auto own_memory =
      std::make_shared<DeviceMemory>(Space::device(0), context, queue, found.facts);
  std::size_t staging = 0;
  {
    Device own(found.facts, own_memory, context, queue, found.device, {});
    EXPECT_EQ(own_memory->own(), 0U);
    // Copying the counters there may need staging buffers, which the memory keeps.
    staging = [&] {
      const Device::Scratch scratch = own.scratch(1);
      return own_memory->own() - scratch.array.bytes() - scratch.arrivals.bytes();
    }();
    const auto held_for = [&](Index elements) {
      const Device::Scratch scratch = own.scratch(elements);
      EXPECT_GE(scratch.array.size(), elements);
      EXPECT_EQ(own_memory->used(), 0U);
      EXPECT_EQ(own_memory->own(), staging + scratch.array.bytes() + scratch.arrivals.bytes());
      return own_memory->own();
    };
    const std::size_t held = held_for(1);
    EXPECT_EQ(held_for(100), held);
    EXPECT_GT(held_for(100000), held);
    // Growing beyond the budget fails, and leaves everything as it was.
    own_memory->set_budget(own_memory->own() + 1000);
    EXPECT_EQ(own_memory->available(), 1000U);
    EXPECT_THROW((void)own.scratch(1000000), Error);
    EXPECT_EQ(own_memory->used(), 0U);
    EXPECT_EQ(held_for(100000), own_memory->own());
  }
  EXPECT_EQ(own_memory->own(), staging);
  EXPECT_EQ(own_memory->used(), 0U);
}

}  // namespace
}  // namespace switchyard::opencl::testing
