// `switchyard doctor`: a fine machine, and each thing that may be wrong with one.
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <switchyard/backends/operations.hpp>

#include "command_runner.hpp"
#include "models/synthetic.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

class Doctor : public CommandTest {
 protected:
  Doctor() {
    environment["SWITCHYARD_DEVICES"] = "none";
    environment["XDG_CACHE_HOME"] = file("cache");
    // Else PoCL would compile every kernel for every test.
    if (!std::getenv("POCL_CACHE_DIR")) {
      environment["POCL_CACHE_DIR"] = SWITCHYARD_TEST_CACHE "/pocl";
    }
    // What any machine that runs tests has.
    environment["OMP_NUM_THREADS"] = "1";
    environment["SWITCHYARD_HOST_BUDGET"] = "128M";
  }

  /// This machine, as its profile would describe it.
  Fingerprint here() {
    const Json host = run_json({"devices"})["host"];
    return {host["name"], host["threads"], SWITCHYARD_TEST_VERSION, {}};
  }
  std::string default_path() { return run_json({"devices"})["profile"]["path"]; }

  template <Element T>
  static void add_products(std::vector<CostModel>& models, const CostModel& model) {
    for (const auto& operation : multiply_operations<T>()) {
      if (operation.backend != Backend::OpenMP) continue;
      CostModel& copy = models.emplace_back(model);
      copy.key = multiply_key({Space::host(), operation.format}, operation.request(),
                              precision_of<T>, operation.variant);
    }
  }

  /// A profile of products on the host, in every state, that move so many bytes a second.
  static Profile profile_of(const Fingerprint& machine, double bytes_per_second) {
    const auto seconds = [=](const Features& f) {
      return 1e-9 + f[Quantity::Bytes] / bytes_per_second;
    };
    const ModelKey key = multiply_key({Space::host(), Format::Csr}, Precision::Float, "balanced");
    const CostModel model =
        fit_cost_model(key, synthetic::csr_products(60, 1, seconds), {}).value();
    std::vector<CostModel> models;
    add_products<float>(models, model);
    add_products<double>(models, model);
    Profile profile(machine, std::move(models));
    profile.created = "2026-01-02T03:04:05Z";
    return profile;
  }

  /// Runs it, and looks at the whole document.
  Json examine(int exit_code) {
    const Ended ended = run({"doctor", "--json"});
    EXPECT_EQ(ended.exit_code, exit_code) << ended.output << ended.errors;
    EXPECT_EQ(ended.errors.empty(), exit_code == 0) << ended.errors;
    Json document = Json::parse(ended.output, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << ended.output;
    for (const Json& check : document["checks"]) {
      EXPECT_FALSE(check["message"].get<std::string>().empty());
      EXPECT_TRUE(check["status"] != "ok" || check["remedy"].is_null()) << check;
    }
    return document;
  }

  /// The one thing that this check says.
  Json finding(const Json& document, const std::string& check) {
    Json found;
    for (const Json& one : document["checks"]) {
      if (one["name"] != check) continue;
      EXPECT_TRUE(found.is_null()) << document;
      found = one;
    }
    EXPECT_FALSE(found.is_null()) << check;
    return found;
  }

  void expect_finding(const Json& document, const std::string& check, const std::string& status,
                      const std::string& message, const std::string& remedy = {}) {
    const Json found = finding(document, check);
    EXPECT_EQ(found["status"], status) << found;
    EXPECT_NE(found["message"].get<std::string>().find(message), std::string::npos) << found;
    if (remedy.empty()) return;
    ASSERT_TRUE(found["remedy"].is_string()) << found;
    EXPECT_NE(found["remedy"].get<std::string>().find(remedy), std::string::npos) << found;
  }
};

TEST_F(Doctor, OnAFineMachineAllButTheDriftIsWell) {
  save_profile(profile_of(here(), 1e10), default_path());
  const Json document = examine(0);
  std::vector<std::string> names;
  for (const Json& check : document["checks"]) {
    names.push_back(check["name"]);
    // How fast this machine is, is not this test's to say, nor what day it is.
    const bool depends = check["name"] == "drift" || check["name"] == "profile";
    EXPECT_TRUE(depends || check["status"] == "ok") << check;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"environment", "devices", "kernels", "threads",
                                             "memory", "folders", "profile", "models", "drift"}));
  EXPECT_NE(
      finding(document, "drift")["message"].get<std::string>().find("multiplications on host"),
      std::string::npos);
}

TEST_F(Doctor, EachKernelOfEachDeviceIsBuilt) {
  environment.erase("SWITCHYARD_DEVICES");
  if (run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "there is no OpenCL device";
  const Json document = examine(0);
  bool built = false;
  for (const Json& check : document["checks"]) {
    if (check["name"] != "kernels") continue;
    EXPECT_EQ(check["status"], "ok") << check;
    built |= check["message"].get<std::string>().ends_with("of device0 compile");
  }
  EXPECT_TRUE(built) << document;
}

TEST_F(Doctor, WithoutADriverItSaysWhatToInstall) {
  environment.erase("SWITCHYARD_DEVICES");
  fs::create_directory(file("vendors"));
  // With a slash at its end, as one of the loaders wants it.
  environment["OCL_ICD_VENDORS"] = file("vendors") + "/";
  if (!run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "the loader looks elsewhere too";
  const Json document = examine(0);
  expect_finding(document, "devices", "warning", "no OpenCL device", "apt-get install");
  expect_finding(document, "devices", "warning", "no driver in " + file("vendors"));
}

TEST_F(Doctor, ADriverThatShowsNothingIsNamed) {
  environment.erase("SWITCHYARD_DEVICES");
  fs::create_directory(file("vendors"));
  write_file("vendors/broken.icd", "/no/such/library.so\n");
  environment["OCL_ICD_VENDORS"] = file("vendors") + "/";
  if (!run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "the loader looks elsewhere too";
  expect_finding(examine(0), "devices", "warning", "1 drivers in " + file("vendors"));
}

TEST_F(Doctor, ASelectionOfNoDeviceIsAProblem) {
  environment["SWITCHYARD_DEVICES"] = "no-such-device";
  expect_finding(examine(1), "devices", "problem", "'no-such-device' names no OpenCL device",
                 "SWITCHYARD_DEVICES");
}

TEST_F(Doctor, WithoutAProfileItSaysCalibrate) {
  const Json document = examine(0);
  EXPECT_EQ(document["status"], "warning");
  expect_finding(document, "profile", "warning", "not calibrated", "switchyard calibrate");
}

TEST_F(Doctor, AProfileOfAnotherMachineIsToldFieldByField) {
  const Fingerprint mine = here();
  environment["SWITCHYARD_PROFILE"] = file("a.json");
  const auto expect_unlike = [&](auto change, const std::string& message) {
    Fingerprint other = mine;
    change(other);
    save_profile(profile_of(other, 1e10), file("a.json"));
    expect_finding(examine(1), "profile", "problem", message, "switchyard calibrate");
  };
  expect_unlike([](Fingerprint& other) { other.cpu = "Elbrus"; }, "processor \"Elbrus\", here");
  expect_unlike([](Fingerprint& other) { other.library_version = "0.0"; },
                "library version \"0.0\", here");
  expect_unlike(
      [](Fingerprint& other) {
        other.cpu = "Elbrus";
        other.threads += 7;
      },
      "threads " + std::to_string(mine.threads + 7) + ", here " + std::to_string(mine.threads));
  Fingerprint other = mine;
  other.threads += 7;
  save_profile(profile_of(other, 1e10), file("a.json"));
  expect_finding(examine(1), "profile", "problem", "threads",
                 "export OMP_NUM_THREADS=" + std::to_string(mine.threads + 7));
}

TEST_F(Doctor, AProfileThatKnowsOtherDevicesIsToldApart) {
  environment.erase("SWITCHYARD_DEVICES");
  const Json devices = run_json({"devices"})["devices"];
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  Fingerprint mine = here();
  for (const Json& device : devices) mine.devices.push_back({device["name"], device["driver"]});
  environment["SWITCHYARD_PROFILE"] = file("a.json");
  const auto expect_unlike = [&](auto change, const std::string& message) {
    Fingerprint other = mine;
    change(other);
    save_profile(profile_of(other, 1e10), file("a.json"));
    expect_finding(examine(1), "profile", "problem", message, "switchyard calibrate");
  };
  expect_unlike([](Fingerprint& other) { other.devices[0].name = "GPU"; }, "device0 \"GPU\", here");
  expect_unlike([](Fingerprint& other) { other.devices[0].driver = "old"; },
                "driver of device0 \"old\", here");
}

TEST_F(Doctor, AProfileKeptForOtherThreadsIsFoundBesideItsPlace) {
  Fingerprint other = here();
  other.threads += 1;
  const fs::path folder = fs::path(default_path()).parent_path();
  save_profile(profile_of(other, 1e10), folder / "other.json");
  expect_finding(examine(1), "profile", "problem", "other.json does not fit this machine");
}

TEST_F(Doctor, AProfileWithoutProductsIsToldWhyItIsNotUsed) {
  save_profile(Profile(here(), {}), default_path());
  expect_finding(examine(1), "profile", "problem", "not used: the profile knows no product",
                 "switchyard calibrate");
}

TEST_F(Doctor, AnOldProfileIsAWarning) {
  Profile profile = profile_of(here(), 1e10);
  profile.created = "2020-01-02T03:04:05Z";
  save_profile(profile, default_path());
  expect_finding(examine(0), "profile", "warning", "days ago", "switchyard calibrate");
}

TEST_F(Doctor, ACorruptProfileIsAProblem) {
  const std::string path = default_path();
  save_profile(profile_of(here(), 1e10), path);
  fs::resize_file(path, fs::file_size(path) / 2);
  expect_finding(examine(1), "profile", "problem", path, "switchyard calibrate");
  environment["SWITCHYARD_PROFILE"] = file("absent.json");
  expect_finding(examine(1), "profile", "problem", "which does not exist",
                 "unset SWITCHYARD_PROFILE");
  environment["SWITCHYARD_PROFILE"] = file("config");
  expect_finding(examine(1), "profile", "problem", "no ordinary file", "remove it");
}

TEST_F(Doctor, WeakModelsAreAWarning) {
  Profile sound = profile_of(here(), 1e10);
  std::vector<CostModel> models = sound.models();
  for (CostModel& model : models) {
    model.quality.median_error = 0.5;
    model.quality.p95_error = 0.6;
  }
  save_profile(Profile(sound.fingerprint(), models), default_path());
  expect_finding(examine(0), "models", "warning", " are inaccurate, for example multiply",
                 "--thorough");
}

TEST_F(Doctor, StatesThatRunOnBuiltInPredictionsAreNamed) {
  Profile sound = profile_of(here(), 1e10);
  std::vector<CostModel> models = sound.models();
  std::erase_if(models, [](const CostModel& model) {
    return model.key.from.format == Format::Csr && model.key.precision == Precision::Double;
  });
  save_profile(Profile(sound.fingerprint(), models), default_path());
  const std::string findings = examine(0)["checks"].dump();
  EXPECT_NE(findings.find(" are used for csr@host (double)"), std::string::npos) << findings;
  EXPECT_EQ(run_json({"devices"})["profile"]["built_in_states"],
            Json::array({"csr@host (double)"}));
  EXPECT_NE(run({"devices"}).output.find("built-in predictions"), std::string::npos);
}

TEST_F(Doctor, APredictionFarTooFastIsDrift) {
  // No processor moves ten terabytes in a second.
  save_profile(profile_of(here(), 1e14), default_path());
  expect_finding(examine(0), "drift", "warning", "multiplications on host take",
                 "switchyard calibrate");
}

TEST_F(Doctor, TooManyThreadsAreAWarning) {
  environment["OMP_NUM_THREADS"] = "500";
  environment["OMP_WAIT_POLICY"] = "passive";
  expect_finding(examine(0), "threads", "warning", "500 threads, but", "export OMP_NUM_THREADS=");
  environment["OMP_NUM_THREADS"] = "two";
  const Ended ended = run({"doctor"});
  EXPECT_NE(ended.output.find("OMP_NUM_THREADS is 'two', which is no number"), std::string::npos)
      << ended.output;
}

TEST_F(Doctor, VariablesThatAreOffAreProblemsAndNothingElseStops) {
  environment["SWITCHYARD_HOST_BUDGET"] = "lots";
  environment["SWITCHYARD_REPRODUCIBLE"] = "maybe";
  const Json document = examine(1);
  Index problems = 0;
  for (const Json& check : document["checks"]) {
    if (check["name"] != "environment") continue;
    EXPECT_EQ(check["status"], "problem");
    ++problems;
  }
  EXPECT_EQ(problems, 2);
  expect_finding(document, "profile", "warning", "not calibrated");
}

TEST_F(Doctor, VariablesThatMeanNothingAreWarnings) {
  environment["SWITCHYARD_DEVICE"] = "0";
  expect_finding(examine(0), "environment", "warning", "SWITCHYARD_DEVICE is set but unknown",
                 "unset SWITCHYARD_DEVICE");
  environment.erase("SWITCHYARD_DEVICE");
  environment["XDG_CONFIG_HOME"] = "relative/path";
  environment["HOME"] = file("home");
  expect_finding(examine(0), "environment", "warning", "XDG_CONFIG_HOME is 'relative/path'");
}

TEST_F(Doctor, BudgetsThatFitNothingOrTooMuchAreTold) {
  environment["SWITCHYARD_HOST_BUDGET"] = "0";
  expect_finding(examine(1), "memory", "problem", "the budget of host is 0",
                 "unset SWITCHYARD_HOST_BUDGET");
  environment["SWITCHYARD_HOST_BUDGET"] = "900T";
  expect_finding(examine(0), "memory", "warning", "more than the",
                 "export SWITCHYARD_HOST_BUDGET=");
}

TEST_F(Doctor, FoldersThatCannotBeWrittenAreTold) {
  write_file("config", "");
  expect_finding(examine(1), "folders", "problem", "config is no folder", "XDG_CONFIG_HOME");
  environment["XDG_CONFIG_HOME"] = file("fine");
  write_file("cache", "");
  expect_finding(examine(0), "folders", "warning", "cache is no folder", "XDG_CACHE_HOME");
  environment["XDG_CACHE_HOME"] = file("other");
  environment["XDG_CONFIG_HOME"] = "";
  environment["HOME"] = "";
  expect_finding(examine(1), "folders", "problem", "no folder for a profile", "XDG_CONFIG_HOME");
}

TEST_F(Doctor, KernelsOfAFolderThatOthersMayWriteAreNotTrusted) {
  environment.erase("SWITCHYARD_DEVICES");
  if (run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "there is no OpenCL device";
  const fs::path folder = file("cache/switchyard/kernels");
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::all);
  bool told = false;
  const Json document = examine(0);
  for (const Json& check : document["checks"]) {
    if (check["name"] != "kernels" || check["status"] == "ok") continue;
    EXPECT_NE(check["message"].get<std::string>().find("others may write to it"), std::string::npos)
        << check;
    told = true;
  }
  EXPECT_TRUE(told);
}

TEST_F(Doctor, PeopleGetALineForEachThenWhatToType) {
  environment["OMP_NUM_THREADS"] = "two";
  const Ended ended = run({"doctor"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.output.find("\nwarning  threads      OMP_NUM_THREADS is 'two'"),
            std::string::npos)
      << ended.output;
  EXPECT_NE(ended.output.find("\nWhat to do:\n"), std::string::npos);
  EXPECT_NE(ended.output.find("\n  - export OMP_NUM_THREADS="), std::string::npos);
  EXPECT_EQ(ended.output.find('\033'), std::string::npos);
  std::istringstream lines(ended.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(Doctor, AProblemIsAlsoOneLineOnStandardError) {
  environment["SWITCHYARD_HOST_BUDGET"] = "0";
  const Ended ended = run({"doctor"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.errors, "switchyard: error: 1 problem was found\n");
  EXPECT_NE(ended.output.find("problem  memory"), std::string::npos) << ended.output;
}

TEST_F(Doctor, ColourIsForTerminalsThatWantIt) {
  if (!has_terminals()) GTEST_SKIP() << "there are no pseudo-terminals";
  const auto shown = [&](const char* no_colour) {
    environment["NO_COLOR"] = no_colour;
    environment["TERM"] = "xterm";
    int terminal = -1;
    int end = -1;
    EXPECT_EQ(openpty(&terminal, &end, nullptr, nullptr, nullptr), 0);
    in_child = [&] { dup2(end, STDOUT_FILENO); };
    const pid_t child = start({"doctor"});
    close(end);
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = read(terminal, piece, sizeof piece)) > 0;) {
      text.append(piece, static_cast<std::size_t>(got));
    }
    close(terminal);
    EXPECT_EQ(wait(child).exit_code, 0);
    return text;
  };
  EXPECT_NE(shown("").find("\033[32mok\033[0m"), std::string::npos);
  EXPECT_EQ(shown("1").find('\033'), std::string::npos);
}

}  // namespace
}  // namespace switchyard::test
