// Saving a profile while everything goes wrong: the old one is there, or the new one, and whole.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <switchyard/containers/error.hpp>
#include <system_error>
#include <vector>

#include "models/failing_files.hpp"
#include "models/synthetic.hpp"

namespace switchyard {
namespace {

namespace fs = std::filesystem;
using test::FailingFiles;
using test::Mishap;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ProfileSaving : public testing::Test {
 protected:
  ProfileSaving() : old_(synthetic::small_profile()), new_(synthetic::small_profile()) {
    new_.created = "2026-01-01T00:00:00Z";
    std::string folder = (fs::temp_directory_path() / "switchyard-saving-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw std::runtime_error("no temporary folder");
    folder_ = folder;
    file_ = folder_ / "profile.json";
  }
  ~ProfileSaving() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  /// How many calls saving makes.
  [[nodiscard]] std::size_t steps() const {
    const FailingFiles counting(Mishap::None, 0);
    save_profile(new_, file_);
    return counting.calls();
  }

  Profile old_;
  Profile new_;
  fs::path folder_;
  fs::path file_;
};

/// Runs `work` in a child process and returns how that ended.
template <class Work>
int status_of_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(ProfileSaving, KilledAtAnyStepTheOldOneIsThereOrTheNewOne) {
  const std::size_t all = steps();
  ASSERT_GE(all, 5U);  // open, write, fsync, close, rename
  const std::string old_text = profile_to_json(old_);
  const std::string new_text = profile_to_json(new_);
  int kept = 0;
  int replaced = 0;
  for (const Mishap mishap : {Mishap::KillBefore, Mishap::KillHalfway, Mishap::KillAfter}) {
    for (std::size_t step = 0; step < all; ++step) {
      save_profile(old_, file_);
      const int status = status_of_child([&] {
        const FailingFiles failing(mishap, step);
        save_profile(new_, file_);
      });
      ASSERT_TRUE(WIFSIGNALED(status)) << step;
      const std::string text = text_of(file_);
      ASSERT_TRUE(text == old_text || text == new_text) << step;
      ++(text == old_text ? kept : replaced);
      EXPECT_NO_THROW(static_cast<void>(load_profile(file_)));
    }
  }
  EXPECT_GT(kept, 10);
  EXPECT_GE(replaced, 1);
}

TEST_F(ProfileSaving, KilledAtAnyStepOfTheFirstOneThereIsNoneOrAWholeOne) {
  const std::size_t all = steps();
  for (std::size_t step = 0; step < all; ++step) {
    fs::remove(file_);
    status_of_child([&] {
      const FailingFiles failing(Mishap::KillHalfway, step);
      save_profile(new_, file_);
    });
    EXPECT_TRUE(!fs::exists(file_) || text_of(file_) == profile_to_json(new_)) << step;
  }
}

TEST_F(ProfileSaving, AFailureAtAnyStepLeavesTheOldOneAndNothingElse) {
  const std::size_t all = steps();
  save_profile(old_, file_);
  for (const int error : {ENOSPC, EIO, EDQUOT, EROFS, EACCES}) {
    for (std::size_t step = 0; step < all; ++step) {
      SCOPED_TRACE(testing::Message() << "error " << error << " at step " << step);
      std::string message;
      ErrorCode code = ErrorCode::Internal;
      try {
        const FailingFiles failing(Mishap::Fail, step, error);
        save_profile(new_, file_);
      } catch (const Error& failure) {
        code = failure.code();
        message = failure.what();
      }
      EXPECT_EQ(code, ErrorCode::IoError);
      EXPECT_NE(message.find(std::generic_category().message(error)), std::string::npos) << message;
      EXPECT_EQ(text_of(file_), profile_to_json(old_));
      EXPECT_EQ(files(), 1U);
    }
  }
}

TEST_F(ProfileSaving, WritesThatAreShortOrInterruptedAreGoneOnWith) {
  for (const Mishap mishap : {Mishap::Half, Mishap::Interrupt}) {
    save_profile(old_, file_);
    const FailingFiles failing(mishap, 1);
    save_profile(new_, file_);
    EXPECT_EQ(text_of(file_), profile_to_json(new_));
  }
}

TEST_F(ProfileSaving, WithoutRoomTheOldOneStays) {
  save_profile(old_, file_);
  const int status = status_of_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      save_profile(new_, file_);
    } catch (const Error& error) {
      _exit(error.code() == ErrorCode::IoError ? 3 : 4);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(text_of(file_), profile_to_json(old_));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ProfileSaving, WorksWithoutStandardInput) {
  // The file is then opened as descriptor 0.
  const int status = status_of_child([&] {
    ::close(STDIN_FILENO);
    try {
      save_profile(new_, file_);
    } catch (const Error&) {
      _exit(3);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(text_of(file_), profile_to_json(new_));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ProfileSaving, SeveralProcessesAtOnceLeaveOneThatIsWhole) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int j = 0; j < 50; ++j) save_profile(j % 2 ? old_ : new_, file_);
      _exit(0);
    }
    children.push_back(child);
  }
  for (int i = 0; i < 200; ++i) {
    if (!fs::exists(file_)) continue;
    EXPECT_NO_THROW(static_cast<void>(load_profile(file_)));
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_NO_THROW(static_cast<void>(load_profile(file_)));
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace switchyard
