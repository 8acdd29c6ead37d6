// Which devices are found, in what order, and how they are chosen.
#include <cstdlib>
#include <filesystem>

#include "opencl/platforms.hpp"
#include "opencl/selection.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

using Positions = std::vector<std::size_t>;

const std::vector<DeviceNames> three{{"NVIDIA H200", "NVIDIA Corporation", "NVIDIA CUDA"},
                                     {"Radeon Pro", "Advanced Micro Devices", "AMD APP"},
                                     {"pthread-skylake", "GenuineIntel", "Portable Computing"}};

ErrorCode refusal(std::string_view selection, const std::vector<DeviceNames>& devices = three) {
  try {
    (void)selected(selection, devices);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::Internal;
}

TEST(OpenClSelection, NothingAndAllMeanEveryDevice) {
  EXPECT_EQ(selected("", three), (Positions{0, 1, 2}));
  EXPECT_EQ(selected("all", three), (Positions{0, 1, 2}));
  EXPECT_EQ(selected(" ALL ", three), (Positions{0, 1, 2}));
  EXPECT_EQ(selected("1,all", three), (Positions{0, 1, 2}));
}

TEST(OpenClSelection, NoneMeansNone) {
  EXPECT_EQ(selected("none", three), Positions{});
  EXPECT_EQ(selected("None", {}), Positions{});
}

TEST(OpenClSelection, PositionsAndWords) {
  EXPECT_EQ(selected("0,2", three), (Positions{0, 2}));
  EXPECT_EQ(selected("2, 0 ,2", three), (Positions{0, 2}));
  EXPECT_EQ(selected("nvidia", three), Positions{0});
  EXPECT_EQ(selected("H200", three), Positions{0});
  EXPECT_EQ(selected("portable", three), Positions{2});
  EXPECT_EQ(selected("micro,0", three), (Positions{0, 1}));
}

TEST(OpenClSelection, WhatNamesNoDeviceIsRefused) {
  for (const char* selection :
       {"3", "99999999999999999999999", "-1", "intel arc", "0,", ",", "0,,1", "none,0", "0,none"}) {
    EXPECT_EQ(refusal(selection), ErrorCode::InvalidArgument) << selection;
  }
  EXPECT_EQ(refusal("0", {}), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal("200"), ErrorCode::InvalidArgument) << "digits alone are a position";
}

TEST(OpenClSelection, WithoutDevicesAllIsEmpty) {
  EXPECT_EQ(selected("", {}), Positions{});
  EXPECT_EQ(selected("all", {}), Positions{});
}

TEST(OpenClSelection, NoneOpensNothing) { EXPECT_TRUE(open_opencl_devices("none").empty()); }

TEST(OpenClSelection, AnUnknownNameIsAnError) {
  try {
    (void)open_opencl_devices("no such device");
    FAIL() << "a device that does not exist was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  }
}

// The loader reads its folder of drivers once, so a process of its own looks at an empty one.
TEST(OpenClSelectionDeathTest, WithoutAPlatformThereIsNoDeviceAndNoError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto empty = std::filesystem::temp_directory_path() / "switchyard-no-drivers";
  std::filesystem::create_directories(empty);
  const auto count_devices = [&] {
    ::setenv("OCL_ICD_VENDORS", empty.c_str(), 1);
    ::setenv("OPENCL_VENDOR_PATH", empty.c_str(), 1);
    ::unsetenv("OCL_ICD_FILENAMES");
    std::exit(static_cast<int>(open_opencl_devices().size()));
  };
  EXPECT_EXIT(count_devices(), ::testing::ExitedWithCode(0), "");
}

TEST(OpenClSelectionDeathTest, APlatformWithoutDeviceIsNoError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto count_devices = [] {
    ::setenv("POCL_DEVICES", "nothing-of-the-kind", 1);
    try {
      (void)open_opencl_devices();
    } catch (const std::exception&) {
      std::exit(1);
    }
    std::exit(0);
  };
  EXPECT_EXIT(count_devices(), ::testing::ExitedWithCode(0), "");
}

class OpenClDevices : public OnDevice {};

TEST_F(OpenClDevices, GpusComeFirstAndProcessorsLast) {
  int last = 0;
  for (const FoundDevice& found : find_devices()) {
    const int kind = found.discrete ? 0 : found.facts.is_gpu ? 1 : 2;
    EXPECT_GE(kind, last) << found.facts.name;
    last = kind;
  }
}

TEST_F(OpenClDevices, FactsAreFilledIn) {
  for (std::size_t i = 0; i < devices().size(); ++i) {
    const ExecutorFacts& facts = devices()[i]->facts();
    EXPECT_FALSE(facts.name.empty());
    EXPECT_FALSE(facts.driver.empty());
    EXPECT_GT(facts.memory_bytes, 0U);
    EXPECT_GT(facts.largest_allocation, 0U);
    EXPECT_LE(facts.largest_allocation, facts.memory_bytes);
    EXPECT_GT(facts.compute_units, 0);
    EXPECT_EQ(devices()[i]->backend(), Backend::OpenCL);
    EXPECT_EQ(devices()[i]->space(), Space::device(static_cast<int>(i)));
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
