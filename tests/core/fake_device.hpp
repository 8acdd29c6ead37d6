// A device that computes nothing, for tests of what is decided about devices.
#pragma once

#include <switchyard/backends/executor.hpp>

namespace switchyard::testing {

/// Memory of a device that has none to give.
class NoDeviceMemory final : public MemorySpace {
 public:
  NoDeviceMemory() : MemorySpace(Space::device(0)) { set_budget(0); }
  void copy_in(void*, std::size_t, const void*, std::size_t) override {}
  void copy_out(void*, const void*, std::size_t, std::size_t) override {}

 private:
  void* do_allocate(std::size_t) override { return nullptr; }
  void do_release(void*, std::size_t) noexcept override {}
};

/// A device whose programs are all built, and whose work is always done.
class FakeDevice : public Executor {
 public:
  explicit FakeDevice(ExecutorFacts facts = {})
      : Executor(Backend::OpenCL, std::make_shared<NoDeviceMemory>(), std::move(facts)) {}
  [[nodiscard]] bool built(std::string_view, Precision) const override { return true; }
  void build(std::string_view, Precision) override {}
  void finish() override {}
};

}  // namespace switchyard::testing
