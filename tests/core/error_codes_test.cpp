// Each error code is produced by the library, here as plainly as it can be.
//
// The switch names every code and has no default: a code that is added does not compile here until
// a way to produce it is.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>
#include <string>

#include "core/fake_device.hpp"
#include "core/fixtures.hpp"
#include "opencl/errors.hpp"
#include "profile_store.hpp"
#include "switchyard/containers/matrix_market.hpp"

namespace switchyard::testing {
namespace {

constexpr std::array codes{
    ErrorCode::InvalidArgument, ErrorCode::DimensionMismatch, ErrorCode::OutOfRange,
    ErrorCode::ParseError,      ErrorCode::DataCorrupt,       ErrorCode::ProfileMismatch,
    ErrorCode::OutOfMemory,     ErrorCode::DeviceUnavailable, ErrorCode::DeviceOutOfMemory,
    ErrorCode::DeviceLost,      ErrorCode::BuildFailed,       ErrorCode::IoError,
    ErrorCode::Unsupported,     ErrorCode::Internal};

GMatrix<float> a_matrix() {
  static const Runtime runtime(host_only());
  return runtime.matrix(random_dense<float>(3, 3, 0.5, 1));
}

void multiply_by_itself() {
  std::vector<float> x(3);
  a_matrix().multiply(std::span<const float>(x), std::span<float>(x));
}

void multiply_by_a_longer_vector() {
  const std::vector<float> x(4);
  std::vector<float> y(3);
  a_matrix().multiply(std::span<const float>(x), std::span<float>(y));
}

void read_text(const std::string& kind) {
  (void)parse_matrix_market<double>("%%MatrixMarket matrix " + kind + "\n1 1 1\n1 1 x\n", "text");
}

void plan_for_an_absent_device() {
  Yard yard;
  yard.nodes = {{.state = {Space::device(0), Format::Dense}, .multiply_seconds = 1}};
  (void)shortest_plan(yard);
}

[[noreturn]] void fail_like_opencl(int status) {
  opencl::translating("device0", [&] { throw cl::Error(status, "clSomething"); });
  throw std::logic_error("it was not thrown");
}

void produce(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument:
      return multiply_by_itself();
    case ErrorCode::DimensionMismatch:
      return multiply_by_a_longer_vector();
    case ErrorCode::OutOfRange:
      return (void)Dense<float>::sized(Index{1} << 40, Index{1} << 40);
    case ErrorCode::ParseError:
      return read_text("coordinate real general");
    case ErrorCode::DataCorrupt:
      return (void)profile_from_json("{}", "text");
    case ErrorCode::ProfileMismatch:
      return (void)fitted_profile(Profile(Fingerprint{"another", 1, "", {}}, {}), Fingerprint{});
    case ErrorCode::OutOfMemory: {
      const auto memory = std::make_shared<HostMemory>();
      memory->set_budget(10);
      return (void)Dense<float>::sized(3, 3, memory);
    }
    case ErrorCode::DeviceUnavailable:
      return plan_for_an_absent_device();
    case ErrorCode::DeviceOutOfMemory:
      return (void)Dense<float>::sized(3, 3, std::make_shared<NoDeviceMemory>());
    case ErrorCode::DeviceLost:
      fail_like_opencl(CL_INVALID_CONTEXT);
    case ErrorCode::BuildFailed:
      fail_like_opencl(CL_COMPILER_NOT_AVAILABLE);
    case ErrorCode::IoError:
      return (void)read_matrix_market<float>("/nowhere/at/all.mtx");
    case ErrorCode::Unsupported:
      return read_text("coordinate complex general");
    case ErrorCode::Internal:
      fail_like_opencl(CL_INVALID_KERNEL_ARGS);
  }
}

TEST(ErrorCodes, EachIsProduced) {
  std::set<std::string_view> names;
  for (const ErrorCode code : codes) {
    const std::string name(switchyard::name(code));
    EXPECT_TRUE(names.insert(switchyard::name(code)).second) << name;
    try {
      produce(code);
      ADD_FAILURE() << name << " was not thrown";
    } catch (const Error& error) {
      EXPECT_EQ(switchyard::name(error.code()), name) << error.what();
      EXPECT_STRNE(error.what(), "") << name;
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << name;
    }
  }
  EXPECT_EQ(names.size(), 14U);
  RecordProperty("codes_produced", static_cast<int>(names.size()));
}

TEST(ErrorCodes, MessagesHoldNoControlCharacters) {
  std::string controls;
  for (char c = 1; c < ' '; ++c) controls += c;
  controls += '\x7f';
  const Error error(ErrorCode::Internal, "a" + controls + "b", "place" + controls,
                    controls +
                        "Gr\xc3\xbc\xc3\x9f"
                        "e");
  for (const char c : std::string_view(error.what())) {
    EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != '\x7f') << static_cast<int>(c);
  }
  EXPECT_NE(std::string_view(error.what()).find("Gr\xc3\xbc\xc3\x9f"), std::string_view::npos);
}

}  // namespace
}  // namespace switchyard::testing
