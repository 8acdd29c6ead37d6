// What a failure calls for, and that trying always ends.
#include "execution/setbacks.hpp"

#include <gtest/gtest.h>

#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;

StepError failing(State state, ErrorCode code) { return {state, Error(code, "for a test")}; }

TEST(Setbacks, WhatTheCallItselfIsAtFaultForIsThrown) {
  Setbacks setbacks;
  for (const ErrorCode code : {ErrorCode::InvalidArgument, ErrorCode::DimensionMismatch}) {
    EXPECT_EQ(setbacks.remedy_for(failing(csr_device, code), true), Remedy::Rethrow);
  }
  EXPECT_EQ(setbacks.remedy_for(failing(csr_host, ErrorCode::Internal), true), Remedy::Rethrow);
  EXPECT_FALSE(setbacks.last()) << "it tells nothing of what can be computed here";
}

TEST(Setbacks, ADeviceThatFailsIsGivenUp) {
  Setbacks setbacks;
  for (const ErrorCode code :
       {ErrorCode::DeviceLost, ErrorCode::DeviceUnavailable, ErrorCode::Internal}) {
    EXPECT_EQ(setbacks.remedy_for(failing(csr_device, code), true), Remedy::GiveUpSpace);
  }
  ASSERT_TRUE(setbacks.last());
  EXPECT_EQ(setbacks.last()->code(), ErrorCode::Internal);
}

TEST(Setbacks, AKernelThatDoesNotBuildIsPlannedWithout) {
  Setbacks setbacks;
  EXPECT_EQ(setbacks.remedy_for(failing(csr_device, ErrorCode::BuildFailed), false),
            Remedy::PlanWithoutProgram);
  EXPECT_FALSE(setbacks.refuses(csr_device)) << "another kernel may do";
}

TEST(Setbacks, RoomIsMadeOnceForEachState) {
  Setbacks setbacks;
  const StepError short_of_memory = failing(csr_device, ErrorCode::DeviceOutOfMemory);
  EXPECT_EQ(setbacks.remedy_for(short_of_memory, true), Remedy::MakeRoom);
  EXPECT_EQ(setbacks.remedy_for(failing(dense_device, ErrorCode::DeviceOutOfMemory), true),
            Remedy::MakeRoom);
  EXPECT_FALSE(setbacks.refuses(csr_device));
  EXPECT_EQ(setbacks.remedy_for(short_of_memory, true), Remedy::RefuseState);
  EXPECT_TRUE(setbacks.refuses(csr_device));
  ASSERT_EQ(setbacks.refused().size(), 1U);
  EXPECT_TRUE(setbacks.refused()[0].failed);
  EXPECT_EQ(setbacks.remedy_for(short_of_memory, true), Remedy::Rethrow) << "so that it ends";
}

TEST(Setbacks, MemoryThatWasShortIsAskedForAgainLater) {
  Setbacks setbacks;
  const StepError short_of_memory = failing(csr_device, ErrorCode::DeviceOutOfMemory);
  const StepError unsupported = failing(dense_device, ErrorCode::Unsupported);
  for (int i = 0; i < 2; ++i) static_cast<void>(setbacks.remedy_for(short_of_memory, true));
  EXPECT_EQ(setbacks.remedy_for(unsupported, true), Remedy::RefuseState);
  EXPECT_TRUE(setbacks.forget_short_memory());
  EXPECT_FALSE(setbacks.forget_short_memory()) << "nothing is left of it";
  EXPECT_FALSE(setbacks.refuses(csr_device));
  EXPECT_TRUE(setbacks.refuses(dense_device)) << "that was for another reason";
  EXPECT_EQ(setbacks.remedy_for(short_of_memory, true), Remedy::MakeRoom);
}

TEST(Setbacks, NewContentsMayTryEverythingAgain) {
  Setbacks setbacks;
  static_cast<void>(setbacks.remedy_for(failing(csr_device, ErrorCode::Unsupported), true));
  setbacks.clear();
  EXPECT_FALSE(setbacks.refuses(csr_device));
  EXPECT_FALSE(setbacks.last());
}

}  // namespace
}  // namespace switchyard
