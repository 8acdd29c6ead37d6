// Profiles: what they find, how they differ, and what a file keeps.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <locale>
#include <sstream>
#include <thread>

#include "models/synthetic.hpp"

namespace switchyard {
namespace {

namespace fs = std::filesystem;
using synthetic::small_profile;

/// A directory of its own for each test.
class ProfileFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "switchyard-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] fs::path file(const char* name = "profile.json") const { return directory_ / name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  fs::path directory_;
};

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

ErrorCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::Internal;
}

void expect_same(const CostModel& a, const CostModel& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.quality.samples, b.quality.samples);
  EXPECT_EQ(a.quality.r_squared, b.quality.r_squared);
  EXPECT_EQ(a.quality.median_error, b.quality.median_error);
  EXPECT_EQ(a.quality.p95_error, b.quality.p95_error);
  ASSERT_EQ(a.tiers.size(), b.tiers.size());
  for (std::size_t i = 0; i < a.tiers.size(); ++i) {
    EXPECT_EQ(a.tiers[i].up_to_bytes, b.tiers[i].up_to_bytes);
    EXPECT_EQ(a.tiers[i].lowest.values, b.tiers[i].lowest.values);
    EXPECT_EQ(a.tiers[i].highest.values, b.tiers[i].highest.values);
    EXPECT_EQ(a.tiers[i].floor_seconds, b.tiers[i].floor_seconds);
    EXPECT_EQ(a.tiers[i].floor_seconds_per_byte, b.tiers[i].floor_seconds_per_byte);
    EXPECT_EQ(a.tiers[i].ceiling_seconds, b.tiers[i].ceiling_seconds);
    ASSERT_EQ(a.tiers[i].polynomial.terms.size(), b.tiers[i].polynomial.terms.size());
    for (std::size_t k = 0; k < a.tiers[i].polynomial.terms.size(); ++k) {
      EXPECT_EQ(a.tiers[i].polynomial.terms[k].coefficient,
                b.tiers[i].polynomial.terms[k].coefficient);
      EXPECT_EQ(a.tiers[i].polynomial.terms[k].exponents, b.tiers[i].polynomial.terms[k].exponents);
    }
  }
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].seconds, b.samples[i].seconds);
    EXPECT_EQ(a.samples[i].features.values, b.samples[i].features.values);
  }
}

void expect_same(const std::optional<CalibrationLoad>& a, const std::optional<CalibrationLoad>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->processors, b->processors);
  EXPECT_EQ(a->average, b->average);
  EXPECT_EQ(a->others_before, b->others_before);
  EXPECT_EQ(a->others, b->others);
  EXPECT_EQ(a->steal, b->steal);
  EXPECT_EQ(a->switches_per_second, b->switches_per_second);
  EXPECT_EQ(a->disturbed, b->disturbed);
}

/// A machine of two processors with two busy processes beside the calibration.
CalibrationLoad busy_load() {
  return {.processors = 2,
          .average = 4.3,
          .others_before = 1.9,
          .others = 1.1,
          .steal = 0.02,
          .switches_per_second = 210,
          .disturbed = 0.15};
}

void expect_same(const Profile& a, const Profile& b) {
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  EXPECT_EQ(a.calibrated, b.calibrated);
  EXPECT_EQ(a.created, b.created);
  EXPECT_EQ(a.calibration_seconds, b.calibration_seconds);
  expect_same(a.load, b.load);
  ASSERT_EQ(a.models().size(), b.models().size());
  for (std::size_t i = 0; i < a.models().size(); ++i) expect_same(a.models()[i], b.models()[i]);
}

TEST(Profile, RefusesTwoModelsOfOneKey) {
  const CostModel model = small_profile().models()[0];
  EXPECT_EQ(code_of([&] { Profile({}, {model, model}); }), ErrorCode::InvalidArgument);
}

TEST(Profile, DifferenceNamesTheFirstFieldThatDiffers) {
  const Fingerprint here = synthetic::fingerprint();
  EXPECT_EQ(difference(here, here), "");
  Fingerprint other = here;
  other.devices[1].driver = "driver 3";
  EXPECT_EQ(difference(other, here), "driver of device1 \"driver 3\", here \"driver 2\"");
  other.devices[0].name = "Yet another";
  EXPECT_EQ(difference(other, here), "device0 \"Yet another\", here \"A device\"");
  other.devices.pop_back();
  EXPECT_EQ(difference(other, here), "devices 1, here 2");
  other.library_version = "0.2.0";
  EXPECT_EQ(difference(other, here), "library version \"0.2.0\", here \"0.1.0\"");
  other.threads = 4;
  EXPECT_EQ(difference(other, here), "threads 4, here 2");
  other.cpu = "Another processor";
  EXPECT_EQ(difference(other, here), "processor \"Another processor\", here \"A processor\"");
}

TEST(Profile, DocumentKeepsEveryBit) {
  const Profile profile = small_profile();
  const std::string text = profile_to_json(profile);
  expect_same(profile_from_json(text, "here"), profile);
  EXPECT_EQ(profile_to_json(profile_from_json(text, "here")), text);
}

TEST(Profile, TransfersIntoNewMemoryAreModelsOfTheirOwn) {
  const Profile small = small_profile();
  CostModel model = *small.find(synthetic::link_key());
  model.key = transfer_key(Space::host(), Space::device(0), new_memory);
  const Profile profile({}, {model});
  const std::string text = profile_to_json(profile);
  const Profile back = profile_from_json(text, "here");
  EXPECT_NE(back.find(model.key), nullptr);
  EXPECT_EQ(back.find(synthetic::link_key()), nullptr);
}

TEST(Profile, DocumentKeepsTheLoadWhereItIsKnown) {
  Profile profile = small_profile();
  EXPECT_EQ(profile_to_json(profile).find("\"load\""), std::string::npos);
  profile.load = busy_load();
  const Profile copy = profile_from_json(profile_to_json(profile), "here");
  expect_same(copy, profile);
  // A profile's origin goes with it.
  expect_same(copy.with(copy.fingerprint(), copy.models()), profile);
  expect_same(completed_with_builtin(copy, Profile()), profile);
}

TEST(Profile, ALoadThatNoMachineHasIsNotStored) {
  Profile profile = small_profile();
  for (double CalibrationLoad::*const member :
       {&CalibrationLoad::average, &CalibrationLoad::others_before, &CalibrationLoad::others,
        &CalibrationLoad::steal, &CalibrationLoad::switches_per_second,
        &CalibrationLoad::disturbed}) {
    for (const double bad : {-1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
      profile.load = busy_load();
      (*profile.load).*member = bad;
      EXPECT_EQ(code_of([&] { (void)profile_to_json(profile); }), ErrorCode::InvalidArgument);
    }
  }
}

TEST(CalibrationLoad, IsQuietWhereTheThreadsHadTheirProcessors) {
  const CalibrationLoad none{.processors = 16};
  EXPECT_TRUE(is_quiet(none, 16));
  CalibrationLoad one = none;
  one.others = 1;
  EXPECT_FALSE(is_quiet(one, 16));
  EXPECT_TRUE(is_quiet(one, 15)) << "one processor was left to others";
  EXPECT_FALSE(is_quiet({.processors = 16, .others_before = 1}, 16));
  EXPECT_FALSE(is_quiet({.processors = 16, .steal = 1}, 16));
  EXPECT_FALSE(is_quiet({.processors = 16, .disturbed = 0.4}, 16));
  EXPECT_TRUE(is_quiet({.processors = 16, .disturbed = 0.1}, 16)) << "as on a machine of its own";
  EXPECT_FALSE(is_quiet(busy_load(), 2));
  // A load average lags by a minute: by itself it is no reason.
  EXPECT_TRUE(is_quiet({.processors = 16, .average = 8}, 16));
}

TEST(Profile, EmptyProfileIsAProfile) {
  const Profile back = profile_from_json(profile_to_json(Profile()), "here");
  EXPECT_TRUE(back.models().empty());
  EXPECT_EQ(back.fingerprint(), Fingerprint());
}

TEST(Profile, NamesMayHoldAnything) {
  Fingerprint odd{"quote \" backslash \\ line\nbreak \t \x01 Grüße", 1, "", {}};
  const Profile back = profile_from_json(profile_to_json(Profile(odd, {})), "here");
  EXPECT_EQ(back.fingerprint(), odd);
  odd.cpu = "not UTF-8: \xff\xc3";
  EXPECT_NO_THROW((void)profile_from_json(profile_to_json(Profile(odd, {})), "here"));
}

TEST(Profile, DoesNotDependOnTheLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const Profile profile = small_profile();
  const std::string text = profile_to_json(profile);
  const std::string old_c = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name)) break;
  }
  const std::locale old = std::locale::global(std::locale(std::locale(), new Comma));
  const std::string in_comma_land = profile_to_json(profile);
  const Profile back = profile_from_json(text, "here");
  std::locale::global(old);
  std::setlocale(LC_ALL, old_c.c_str());
  EXPECT_EQ(in_comma_land, text);
  expect_same(back, profile);
}

TEST(Profile, WithNumbersNobodyMeasuresIsNotStored) {
  CostModel model = small_profile().models()[0];
  model.tiers[0].polynomial.terms[0].coefficient = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code_of([&] { (void)profile_to_json(Profile({}, {model})); }),
            ErrorCode::InvalidArgument);
  model.tiers.clear();
  EXPECT_EQ(code_of([&] { (void)profile_to_json(Profile({}, {model})); }),
            ErrorCode::InvalidArgument);
  for (double ModelTier::*const member :
       {&ModelTier::floor_seconds, &ModelTier::floor_seconds_per_byte}) {
    model = small_profile().models()[0];
    model.tiers[0].*member = 1e300;
    EXPECT_EQ(code_of([&] { (void)profile_to_json(Profile({}, {model})); }),
              ErrorCode::InvalidArgument)
        << "finite, but not times the calls";
  }
  model = small_profile().models()[0];
  model.tiers.back().polynomial.terms[0].coefficient = 1e300;
  EXPECT_EQ(code_of([&] { (void)profile_to_json(Profile({}, {model})); }),
            ErrorCode::InvalidArgument);
  const ModelQuality good = small_profile().models()[0].quality;
  for (const ModelQuality& bad :
       {ModelQuality{.samples = -1, .r_squared = good.r_squared},
        ModelQuality{.samples = 10, .r_squared = std::numeric_limits<double>::quiet_NaN()},
        ModelQuality{.samples = 10, .r_squared = 1.5}}) {
    model = small_profile().models()[0];
    model.quality = bad;
    EXPECT_EQ(code_of([&] { (void)profile_to_json(Profile({}, {model})); }),
              ErrorCode::InvalidArgument);
  }
  for (const double seconds : {std::numeric_limits<double>::infinity(), -1.0}) {
    Profile profile;
    profile.calibration_seconds = seconds;
    EXPECT_EQ(code_of([&] { (void)profile_to_json(profile); }), ErrorCode::InvalidArgument);
  }
}

TEST_F(ProfileFile, IsSavedAndLoaded) {
  const Profile profile = small_profile();
  save_profile(profile, file());
  const Profile loaded = load_profile(file());
  expect_same(loaded, profile);
  EXPECT_EQ(loaded.file, file());
  EXPECT_EQ(files(), 1U);
}

TEST_F(ProfileFile, MakesTheDirectoriesAbove) {
  const fs::path deep = directory_ / "a" / "b" / "profile.json";
  save_profile(small_profile(), deep);
  EXPECT_TRUE(fs::is_regular_file(deep));
}

TEST_F(ProfileFile, MayBeReadByAllAndWrittenByItsOwner) {
  const mode_t old = umask(022);
  save_profile(small_profile(), file());
  umask(old);
  struct stat facts {};
  ASSERT_EQ(stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0644U);
}

TEST_F(ProfileFile, AbsentOrUnreadableIsAnIoError) {
  EXPECT_EQ(code_of([&] { (void)load_profile(file()); }), ErrorCode::IoError);
  EXPECT_EQ(code_of([&] { (void)load_profile(directory_); }), ErrorCode::IoError);
  EXPECT_EQ(code_of([&] { (void)load_profile("/dev/zero"); }), ErrorCode::IoError);
  EXPECT_EQ(code_of([&] { (void)load_profile(""); }), ErrorCode::IoError);
}

TEST_F(ProfileFile, WhatCannotBeWrittenIsAnIoError) {
  std::ofstream(file("plain")) << "text";
  for (const fs::path& target : {directory_, file("plain") / "profile.json", fs::path("/dev/full"),
                                 fs::path(""), directory_ / std::string(300, 'x')}) {
    EXPECT_EQ(code_of([&] { save_profile(small_profile(), target); }), ErrorCode::IoError)
        << target;
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ProfileFile, AFullDiskLeavesTheOldOne) {
  save_profile(small_profile(), file());
  const std::string before = contents(file());
  struct rlimit old {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 100, old.rlim_max };
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  ErrorCode code{};
  try {
    save_profile(Profile(), file());
  } catch (const Error& error) {
    code = error.code();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(code, ErrorCode::IoError);
  EXPECT_EQ(contents(file()), before);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ProfileFile, NoLinkIsWrittenThrough) {
  const fs::path victim = file("victim");
  std::ofstream(victim) << "untouched";
  fs::create_symlink(victim, file());
  // The names that files are written aside under can be guessed.
  for (int i = 0; i < 200; ++i) {
    const std::string aside = ".switchyard-" + std::to_string(getpid()) + "-" + std::to_string(i);
    fs::create_symlink(victim, directory_ / (aside + ".tmp"));
  }
  save_profile(small_profile(), file());
  EXPECT_EQ(contents(victim), "untouched");
  EXPECT_FALSE(fs::is_symlink(file()));
  expect_same(load_profile(file()), small_profile());
}

TEST_F(ProfileFile, SeveralMaySaveAtOnce) {
  const Profile profile = small_profile();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) save_profile(profile, file());
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_same(load_profile(file()), profile);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ProfileFile, AHugeFileIsRefusedUnread) {
  std::ofstream(file()) << '{';
  fs::resize_file(file(), std::uintmax_t{2} << 30U);
  EXPECT_EQ(code_of([&] { (void)load_profile(file()); }), ErrorCode::DataCorrupt);
}

}  // namespace
}  // namespace switchyard
