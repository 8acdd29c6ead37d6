// A file is replaced at once or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/output_file.hpp>

namespace switchyard {
namespace {

namespace fs = std::filesystem;

/// A folder of its own with a file "old" in it.
class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "switchyard-output-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(old_file()) << "old";
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path old_file() const { return folder_ / "old"; }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replace(const fs::path& file, std::string_view text) {
  OutputFile output(file);
  output.write(text);
  output.commit();
}

TEST_F(OutputFileTest, TheOldFileStaysUntilTheNewOneIsCommitted) {
  {
    OutputFile output(old_file());
    output.write("half of");
    EXPECT_EQ(contents(old_file()), "old");
  }
  EXPECT_EQ(contents(old_file()), "old");
  EXPECT_EQ(files(), 1) << "what was not committed is gone";
  replace(old_file(), "new");
  EXPECT_EQ(contents(old_file()), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, WorksWithoutStandardInput) {
  // The file is then opened as descriptor 0.
  const pid_t child = fork();
  if (child == 0) {
    ::close(STDIN_FILENO);
    try {
      replace(old_file(), "new");
    } catch (const Error&) {
      _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(contents(old_file()), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, AFileLeftBehindIsNeitherWrittenNorRemoved) {
  // A killed program of the same process id may have left files under the names that are tried.
  {
    const OutputFile unfinished(old_file());
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path() != old_file()) fs::copy(entry.path(), folder_ / "left");
    }
    const OutputFile another(old_file());
    EXPECT_EQ(files(), 4) << "old, its copy, and two that are being written";
  }
  EXPECT_EQ(files(), 2);
  EXPECT_EQ(contents(old_file()), "old");
}

TEST_F(OutputFileTest, IsReadableAsTheUserSaid) {
  const mode_t before = umask(027);
  replace(folder_ / "fresh", "text");
  umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder_ / "fresh").permissions()), 0640U);
}

TEST_F(OutputFileTest, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_symlink(old_file(), folder_ / "link");
  replace(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(old_file()), "new");
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFileTest, ADeviceIsWrittenToAndAFolderRefused) {
  EXPECT_NO_THROW(replace("/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(replace("/dev/full", "text"), Error);
  for (const fs::path& bad : {folder_, folder_ / "absent" / "file"}) {
    try {
      replace(bad, "text");
      ADD_FAILURE() << bad << " was written";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::IoError);
      EXPECT_EQ(error.where(), bad.string());
    }
  }
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace switchyard
