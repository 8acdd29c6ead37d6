// Trying drivers in another process: what its answers mean, and what is remembered.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <switchyard/containers/log.hpp>

#include "opencl/driver_probe.hpp"
#include "opencl/probe_record.hpp"

namespace switchyard::opencl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t gigabyte = std::size_t{1} << 30U;

TEST(OpenClNeeds, PoclNeedsSysAndAddressSpace) {
  EXPECT_EQ(missing_for(pocl_platform, {}), "");
  EXPECT_NE(missing_for(pocl_platform, {.has_processors_in_sysfs = false}).find("/sys"),
            std::string::npos);
  EXPECT_NE(missing_for(pocl_platform, {.address_space = gigabyte}).find("ulimit -v"),
            std::string::npos);
  EXPECT_EQ(missing_for(pocl_platform, {.address_space = 4 * gigabyte, .processors = 2}), "");
  EXPECT_NE(missing_for(pocl_platform, {.address_space = 4 * gigabyte, .processors = 64}), "");
}

TEST(OpenClNeeds, OtherPlatformsAreNotJudged) {
  const Surroundings poor{.has_processors_in_sysfs = false, .address_space = 1};
  EXPECT_EQ(missing_for("NVIDIA CUDA", poor), "");
  EXPECT_EQ(missing_for("", poor), "");
}

TEST(OpenClProbeAnswers, AreTakenApart) {
  const ProbeRun done = parsed(
      "\nswitchyard-probe loading \nnoise\n\nswitchyard-probe platform A B\n\n"
      "switchyard-probe file /lib/a b.so\nswitchyard-probe file /lib/c.so\n"
      "switchyard-probe done \n");
  EXPECT_EQ(done.end, ProbeEnd::Done);
  EXPECT_EQ(done.platform, "A B");
  EXPECT_EQ(done.words, "noise");
  EXPECT_EQ(done.files, (std::vector<std::string>{"/lib/a b.so", "/lib/c.so"}));
  EXPECT_EQ(parsed("switchyard-probe loading \n").end, ProbeEnd::Crashed);
  EXPECT_EQ(parsed("").end, ProbeEnd::NotRun);
  EXPECT_EQ(parsed("error while loading shared libraries\n").end, ProbeEnd::NotRun);
}

/// A folder with a program that stands in for the probe.
class OpenClProbe : public ::testing::Test {
 protected:
  OpenClProbe() {
    std::string pattern = (fs::temp_directory_path() / "switchyard-probe-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OpenClProbe() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    set_log_sink({});
  }

  /// A script that prints "loading" and does this.
  [[nodiscard]] ProbeSetup setup(const std::string& commands) const {
    const fs::path program = folder_ / "probe";
    std::ofstream(program) << "#!/bin/sh\nsay() { echo; echo switchyard-probe \"$@\"; }\n"
                           << "say loading ''\necho run >> '" << runs_file().string() << "'\n"
                           << commands << "\n";
    fs::permissions(program, fs::perms::owner_all);
    return {.program = program, .memory = folder_ / "memory"};
  }
  [[nodiscard]] fs::path runs_file() const { return folder_ / "runs"; }
  [[nodiscard]] int runs() const {
    std::ifstream in(runs_file());
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }

  fs::path folder_;
};

constexpr auto all_is_well = "say platform Good; say file /bin/sh; say done ''";
constexpr auto bad_one_crashes =
    "say platform Good\n"
    "case \" $* \" in *' Bad '*) ;; *) say platform Bad; echo why >&2; kill -ABRT $$;; esac\n"
    "say platform Another; say done ''";

TEST_F(OpenClProbe, DriversThatSurviveAreUsedAndRemembered) {
  const ProbeSetup well = setup(all_is_well);
  for (int i = 0; i < 3; ++i) {
    const DriverVerdict verdict = try_drivers(well);
    EXPECT_TRUE(verdict.left_out.empty());
    EXPECT_TRUE(verdict.usable());
    EXPECT_TRUE(verdict.usable("Good"));
  }
  EXPECT_EQ(runs(), 1);
}

TEST_F(OpenClProbe, ADriverThatCrashesIsLeftOutEachTime) {
  const ProbeSetup bad = setup(bad_one_crashes);
  for (int i = 1; i <= 2; ++i) {
    const DriverVerdict verdict = try_drivers(bad);
    ASSERT_EQ(verdict.left_out.size(), 1U);
    EXPECT_EQ(verdict.left_out[0].platform, "Bad");
    EXPECT_EQ(verdict.left_out[0].reason, "its driver crashes (Aborted): why");
    EXPECT_TRUE(verdict.usable());
    EXPECT_FALSE(verdict.usable("Bad"));
    EXPECT_TRUE(verdict.usable("Good"));
    EXPECT_EQ(runs(), 2 * i);
  }
}

TEST_F(OpenClProbe, ACrashWhileLoadingLeavesAllOut) {
  const DriverVerdict verdict = try_drivers(setup("kill -SEGV $$"));
  ASSERT_EQ(verdict.left_out.size(), 1U);
  EXPECT_FALSE(verdict.usable());
  EXPECT_FALSE(verdict.usable("Good"));
}

TEST_F(OpenClProbe, ManyCrashesLeaveAllOut) {
  const DriverVerdict verdict = try_drivers(setup("say platform \"$$\"; kill -ABRT $$"));
  EXPECT_FALSE(verdict.usable());
}

TEST_F(OpenClProbe, ADriverThatHangsIsGivenUpAndTold) {
  ProbeSetup hanging =
      setup("case \" $* \" in *' Bad '*) ;; *) say platform Bad; sleep 1000;; esac\nsay done ''");
  hanging.patience = {.silent = std::chrono::milliseconds(10),
                      .most = std::chrono::milliseconds(1500)};
  std::string logged;
  set_log_level(LogLevel::Warning);
  set_log_sink([&](LogLevel, std::string_view line) { logged += line; });
  const DriverVerdict verdict = try_drivers(hanging);
  ASSERT_EQ(verdict.left_out.size(), 1U);
  EXPECT_EQ(verdict.left_out[0].platform, "Bad");
  EXPECT_NE(verdict.left_out[0].reason.find("did not answer"), std::string::npos);
  EXPECT_NE(logged.find("still waiting"), std::string::npos) << logged;
}

TEST_F(OpenClProbe, WhatIsEndedFromOutsideTellsNothing) {
  EXPECT_TRUE(try_drivers(setup("kill -KILL $$")).left_out.empty());
  EXPECT_TRUE(try_drivers(setup("kill -TERM $$")).left_out.empty());
  EXPECT_EQ(runs(), 2) << "it was remembered";
}

TEST_F(OpenClProbe, WithoutTheProgramKnownNeedsDecide) {
  ProbeSetup none{.program = folder_ / "none", .memory = folder_};
  EXPECT_TRUE(try_drivers(none).left_out.empty());
  none.here.has_processors_in_sysfs = false;
  const DriverVerdict verdict = try_drivers(none);
  EXPECT_FALSE(verdict.usable(pocl_platform));
  EXPECT_TRUE(verdict.usable("another"));
}

TEST_F(OpenClProbe, AMissingNeedIsNotTried) {
  ProbeSetup poor =
      setup("case \"$1\" in Portable*) say done '';; *) say platform X; kill -ABRT $$;; esac");
  poor.here.has_processors_in_sysfs = false;
  const DriverVerdict verdict = try_drivers(poor);
  ASSERT_EQ(verdict.left_out.size(), 1U);
  EXPECT_EQ(verdict.left_out[0].platform, pocl_platform);
}

TEST_F(OpenClProbe, UnderALimitNothingIsRemembered) {
  ProbeSetup limited = setup(all_is_well);
  limited.here.address_space = 100 * gigabyte;
  (void)try_drivers(limited);
  (void)try_drivers(limited);
  EXPECT_EQ(runs(), 2);
}

TEST_F(OpenClProbe, AProgramThatOthersCanWriteIsNotRun) {
  const ProbeSetup well = setup(all_is_well);
  EXPECT_EQ(fault_of_program(well.program), "");
  for (const fs::path& path : {well.program, folder_}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, others, fs::perm_options::add);
      EXPECT_NE(fault_of_program(well.program), "") << path;
      (void)try_drivers(well);
      fs::permissions(path, others, fs::perm_options::remove);
    }
  }
  constexpr uid_t another = 65534;
  if (::chown(well.program.c_str(), another, static_cast<gid_t>(-1)) == 0) {
    EXPECT_NE(fault_of_program(well.program), "");
    (void)try_drivers(well);
  }
  EXPECT_EQ(runs(), 0);
}

TEST_F(OpenClProbe, ARecordHoldsUntilAFileChanges) {
  const fs::path driver = folder_ / "driver with blanks.so";
  std::ofstream(driver) << "one";
  const ProbeRecord record(folder_ / "memory", "/bin/sh");
  EXPECT_FALSE(record.holds());
  record.store({"/bin/sh", driver.string()});
  EXPECT_TRUE(record.holds());
  EXPECT_FALSE(ProbeRecord(folder_ / "memory", "/bin/ls").holds());
  EXPECT_FALSE(ProbeRecord({}, "/bin/sh").holds());
  fs::last_write_time(driver, fs::last_write_time(driver) + std::chrono::seconds(1));
  EXPECT_FALSE(record.holds());
  record.store({"/bin/sh", driver.string()});
  EXPECT_TRUE(record.holds());
  fs::remove(driver);
  EXPECT_FALSE(record.holds());
}

TEST_F(OpenClProbe, ARecordHoldsInOneEnvironment) {
  ::setenv("POCL_OF_THIS_TEST", "1", 1);
  const ProbeRecord record(folder_ / "memory", "/bin/sh");
  record.store({});
  EXPECT_TRUE(ProbeRecord(folder_ / "memory", "/bin/sh").holds());
  ::setenv("POCL_OF_THIS_TEST", "2", 1);
  EXPECT_FALSE(ProbeRecord(folder_ / "memory", "/bin/sh").holds());
  ::unsetenv("POCL_OF_THIS_TEST");
}

/// The probe of this build, on the drivers of this machine.
TEST(OpenClProbeProgram, SurvivesTheDriversHere) {
  const ProbeSetup here = probe_setup();
  const std::string fault = fault_of_program(here.program);
  if (!fault.empty()) GTEST_SKIP() << "the probe of this build is not run: " << fault;
  const ProbeRun run = run_probe(here.program, {}, {});
  EXPECT_EQ(run.end, ProbeEnd::Done) << run.how << run.words;
  EXPECT_FALSE(run.files.empty());
}

}  // namespace
}  // namespace switchyard::opencl
