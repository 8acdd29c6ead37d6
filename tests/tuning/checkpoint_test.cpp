// Checkpoints that were cut, damaged, taken from elsewhere, or are in use.
#include "checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/log.hpp>

namespace switchyard {
namespace {

namespace fs = std::filesystem;

Fingerprint machine_with_a_device() {
  return {.cpu = "a cpu", .threads = 2, .library_version = "1", .devices = {{"one", "two"}}};
}

KeyedSample some_sample() {
  KeyedSample sample;
  sample.key = multiply_key({Space::device(1), Format::Csr}, Precision::Double, "vector");
  sample.sample.seconds = 1.0 / 3;
  sample.sample.features[Quantity::Bytes] = 1e10 / 7;
  return sample;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of its own for each test, with a checkpoint of three experiments to begin with.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    std::string folder = (fs::temp_directory_path() / "switchyard-checkpoint-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
    folder_ = folder;
    file_ = folder_ / "a.json.partial";
    Checkpoint checkpoint(file_, machine_with_a_device(), false);
    checkpoint.add("one", {some_sample()});
    checkpoint.add("two", {});
    checkpoint.add("three", {some_sample(), some_sample()});
  }
  ~CheckpointTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << text;
  }
  [[nodiscard]] FinishedExperiments resumed() const {
    return Checkpoint(file_, machine_with_a_device(), true).finished();
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(CheckpointTest, KeepsSamplesExactly) {
  const auto finished = resumed();
  ASSERT_EQ(finished.size(), 3U);
  EXPECT_TRUE(finished.at("two").empty());
  EXPECT_EQ(finished.at("three").size(), 2U);
  const KeyedSample& kept = finished.at("one").at(0);
  EXPECT_EQ(kept.key, some_sample().key);
  EXPECT_EQ(kept.sample.seconds, some_sample().sample.seconds);
  EXPECT_EQ(kept.sample.features.values, some_sample().sample.features.values);
}

TEST_F(CheckpointTest, KeepsTheRequest) {
  KeyedSample sample = some_sample();
  sample.key =
      multiply_key({Space::host(), Format::Csr}, {Operand::Transpose, 8}, Precision::Float, "rows");
  Checkpoint(file_, machine_with_a_device(), true).add("four", {sample});
  EXPECT_EQ(resumed().at("four").at(0).key, sample.key);
}

TEST_F(CheckpointTest, ATimeThatIsNoNumberIsKeptToo) {
  KeyedSample sample = some_sample();
  sample.disturbed = true;
  sample.sample.seconds = std::nan("");
  Checkpoint(file_, machine_with_a_device(), true).add("four", {sample});
  EXPECT_TRUE(std::isnan(resumed().at("four").at(0).sample.seconds));
  EXPECT_TRUE(resumed().at("four").at(0).disturbed);
  EXPECT_FALSE(resumed().at("one").at(0).disturbed);
}

TEST_F(CheckpointTest, ANameThatIsNoTextIsStillOfThisMachine) {
  Fingerprint odd = machine_with_a_device();
  odd.cpu = "caf\xe9";
  Checkpoint(file_, odd, false).add("one", {some_sample()});
  EXPECT_EQ(Checkpoint(file_, odd, true).finished().size(), 1U);
}

TEST_F(CheckpointTest, BegunAnewItForgets) {
  EXPECT_TRUE(Checkpoint(file_, machine_with_a_device(), false).finished().empty());
  EXPECT_TRUE(resumed().empty());
}

TEST_F(CheckpointTest, CutAnywhereItKeepsTheWholeLinesAndCanBeGoneOnWith) {
  const std::string whole = text_of(file_);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(whole.substr(0, size));
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n');
    {
      Checkpoint checkpoint(file_, machine_with_a_device(), true);
      ASSERT_EQ(checkpoint.finished().size(), static_cast<std::size_t>(std::max(lines - 1, 0L)))
          << size;
      checkpoint.add("more", {some_sample()});
    }
    ASSERT_TRUE(resumed().contains("more")) << size;
  }
}

TEST_F(CheckpointTest, ThatNothingCanBeContinuedIsTold) {
  std::vector<std::string> heard;
  set_log_level(LogLevel::Warning);
  set_log_sink([&](LogLevel, std::string_view line) { heard.emplace_back(line); });
  static_cast<void>(resumed());
  EXPECT_TRUE(heard.empty());
  for (const char* const text : {"", "half a line"}) {
    write(text);
    static_cast<void>(Checkpoint(file_, machine_with_a_device(), true));
  }
  std::filesystem::remove(file_);
  static_cast<void>(Checkpoint(file_, machine_with_a_device(), true));
  static_cast<void>(Checkpoint(file_, machine_with_a_device(), false));
  set_log_sink({});
  set_log_level(LogLevel::Off);
  ASSERT_EQ(heard.size(), 3U);
  for (const std::string& line : heard) {
    EXPECT_EQ(line.find("there is nothing to continue in "), 0U) << line;
  }
}

TEST_F(CheckpointTest, ResumingWritesNothingThatIsWholeAgain) {
  const std::string before = text_of(file_);
  ASSERT_EQ(resumed().size(), 3U);
  EXPECT_EQ(text_of(file_), before);
}

TEST_F(CheckpointTest, EveryByteDamagedNeverCrashesAndHurtsOneLineOnly) {
  const std::string whole = text_of(file_);
  const std::size_t first_line = whole.find('\n');
  for (const char damage : {'\0', '\n', '"', '}', '\xff', '7'}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = damage;
      write(damaged);
      const auto finished = resumed();
      // Two lines are lost where the end between them is.
      if (i > first_line) {
        ASSERT_GE(finished.size(), 1U) << i;
      }
    }
  }
}

/// A line of one sample with those beginnings, and as many quantities as there are.
std::string line_of(const std::string& key, const std::string& request = "0,false") {
  std::string zeros = "0";
  for (std::size_t q = 1; q < quantity_count; ++q) zeros += ",0";
  return R"({"experiment":"x","samples":[[)" + key + "," + request + ",[" + zeros + "],1]]}";
}

TEST_F(CheckpointTest, RubbishIsLeftOut) {
  const std::string machine = text_of(file_).substr(0, text_of(file_).find('\n') + 1);
  const std::string lines[] = {
      "",
      "null",
      "[]",
      R"({"experiment":1,"samples":[]})",
      R"({"experiment":"x"})",
      R"({"experiment":"x","samples":[[0,"csr@host","csr@host",0,"v",0,false,[1],1]]})",
      line_of(R"(9,"csr@host","csr@host",0,"v")"),
      line_of(R"(0,"csr@mars","csr@host",0,"v")"),
      line_of(R"(0,"csr@host","csr@host",0,"v")", "2,false"),
      line_of(R"(0,"csr@host","csr@host",0,"v")", "0,7"),
      // A product from one state to another, a transfer of a format, a request of a conversion: no
      // profile could hold them.
      line_of(R"(0,"csr@host","dense@host",0,"v")"),
      line_of(R"(2,"csr@host","csr@device0",0,"")"),
      line_of(R"(1,"csr@host","dense@host",0,"")", "1,false"),
      std::string(100'000, '['),
      std::string(100'000, '\0'),
  };
  for (const std::string& line : lines) {
    write(machine + line + '\n');
    EXPECT_TRUE(resumed().empty()) << line.substr(0, 100);
  }
  for (const std::string& good : {line_of(R"(0,"csr@host","csr@host",0,"v")"),
                                  line_of(R"(0,"csr@host","csr@host",0,"v")", "1,true"),
                                  line_of(R"(1,"csr@host","dense@host",0,"")")}) {
    write(machine + good + '\n');
    EXPECT_EQ(resumed().size(), 1U) << good;
  }
}

TEST_F(CheckpointTest, OfAnotherMachineCountsForNothing) {
  const auto expect_foreign = [&](auto change) {
    Fingerprint other = machine_with_a_device();
    change(other);
    { Checkpoint(file_, machine_with_a_device(), false).add("one", {some_sample()}); }
    EXPECT_TRUE(Checkpoint(file_, other, true).finished().empty());
    // And is of the other one now.
    EXPECT_TRUE(resumed().empty());
  };
  expect_foreign([](Fingerprint& other) { other.cpu = "another"; });
  expect_foreign([](Fingerprint& other) { other.threads = 3; });
  expect_foreign([](Fingerprint& other) { other.library_version = "2"; });
  expect_foreign([](Fingerprint& other) { other.devices[0].name = "x"; });
  expect_foreign([](Fingerprint& other) { other.devices[0].driver = "x"; });
  expect_foreign([](Fingerprint& other) { other.devices.clear(); });
}

/// The code and the message of what `work` throws.
template <class Work>
std::string failure_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::IoError);
    return error.what();
  }
  return "nothing";
}

TEST_F(CheckpointTest, WhatCannotBeWrittenIsAnError) {
  const auto open = [](const fs::path& file) {
    return failure_of([&] { Checkpoint(file, machine_with_a_device(), true); });
  };
  EXPECT_NE(open("/proc/no/such/place").find("cannot write"), std::string::npos);
  EXPECT_NE(open(folder_).find("Is a directory"), std::string::npos);
  EXPECT_NE(open(file_ / "x").find("Not a directory"), std::string::npos);
  EXPECT_NE(open("/dev/full").find("no ordinary file"), std::string::npos);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(open(pipe).find("no ordinary file"), std::string::npos);
  const fs::path link = folder_ / "link";
  fs::create_symlink(file_, link);
  EXPECT_NE(open(link), "nothing");
  EXPECT_EQ(resumed().size(), 3U);
}

TEST_F(CheckpointTest, OneProcessAtATime) {
  const Checkpoint first(file_, machine_with_a_device(), true);
  for (const bool resume : {false, true}) {
    const std::string failure =
        failure_of([&] { Checkpoint(file_, machine_with_a_device(), resume); });
    EXPECT_NE(failure.find("another process is calibrating"), std::string::npos) << failure;
  }
  EXPECT_EQ(first.finished().size(), 3U);
}

TEST_F(CheckpointTest, AfterTheOtherOneHasEndedItIsFree) {
  Checkpoint(file_, machine_with_a_device(), true).remove();
  EXPECT_FALSE(fs::exists(file_));
  Checkpoint(file_, machine_with_a_device(), true).add("one", {});
  EXPECT_EQ(resumed().size(), 1U);
}

TEST_F(CheckpointTest, OnAFullDiskAllBeforeIsKept) {
  const auto size = fs::file_size(file_);
  const pid_t child = fork();
  if (child == 0) {
    // No disk is at hand that could be filled; a file that may not grow fails likewise.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size + 50, size + 50};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      Checkpoint(file_, machine_with_a_device(), true).add("four", {some_sample()});
    } catch (const Error& error) {
      _exit(error.code() == ErrorCode::IoError ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fs::file_size(file_), size);
  EXPECT_EQ(resumed().size(), 3U);
}

}  // namespace
}  // namespace switchyard
