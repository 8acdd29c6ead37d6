// What the planner is told of a space.
#include <gtest/gtest.h>

#include <algorithm>
#include <switchyard/core/outlook.hpp>

#include "core/fake_device.hpp"

namespace switchyard {
namespace {

/// A device that has built one program, and cannot build another.
class FreshDevice : public testing::FakeDevice {
 public:
  [[nodiscard]] bool built(std::string_view program, Precision) const override {
    return program == built_program;
  }
  [[nodiscard]] std::string build_problem(std::string_view program, Precision) const override {
    return program == bad_program ? "no such type" : "";
  }
  std::string built_program;
  std::string bad_program;
};

/// The program of the first kernel on devices, or of the first conversion.
template <class Operation>
std::string first_program(std::span<const Operation> operations) {
  const auto found = std::ranges::find(operations, Backend::OpenCL, &Operation::backend);
  return std::string(found->program);
}

TEST(Outlook, NamesEachProgramThatIsStillToBeBuiltOnce) {
  FreshDevice device;
  const SpaceOutlook outlook = outlook_of(device, Precision::Float, Structure{});
  const auto times = [&](std::string_view program) {
    return std::ranges::count(outlook.unbuilt, program, &UnbuiltProgram::program);
  };
  for (const auto& capability : outlook.multiplies) {
    if (!capability.suited) continue;
    EXPECT_EQ(times(capability.program), 1) << capability.program;
  }
  for (const auto& conversion : outlook.conversions) {
    EXPECT_EQ(times(conversion.program), conversion.program.empty() ? 0 : 1) << conversion.program;
  }
  EXPECT_FALSE(outlook.multiplies.empty());
  EXPECT_FALSE(outlook.conversions.empty());
}

TEST(Outlook, ABuiltProgramIsNotNamedAndABrokenOneIsWithItsProblem) {
  FreshDevice device;
  device.built_program = first_program(multiply_operations<float>());
  device.bad_program = first_program(convert_operations<float>());
  ASSERT_NE(device.built_program, device.bad_program);
  const SpaceOutlook outlook = outlook_of(device, Precision::Float, Structure{});
  for (const UnbuiltProgram& unbuilt : outlook.unbuilt) {
    EXPECT_NE(unbuilt.program, device.built_program);
    EXPECT_EQ(unbuilt.problem, unbuilt.program == device.bad_program ? "no such type" : "");
  }
  const auto bad = std::ranges::find(outlook.unbuilt, device.bad_program, &UnbuiltProgram::program);
  EXPECT_NE(bad, outlook.unbuilt.end());
}

}  // namespace
}  // namespace switchyard
