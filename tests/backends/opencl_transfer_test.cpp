// Copies between the host and an OpenCL device, straight and through the staging ring.
#include <thread>

#include "opencl/device_memory.hpp"
#include "opencl/platforms.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

class OpenClTransfer : public OnDevice {
 protected:
  /// The first device's memory behind a ring, whether it needs one or not.
  static std::shared_ptr<MemorySpace> staged_memory() {
    const cl::Device first = find_devices().front().device;
    const cl::Context context(first);
    ExecutorFacts facts = facts_of(first);
    facts.shares_host_memory = false;
    return std::make_shared<DeviceMemory>(Space::device(0), context,
                                          std::make_shared<InOrderQueue>(context, first), facts);
  }

  static std::vector<unsigned char> pattern(std::size_t size) {
    std::mt19937_64 engine(size);
    std::vector<unsigned char> bytes(size);
    for (auto& byte : bytes) byte = static_cast<unsigned char>(engine());
    return bytes;
  }

  static void expect_copies(const std::shared_ptr<MemorySpace>& memory, std::size_t size) {
    const auto sent = pattern(size);
    const Array<unsigned char> there =
        transferred(Array<unsigned char>::borrow(std::span<const unsigned char>(sent)), memory);
    EXPECT_EQ(on_host(there), sent) << size << " bytes";
  }
};

TEST_F(OpenClTransfer, StraightCopiesOfAnySize) {
  for (const std::size_t size : {0U, 1U, 3U, 65535U, 65537U, 5000001U}) {
    expect_copies(memory(), size);
  }
}

TEST_F(OpenClTransfer, StagedCopiesOfAnySize) {
  const auto memory = staged_memory();
  const std::size_t chunk = 4U << 20U;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{65537}, chunk - 1, chunk,
        chunk + 1, 8 * chunk, 8 * chunk + 1, 17 * chunk + 12345}) {
    expect_copies(memory, size);
  }
}

TEST_F(OpenClTransfer, OffsetsAreBytes) {
  for (const auto& memory : {OnDevice::memory(), staged_memory()}) {
    const auto sent = pattern(1000);
    Array<unsigned char> there(1000, memory);
    memory->copy_in(there.handle(), 0, sent.data(), 400);
    memory->copy_in(there.handle(), 400, sent.data() + 400, 600);
    std::vector<unsigned char> middle(500);
    memory->copy_out(middle.data(), there.handle(), 123, middle.size());
    EXPECT_TRUE(std::equal(middle.begin(), middle.end(), sent.begin() + 123));
  }
}

TEST_F(OpenClTransfer, TheSourceMayBeReusedAtOnce) {
  const auto memory = staged_memory();
  const std::size_t size = (17U << 20U) + 11;
  auto source = pattern(size);
  const auto sent = source;
  Array<unsigned char> there(static_cast<Index>(size), memory);
  memory->copy_in(there.handle(), 0, source.data(), size);
  std::fill(source.begin(), source.end(), static_cast<unsigned char>(0));
  EXPECT_EQ(on_host(there), sent);
}

TEST_F(OpenClTransfer, TheRingIsAllocatedLateAndCounted) {
  const auto memory = staged_memory();
  EXPECT_EQ(memory->used(), 0U);
  { const Array<float> array(10, memory); }
  EXPECT_EQ(memory->used(), 0U);
  EXPECT_EQ(memory->own(), 0U);
  for (int i = 0; i < 2; ++i) {
    expect_copies(memory, 10);
    EXPECT_EQ(memory->used(), 0U);
    EXPECT_EQ(memory->own(), 32U << 20U);
  }
  memory->set_budget((32U << 20U) + 100);
  EXPECT_EQ(memory->available(), 100U);
  EXPECT_THROW(Array<char>(101, memory), Error);
  const Array<char> fitting(100, memory);
}

TEST_F(OpenClTransfer, FreedBuffersAreUsedAgain) {
  const auto memory = std::dynamic_pointer_cast<DeviceMemory>(staged_memory());
  const void* handle = nullptr;
  {
    const Array<float> array(1000000, memory);
    handle = array.handle();
    EXPECT_EQ(memory->pooled(), 0U);
  }
  EXPECT_EQ(memory->used(), 0U);
  EXPECT_EQ(memory->pooled(), 4000000U);
  {
    const Array<float> smaller(990000, memory);
    EXPECT_EQ(smaller.handle(), handle);
    EXPECT_EQ(memory->used(), 3960000U);
    EXPECT_EQ(memory->pooled(), 0U);
    const Array<float> another(990000, memory);
    EXPECT_NE(another.handle(), handle);
  }
  const std::size_t both = memory->pooled();
  EXPECT_EQ(both, 4000000U + 3960000U);
  { const Array<float> much_smaller(500000, memory); }
  EXPECT_EQ(memory->pooled(), both + 2000000U);
  memory->trim();
  EXPECT_EQ(memory->pooled(), 0U);
}

TEST_F(OpenClTransfer, ThePoolAndWhatIsUsedKeepToTheBudget) {
  const auto memory = std::dynamic_pointer_cast<DeviceMemory>(staged_memory());
  memory->set_budget(10000);
  { const Array<char> first(6000, memory); }
  { const Array<char> second(3000, memory); }
  const Array<char> large(9000, memory);
  EXPECT_LE(memory->used() + memory->pooled(), 10000U);
  { const Array<char> small(1000, memory); }
  EXPECT_LE(memory->used() + memory->pooled(), 10000U);
}

TEST_F(OpenClTransfer, NothingIsPooledInTheHostsMemory) {
  if (!device().facts().shares_host_memory) GTEST_SKIP() << "the device has its own memory";
  const auto memory = std::dynamic_pointer_cast<DeviceMemory>(OnDevice::memory());
  { const Array<float> array(1000, memory); }
  EXPECT_EQ(memory->pooled(), 0U);
}

// A buffer goes to its next user while commands of the last one are under way.
TEST_F(OpenClTransfer, ReuseWaitsForEarlierCommands) {
  const auto memory = staged_memory();
  for (std::size_t round = 0; round < 20; ++round) expect_copies(memory, 3000000 + round);
}

TEST_F(OpenClTransfer, ManyThreadsShareOneRing) {
  const auto memory = staged_memory();
  std::vector<std::thread> threads;
  std::vector<int> wrong(6, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t round = 0; round < 4; ++round) {
        const auto sent = pattern(3'000'000 + 1'000'003 * t + round);
        const auto there =
            transferred(Array<unsigned char>::borrow(std::span<const unsigned char>(sent)), memory);
        wrong[t] += on_host(there) == sent ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(6, 0));
}

TEST_F(OpenClTransfer, MoreThanTheDeviceCanAllocateIsAnError) {
  const std::size_t used = memory()->used();
  const auto most = static_cast<Index>(device().facts().memory_bytes);
  try {
    const Array<unsigned char> array(most * 16, memory());
    FAIL() << "sixteen times the device's memory was allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::DeviceOutOfMemory) << error.what();
    EXPECT_EQ(error.where(), device().facts().name);
  }
  EXPECT_EQ(memory()->used(), used);
}

TEST_F(OpenClTransfer, ArraysOutliveTheirExecutor) {
  Array<float> array;
  {
    const auto opened = open_opencl_devices("0");
    array = transferred(Array<float>(std::vector<float>{1, 2, 3}), opened.front()->memory());
  }
  EXPECT_EQ(on_host(array), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace switchyard::opencl::testing
