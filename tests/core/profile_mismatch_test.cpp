// A profile of any other machine is refused, whichever field of its fingerprint differs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/fixtures.hpp"
#include "profile_store.hpp"

namespace switchyard {
namespace {

Fingerprint here() {
  return {.cpu = "A processor",
          .threads = 8,
          .library_version = "1.2.3",
          .devices = {{"A device", "driver 1"}, {"Another", "driver 2"}}};
}

struct Difference {
  const char* what;
  std::function<void(Fingerprint&)> make;
  const char* said;
};

const std::vector<Difference>& differences() {
  static const std::vector<Difference> table{
      {"processor", [](Fingerprint& f) { f.cpu = "Another processor"; }, "processor"},
      {"no processor", [](Fingerprint& f) { f.cpu.clear(); }, "processor"},
      {"case of the processor", [](Fingerprint& f) { f.cpu = "a processor"; }, "processor"},
      {"fewer threads", [](Fingerprint& f) { f.threads = 7; }, "threads 7, here 8"},
      {"more threads", [](Fingerprint& f) { f.threads = 16; }, "threads 16, here 8"},
      {"older library", [](Fingerprint& f) { f.library_version = "1.2.2"; }, "library version"},
      {"newer library", [](Fingerprint& f) { f.library_version = "1.2.30"; }, "library version"},
      {"first device", [](Fingerprint& f) { f.devices[0].name = "Third"; }, "A device"},
      {"its driver", [](Fingerprint& f) { f.devices[0].driver = "driver 9"; }, "driver 1"},
      {"second device", [](Fingerprint& f) { f.devices[1].name = "Third"; }, "Another"},
      {"its driver", [](Fingerprint& f) { f.devices[1].driver.clear(); }, "driver 2"},
      {"a device fewer", [](Fingerprint& f) { f.devices.pop_back(); }, "Another"},
      {"none", [](Fingerprint& f) { f.devices.clear(); }, "A device"},
      {"twice the first", [](Fingerprint& f) { f.devices[1] = f.devices[0]; }, "Another"},
  };
  return table;
}

TEST(ProfileMismatch, EachFieldOfTheFingerprintInTurn) {
  EXPECT_NO_THROW((void)fitted_profile(Profile(here(), {}), here()));
  for (const auto& [what, make, said] : differences()) {
    Fingerprint there = here();
    make(there);
    try {
      (void)fitted_profile(Profile(there, {}), here());
      ADD_FAILURE() << what << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::ProfileMismatch) << what;
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
  RecordProperty("fingerprints_refused", static_cast<int>(differences().size()));
}

/// A device that is not here does no harm: this machine has been measured.
TEST(ProfileMismatch, AFurtherDeviceThereIsNone) {
  Fingerprint there = here();
  there.devices.push_back({"Third", "driver 3"});
  std::swap(there.devices[0], there.devices[1]);
  EXPECT_NO_THROW((void)fitted_profile(Profile(there, {}), here()));
}

/// The warnings logged while a runtime looks for its profile under `config_home`.
std::vector<std::string> warnings_with(const std::filesystem::path& config_home) {
  std::vector<std::string> warnings;
  const LogLevel before = log_level();
  set_log_level(LogLevel::Warning);
  set_log_sink([&warnings](LogLevel, std::string_view line) { warnings.emplace_back(line); });
  RuntimeOptions options = testing::host_only();
  options.config_home = config_home;
  const Runtime runtime(options);
  set_log_sink({});
  set_log_level(before);
  EXPECT_FALSE(runtime.profile()->calibrated);
  return warnings;
}

TEST(ProfileMismatch, ADamagedOneIsOneWarningAndTheBuiltinModelsServe) {
  std::string folder = (std::filesystem::temp_directory_path() / "switchyard-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  EXPECT_TRUE(warnings_with(folder).empty());
  RuntimeOptions options = testing::host_only();
  options.config_home = folder;
  const auto file = Runtime(options).default_profile_path();
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream(file) << "{\"format\":";
  const auto warnings = warnings_with(folder);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(file), std::string::npos) << warnings[0];
  std::filesystem::remove_all(folder);
}

/// A folder that is gone with the test.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "switchyard-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) ADD_FAILURE() << "no folder";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Writes the profile of that machine where it is looked for, one that can be told by `seconds`.
std::filesystem::path keep_profile(const std::filesystem::path& config_home,
                                   const Fingerprint& machine, double seconds) {
  Profile profile(
      machine,
      {testing::linear_model(
          multiply_key({Space::host(), Format::Csr}, Precision::Float, "balanced"), seconds, 0)});
  auto file = profile_path(config_home, machine);
  save_profile(profile, file);
  return file;
}

/// What tells the profile that is chosen: 0 for the built-in one.
double chosen_seconds(const std::filesystem::path& config_home) {
  RuntimeOptions options;
  options.config_home = config_home;
  const ProfileChoice choice = choose_profile(options, here(), Profile(here(), {}));
  const auto& models = choice.profile.models();
  return models.empty() ? 0 : models.front().predict(Features{}).seconds;
}

TEST(ProfileMismatch, ProfilesAreNamedForTheProcessorItsThreadsAndTheDevices) {
  EXPECT_EQ(profile_path("/home", here()),
            "/home/switchyard/profiles/a-processor-8t-a-device-another.json");
  Fingerprint odd = here();
  odd.cpu = "  Odd(R)  CPU @ 3.0 GHz!  ";
  odd.devices.clear();
  EXPECT_EQ(profile_path("/home", odd), "/home/switchyard/profiles/odd-r-cpu-3-0-ghz-8t.json");
  odd.cpu = std::string(100, 'x');
  EXPECT_EQ(profile_path("/home", odd).filename(), std::string(60, 'x') + "-8t.json");
  EXPECT_EQ(profile_path("", odd), "");
}

/// What a process with two of eight threads predicts for that operation, measured at a second.
double seconds_of_share(const ModelKey& key, int profile_threads) {
  const Folder folder;
  const Profile profile(here(), {testing::linear_model(key, 1, 0)});
  save_profile(profile, profile_path(folder.path(), here()));
  RuntimeOptions options;
  options.config_home = folder.path();
  options.profile_threads = profile_threads;
  Fingerprint share = here();
  share.threads = 2;
  const ProfileChoice choice = choose_profile(options, share, Profile(share, {}));
  EXPECT_EQ(choice.profile.fingerprint(), share);
  const CostModel* const model = choice.profile.find(key);
  return model ? model->predict(Features{}).seconds : 0;
}

TEST(ProfileMismatch, AProcessWithAShareOfTheMachineScalesWhatItsThreadsDo) {
  const State csr{Space::host(), Format::Csr};
  const State on_device{Space::device(0), Format::Csr};
  EXPECT_EQ(seconds_of_share(multiply_key(csr, Precision::Float, "balanced"), 0), 0);
  EXPECT_EQ(seconds_of_share(multiply_key(csr, Precision::Float, "balanced"), 4), 0);
  EXPECT_EQ(seconds_of_share(multiply_key(csr, Precision::Float, "balanced"), 8), 4);
  EXPECT_EQ(seconds_of_share(multiply_key(csr, Precision::Float, "serial"), 8), 1);
  EXPECT_EQ(seconds_of_share(multiply_key(on_device, Precision::Float, "rows"), 8), 1);
}

TEST(ProfileMismatch, AProfileForTheShareItselfGoesBefore) {
  const Folder folder;
  Fingerprint share = here();
  share.threads = 2;
  keep_profile(folder.path(), here(), 1);
  keep_profile(folder.path(), share, 3);
  RuntimeOptions options;
  options.config_home = folder.path();
  options.profile_threads = 8;
  const ProfileChoice choice = choose_profile(options, share, Profile(share, {}));
  EXPECT_EQ(choice.profile.models().front().predict(Features{}).seconds, 3);
}

TEST(ProfileMismatch, FilesOfOtherNamesAreNotLookedAt) {
  const Folder folder;
  Fingerprint with_another = here();
  with_another.devices.push_back({"Third", "driver 3"});
  const auto file = keep_profile(folder.path(), with_another, 3);
  for (const std::string name : {"mine.json", "a-processor-8t.json.old"}) {
    std::filesystem::rename(file, file.parent_path() / name);
    EXPECT_EQ(chosen_seconds(folder.path()), 0) << name;
    std::filesystem::rename(file.parent_path() / name, file);
    EXPECT_EQ(chosen_seconds(folder.path()), 3);
  }
}

// Of several profiles that fit, the one that was made for exactly these devices, and then the first
// by name; one that cannot be used is passed over.
TEST(ProfileMismatch, OfSeveralThatFitTheOneForExactlyTheseDevicesIsTaken) {
  const Folder folder;
  EXPECT_EQ(chosen_seconds(folder.path()), 0);
  Fingerprint with_a_device_before = here();
  with_a_device_before.devices.insert(with_a_device_before.devices.begin(), {"0 device", "1"});
  Fingerprint with_a_device_after = here();
  with_a_device_after.devices.push_back({"Third", "driver 3"});
  static_cast<void>(keep_profile(folder.path(), with_a_device_after, 3));
  EXPECT_EQ(chosen_seconds(folder.path()), 3);
  static_cast<void>(keep_profile(folder.path(), with_a_device_before, 2));
  EXPECT_EQ(chosen_seconds(folder.path()), 2) << "the first by name";
  const auto exact = keep_profile(folder.path(), here(), 1);
  EXPECT_EQ(chosen_seconds(folder.path()), 1);
  std::ofstream(exact) << "{";
  EXPECT_EQ(chosen_seconds(folder.path()), 2) << "a damaged one is passed over";
}

}  // namespace
}  // namespace switchyard
