// Options, the choice of a profile, and decisions under models that the test makes up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/core/runtime.hpp>

#include "containers/code_of.hpp"
#include "core/fixtures.hpp"
#include "environment_variable.hpp"
#include "profile_store.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::host_only;
using testing::linear_model;

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;
using testing::dense_host;

class ProfileFolder : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("switchyard-runtime-test" + std::to_string(::getpid()));
};

/// Products by rows of bytes: dense costs 10 s, CSR 1 s, a conversion 100 s, each per 1000
/// elements.
Profile dear_conversions(const Fingerprint& fingerprint) {
  constexpr Precision precision = Precision::Float;
  return Profile(
      fingerprint,
      {linear_model(multiply_key(dense_host, precision, "rows"), 10, 0),
       linear_model(multiply_key(csr_host, precision, "balanced"), 1, 0),
       linear_model(convert_key(Format::Dense, Format::Csr, Space::host(), precision), 100, 0),
       linear_model(convert_key(Format::Csr, Format::Dense, Space::host(), precision), 100, 0)});
}

TEST(Options, BytesAreReadWithTheirUnits) {
  EXPECT_EQ(parse_bytes("1500"), 1500U);
  EXPECT_EQ(parse_bytes("64k"), 65536U);
  EXPECT_EQ(parse_bytes("1.5G"), 1610612736U);
  for (const auto* const bad : {"", "k", "-1", "1x", "1 k", "nan", "inf", "1e30", "0x10", "1kk"}) {
    EXPECT_FALSE(parse_bytes(bad).has_value()) << bad;
  }
}

TEST(Options, TheEnvironmentIsRead) {
  const testing::EnvironmentVariable devices("SWITCHYARD_DEVICES", "none");
  const testing::EnvironmentVariable config_home("XDG_CONFIG_HOME", "/somewhere");
  ::setenv("SWITCHYARD_HOST_BUDGET", "3M", 1);
  const auto options = RuntimeOptions::from_environment();
  EXPECT_EQ(options.devices, "none");
  EXPECT_EQ(options.host_budget, 3U << 20);
  EXPECT_EQ(options.config_home, "/somewhere");
  ::setenv("SWITCHYARD_HOST_BUDGET", "plenty", 1);
  EXPECT_THROW(static_cast<void>(RuntimeOptions::from_environment()), Error);
  ::unsetenv("SWITCHYARD_HOST_BUDGET");
  ::setenv("SWITCHYARD_LOG", "loud", 1);
  EXPECT_THROW(static_cast<void>(log_level_from_environment()), Error);
  ::unsetenv("SWITCHYARD_LOG");
  EXPECT_FALSE(log_level_from_environment().has_value());
}

TEST_F(ProfileFolder, AFittingProfileIsFoundWhereItIsKept) {
  RuntimeOptions options = host_only();
  options.config_home = folder_;
  const Runtime before(options);
  EXPECT_FALSE(before.profile()->calibrated);
  EXPECT_NE(before.profile_problem().find("not calibrated"), std::string::npos);
  save_profile(dear_conversions(before.fingerprint()), before.default_profile_path());
  const Runtime after(options);
  EXPECT_TRUE(after.profile()->calibrated);
  EXPECT_EQ(after.profile_problem(), "");
  EXPECT_EQ(std::ranges::count(after.profile()->models(), false, &CostModel::built_in), 4);
}

TEST_F(ProfileFolder, WhatCalibrationCouldNotFitIsPredictedByBuiltInModels) {
  RuntimeOptions options = host_only();
  options.profile = folder_ / "profile.json";
  const Fingerprint here = Runtime(host_only()).fingerprint();
  const State dense{Space::host(), Format::Dense};
  const auto operations = multiply_operations<float>();
  const auto known =
      std::ranges::find(operations, Format::Dense, &MultiplyOperation<float>::format);
  ASSERT_NE(known, operations.end());
  const ModelKey fitted = multiply_key(dense, Precision::Float, known->variant);
  save_profile(Profile(here, {linear_model(fitted, 1e-6, 1e-10)}), *options.profile);

  const Runtime runtime(options);
  ASSERT_EQ(runtime.profile_problem(), "");
  EXPECT_TRUE(runtime.profile()->calibrated);
  ASSERT_NE(runtime.profile()->find(fitted), nullptr);
  EXPECT_FALSE(runtime.profile()->find(fitted)->built_in);
  PlanQuestion question;
  question.structure = even_structure<float>(200, 200, 0.1);
  question.valid = {dense};
  const Plan plan = runtime.plan(question);
  // csr@host is there, though the profile lacks it.
  const State csr{Space::host(), Format::Csr};
  EXPECT_EQ(std::ranges::count(plan.yard.nodes, csr, &YardNode::state), 1);
  for (const YardNode& node : plan.yard.nodes) {
    EXPECT_EQ(node.built_in, node.state != dense);
    // A variant that was calibrated goes before those that were not.
    if (node.state == dense) {
      EXPECT_EQ(node.variant, known->variant);
    }
  }
}

TEST_F(ProfileFolder, EveryOtherProfileIsRefusedInOneLine) {
  const Runtime here(host_only());
  RuntimeOptions options = host_only();
  options.profile = folder_ / "profile.json";
  const auto expect_refused = [&](const std::string& word) {
    const Runtime runtime(options);
    EXPECT_FALSE(runtime.profile()->calibrated);
    EXPECT_NE(runtime.profile_problem().find(word), std::string::npos) << runtime.profile_problem();
    EXPECT_EQ(runtime.profile_problem().find('\n'), std::string::npos);
  };
  expect_refused("profile.json");

  Fingerprint other = here.fingerprint();
  other.cpu = "Z80";
  save_profile(dear_conversions(other), *options.profile);
  expect_refused("Z80");
  other = here.fingerprint();
  other.threads += 1;
  save_profile(dear_conversions(other), *options.profile);
  expect_refused("threads");
  other = here.fingerprint();
  other.library_version = "0.0.0";
  save_profile(dear_conversions(other), *options.profile);
  expect_refused("0.0.0");
  // What a calibration leaves that had time for nothing else.
  const auto build = linear_model(build_key(Space::host(), Precision::Float, "csr"), 1, 1);
  save_profile(Profile(here.fingerprint(), {build}), *options.profile);
  expect_refused("no product");
  std::ofstream(*options.profile) << "{\"format\":";
  expect_refused("profile.json");
  std::filesystem::resize_file(*options.profile, 0);
  expect_refused("profile.json");
}

TEST(FittedProfile, DevicesAreRenumberedAndMissingOnesRefused) {
  Fingerprint there{
      .cpu = "c", .threads = 2, .library_version = "1", .devices = {{"big", "1"}, {"small", "2"}}};
  const Profile profile(
      there, {linear_model(
                  multiply_key({Space::device(1), Format::Csr}, Precision::Float, "scalar"), 1, 0),
              linear_model(transfer_key(Space::host(), Space::device(0)), 2, 0)});
  Fingerprint here = there;
  here.devices = {{"small", "2"}};
  const Profile fitted = fitted_profile(profile, here);
  ASSERT_EQ(fitted.models().size(), 1U);
  EXPECT_EQ(fitted.models()[0].key.from.space, Space::device(0));
  here.devices = {{"small", "3"}};
  EXPECT_THROW(static_cast<void>(fitted_profile(profile, here)), Error);
}

TEST(Decisions, AHintOfManyCallsConvertsAtOnce) {
  Runtime runtime(host_only());
  runtime.use_profile(dear_conversions(runtime.fingerprint()));
  const auto matrix = runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1));
  const Vector<float> x(20, 1.0F);
  Vector<float> y(20);
  matrix.expect_calls(11);
  matrix.multiply(x, y);
  EXPECT_EQ(matrix.states(), std::vector{dense_host});
  matrix.expect_calls(12);
  matrix.multiply(x, y);
  EXPECT_EQ(matrix.states(), (std::vector{dense_host, csr_host}));
}

// Whatever is remembered of the plans that were made with the former one.
TEST(Decisions, TheNextCallIsPlannedWithANewProfile) {
  RuntimeOptions options = host_only();
  options.reproducible = true;
  Runtime runtime(options);
  const auto use = [&](double dense_seconds, double csr_seconds) {
    constexpr Precision precision = Precision::Float;
    runtime.use_profile(Profile(
        runtime.fingerprint(),
        {linear_model(multiply_key(dense_host, precision, "rows"), dense_seconds, 0),
         linear_model(multiply_key(csr_host, precision, "balanced"), csr_seconds, 0),
         linear_model(convert_key(Format::Dense, Format::Csr, Space::host(), precision), 1, 0)}));
  };
  use(1, 10);
  const auto matrix = runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1));
  const Vector<float> x(20, 1.0F);
  Vector<float> y(20);
  matrix.expect_calls(1000);
  for (int call = 0; call < 3; ++call) matrix.multiply(x, y);
  EXPECT_EQ(matrix.states(), std::vector{dense_host});
  use(10, 1);
  matrix.multiply(x, y);
  EXPECT_EQ(matrix.states(), (std::vector{dense_host, csr_host}));
}

/// Dense products that take 10 s and CSR ones that take 1, behind a conversion of 100 s: nothing of
/// which is true, so that what is measured must not be looked at.
struct WithoutAHint : ::testing::TestWithParam<bool> {
  WithoutAHint() : runtime(options()) {
    runtime.use_profile(dear_conversions(runtime.fingerprint()));
    matrix.emplace(runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1)));
  }
  static RuntimeOptions options() {
    RuntimeOptions options = host_only();
    options.reproducible = GetParam();
    return options;
  }
  void multiply(int calls) {
    for (int call = 0; call < calls; ++call) matrix->multiply(x, y);
  }
  Runtime runtime;
  std::optional<GMatrix<float>> matrix;
  Vector<float> x = Vector<float>(20, 1.0F);
  Vector<float> y = Vector<float>(20);
};
INSTANTIATE_TEST_SUITE_P(Decisions, WithoutAHint, ::testing::Bool());

TEST_P(WithoutAHint, TheCallsSeenDecide) {
  // Nine products cost 90; with the tenth in CSR the total of 191 is less than twice the 100 of ten
  // dense ones, and was more a call before.
  multiply(9);
  EXPECT_EQ(matrix->states(), std::vector{dense_host});
  multiply(3);
  const std::vector<State> both{dense_host, csr_host};
  EXPECT_EQ(matrix->states(), GetParam() ? both : std::vector{dense_host})
      << "a measured cost goes before the model's";
}

/// While it lives, every line logged at exactly that level is kept, and whoever wants is told.
class LogInto {
 public:
  LogInto(
      LogLevel level, std::vector<std::string>& lines, std::function<void()> told = [] {}) {
    set_log_level(level);
    set_log_sink([level, &lines, told](LogLevel at, std::string_view line) {
      if (at != level) return;
      lines.emplace_back(line);
      told();
    });
  }
  LogInto(const LogInto&) = delete;
  LogInto& operator=(const LogInto&) = delete;
  ~LogInto() {
    set_log_sink({});
    set_log_level(LogLevel::Off);
  }
};

TEST(Decisions, EachNewOneIsALineOfTheDebugLog) {
  std::vector<std::string> lines;
  {
    const LogInto logged(LogLevel::Debug, lines);
    Runtime runtime(host_only());
    runtime.use_profile(dear_conversions(runtime.fingerprint()));
    const auto matrix = runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1));
    const Vector<float> x(20, 1.0F);
    Vector<float> y(20);
    for (int call = 0; call < 5; ++call) matrix.multiply(x, y);
  }
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front().find("plan A 20x20 nnz="), 0U);
  EXPECT_NE(lines.front().find("-multiply[dense/rows] 10.0s = 10.0s; next: csr@host 101s"),
            std::string::npos)
      << lines.front();
  EXPECT_LT(lines.size(), 4U) << "a remembered decision is no new line";
}

TEST(Decisions, EachStepOfTheWayIsALineOfTheTraceLog) {
  std::vector<std::string> lines;
  const LogInto logged(LogLevel::Trace, lines);
  const Runtime runtime(host_only());
  runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1)).bring_to(csr_host);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find("step convert dense@host -> csr@host: predicted "), 0U) << lines[0];
  EXPECT_NE(lines[0].find(", measured "), std::string::npos) << lines[0];
}

TEST(Decisions, EachCallIsALineOfTheTraceLog) {
  std::vector<std::string> lines;
  const LogInto logged(LogLevel::Trace, lines);
  const Runtime runtime(host_only());
  const auto matrix = runtime.matrix(testing::random_dense<float>(20, 20, 0.5, 1));
  matrix.pin(dense_host);
  const Vector<float> x(20, 1.0F);
  Vector<float> y(20);
  for (int call = 0; call < 3; ++call) matrix.multiply(x, y);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2].find("step multiply dense@host ["), 0U) << lines[2];
  EXPECT_NE(lines[2].find("]: predicted "), std::string::npos) << lines[2];
  EXPECT_NE(lines[2].find(", measured "), std::string::npos) << lines[2];
}

// Warnings are errors here: a designated initialiser of one member needs defaults of all others.
TEST(Runtime, OptionsCanBeGivenByName) {
  const Runtime runtime(RuntimeOptions{.devices = "none", .threads = 1});
  EXPECT_EQ(runtime.fingerprint().threads, 1);
  const Structure structure{.rows = 10, .cols = 10, .nnz = 20};
  EXPECT_EQ(runtime.plan(PlanQuestion{.structure = structure, .calls = 3}).yard.horizon, 3);
}

TEST(Runtime, AProfileThatKnowsNoProductIsRefusedAndTheFormerOneStays) {
  Runtime runtime(host_only());
  const auto before = runtime.profile();
  const Profile only_moves(
      runtime.fingerprint(),
      {testing::linear_model(
          convert_key(Format::Dense, Format::Csr, Space::host(), Precision::Float), 1, 0)});
  EXPECT_EQ(code_of([&] { runtime.use_profile(only_moves); }), ErrorCode::ProfileMismatch);
  EXPECT_EQ(runtime.profile(), before);
}

TEST(Decisions, AProfileThatNoLongerHoldsIsReportedOnce) {
  std::vector<std::string> warnings;
  for (const bool calibrated : {true, false}) {
    Runtime runtime(host_only());
    const LogInto logged(LogLevel::Warning, warnings,
                         [&] { static_cast<void>(runtime.profile()); });
    Profile profile(
        runtime.fingerprint(),
        {testing::linear_model(multiply_key(csr_host, Precision::Float, "balanced"), 1e-15, 0)});
    profile.calibrated = calibrated;
    runtime.use_profile(std::move(profile));
    for (unsigned seed = 0; seed < 12; ++seed) {
      const auto matrix = runtime.matrix(generate<float>({.rows = 50, .seed = seed}));
      const Vector<float> x(50, 1.0F);
      Vector<float> y(50);
      for (int call = 0; call < 20; ++call) matrix.multiply(x, y);
    }
    EXPECT_EQ(warnings.size(), 1U) << "of what nobody measured nothing was promised";
  }
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("csr@host [balanced, float] take 4 times"), std::string::npos)
      << warnings[0];
  EXPECT_NE(warnings[0].find("run `switchyard calibrate` again"), std::string::npos);
}

}  // namespace
}  // namespace switchyard
