// The building of kernels, and the binaries kept on disk.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <switchyard/containers/log.hpp>
#include <thread>

#include "all_programs.hpp"
#include "opencl/binary_cache.hpp"
#include "opencl/build_lock.hpp"
#include "opencl/errors.hpp"
#include "opencl/platforms.hpp"
#include "opencl_fixture.hpp"
#include "test_folder.hpp"

namespace switchyard::opencl::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> programs = all_programs();

class OpenClBuild : public OnDevice {
 protected:
  /// The first device's kernels, compiled ones kept in `folder`.
  static KernelCache cache(const fs::path& folder = {}) {
    const FoundDevice found = find_devices().front();
    BuildFiles files = build_files_for(found.platform);
    files.binaries = folder;
    return {cl::Context(found.device), found.device, tuning_of(found.facts), files};
  }
};

TEST_F(OpenClBuild, ProgramsAreBuiltWhenAsked) {
  const auto opened = open_opencl_devices("0");
  Executor& executor = *opened.front();
  EXPECT_TRUE(executor.built("", Precision::Double));
  for (const std::string& program : programs) {
    EXPECT_FALSE(executor.built(program, Precision::Float));
    executor.build(program, Precision::Float);
    EXPECT_TRUE(executor.built(program, Precision::Float));
    EXPECT_FALSE(executor.built(program, Precision::Double));
    executor.build(program, Precision::Float);
  }
}

TEST_F(OpenClBuild, AnUnknownProgramIsAnError) {
  EXPECT_FALSE(device().built("no_such_program", Precision::Float));
  EXPECT_THROW(device().build("no_such_program", Precision::Float), Error);
  EXPECT_THROW((void)device().kernel({"dense_multiply"}, "no_such_kernel"), Error);
}

TEST_F(OpenClBuild, DoubleOnADeviceWithoutItIsUnsupported) {
  const FoundDevice found = find_devices().front();
  const cl::Device& first = found.device;
  ExecutorFacts facts = found.facts;
  facts.supports_double = false;
  const cl::Context context(first);
  Device single(facts, memory(), context, std::make_shared<InOrderQueue>(context, first), first,
                build_files_for(found.platform));
  EXPECT_FALSE(single.built("dense_multiply", Precision::Double));
  for (const auto& ask : std::vector<std::function<void()>>{
           [&] { single.build("dense_multiply", Precision::Double); },
           [&] {
             (void)single.kernel({"csr_multiply", Precision::Double}, "csr_scalar");
           }}) {
    try {
      ask();
      ADD_FAILURE() << "double precision was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Unsupported);
    }
  }
  single.build("dense_multiply", Precision::Float);
}

// Kernel names, not a broken file, since all files here compile.
TEST_F(OpenClBuild, ThreadsThatWantTheSameProgramGetTheSameKernel) {
  KernelCache kernels = cache();
  std::vector<std::thread> threads;
  std::vector<Kernel*> got(8, nullptr);
  for (std::size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      got[t] =
          &kernels.kernel({"csr_multiply", Precision::Float, OffsetWidth::Narrow}, "csr_vector");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got, std::vector<Kernel*>(8, got[0]));
}

TEST_F(OpenClBuild, BinariesAreKeptAndUsedAgain) {
  const Folder folder;
  const ProgramKey key{"csr_to_dense", Precision::Float, OffsetWidth::Wide};
  cache(folder.path()).build(key);
  ASSERT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  const fs::path file = fs::directory_iterator(folder.path())->path();
  const auto written = fs::last_write_time(file);
  cache(folder.path()).build(key);
  EXPECT_EQ(fs::last_write_time(file), written) << "it was built from source again";
  // A damaged one is not used, and replaced.
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary | std::ios::ate) << "x";
  const auto damaged_size = fs::file_size(file);
  cache(folder.path()).build(key);
  EXPECT_EQ(fs::file_size(file), damaged_size - 1);
}

TEST(OpenClBinaryCache, KeepsWhatItIsGiven) {
  const Folder folder;
  const BinaryCache cache(folder.path() / "a" / "b");
  const Binary binary{0, 1, 2, '\n', 255};
  EXPECT_EQ(cache.load("key"), std::nullopt);
  cache.store("key", binary);
  EXPECT_EQ(cache.load("key"), binary);
  EXPECT_EQ(cache.load("other key"), std::nullopt);
  cache.store("key", {});
  EXPECT_EQ(cache.load("key"), Binary{});
}

TEST(OpenClBinaryCache, TakesNothingThatOthersCanWrite) {
  const Folder folder;
  const BinaryCache cache(folder.path());
  cache.store("key", {1, 2, 3});
  const fs::path file = fs::directory_iterator(folder.path())->path();
  ASSERT_TRUE(cache.load("key").has_value());
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(cache.load("key"), std::nullopt);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_TRUE(cache.load("key").has_value());
  fs::permissions(folder.path(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache.load("key"), std::nullopt);
  cache.store("another", {1});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(OpenClBinaryCache, FollowsNoLink) {
  const Folder folder;
  const BinaryCache cache(folder.path());
  cache.store("key", {1, 2, 3});
  const fs::path file = fs::directory_iterator(folder.path())->path();
  fs::rename(file, folder.path() / "elsewhere");
  fs::create_symlink(folder.path() / "elsewhere", file);
  EXPECT_EQ(cache.load("key"), std::nullopt);
}

TEST(OpenClBinaryCache, FollowsNoLinkToAFolder) {
  const Folder folder;
  const BinaryCache cache(folder.path() / "real");
  cache.store("key", {1, 2, 3});
  fs::create_directory_symlink(folder.path() / "real", folder.path() / "link");
  const BinaryCache linked(folder.path() / "link");
  EXPECT_EQ(linked.load("key"), std::nullopt);
  linked.store("another", {1});
  EXPECT_EQ(cache.load("another"), std::nullopt);
}

TEST(OpenClBinaryCache, TakesNothingThatIsAnothersOrNoFile) {
  const Folder folder;
  const BinaryCache cache(folder.path());
  cache.store("key", {1, 2, 3});
  const fs::path file = fs::directory_iterator(folder.path())->path();
  fs::rename(file, folder.path() / "kept");
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.load("key"), std::nullopt);  // and does not wait for who might write to it
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(cache.load("key"), std::nullopt);
  fs::remove(file);
  fs::rename(folder.path() / "kept", file);
  ASSERT_TRUE(cache.load("key").has_value());
  constexpr uid_t another = 65534;
  if (chown(file.c_str(), another, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "only root can give files to another user";
  }
  EXPECT_EQ(cache.load("key"), std::nullopt);
  ASSERT_EQ(chown(file.c_str(), geteuid(), static_cast<gid_t>(-1)), 0);
  ASSERT_TRUE(cache.load("key").has_value());
  ASSERT_EQ(chown(folder.path().c_str(), another, static_cast<gid_t>(-1)), 0);
  EXPECT_EQ(cache.load("key"), std::nullopt);
  cache.store("another", {1});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(OpenClBinaryCache, AnyDamageIsSeen) {
  const Folder folder;
  const BinaryCache cache(folder.path());
  cache.store("key", {1, 2, 3, 4, 5, 6, 7, 8});
  const fs::path file = fs::directory_iterator(folder.path())->path();
  std::ifstream in(file, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, i);
    EXPECT_EQ(cache.load("key"), std::nullopt) << "cut at " << i;
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << flipped;
    EXPECT_EQ(cache.load("key"), std::nullopt) << "flipped at " << i;
  }
}

TEST(OpenClBinaryCache, WithoutAFolderNothingIsKept) {
  const BinaryCache nowhere{fs::path{}};
  nowhere.store("key", {1});
  EXPECT_EQ(nowhere.load("key"), std::nullopt);
  const BinaryCache impossible{fs::path("/dev/null/kernels")};
  impossible.store("key", {1});
  EXPECT_EQ(impossible.load("key"), std::nullopt);
}

TEST(OpenClBuildLock, OneAtATime) {
  const Folder folder;
  const fs::path file = folder.path() / "deep" / "lock";
  {
    const BuildLock first(file);
    EXPECT_TRUE(first.held());
    EXPECT_FALSE(BuildLock(file, {.most = std::chrono::milliseconds(20)}).held());
  }
  EXPECT_TRUE(BuildLock(file).held());
}

/// The lines that are logged while it lives.
class LoggedLines {
 public:
  LoggedLines() {
    set_log_level(LogLevel::Warning);
    set_log_sink([this](LogLevel, std::string_view line) { text_ += std::string(line) + "\n"; });
  }
  ~LoggedLines() { set_log_sink({}); }
  LoggedLines(const LoggedLines&) = delete;
  LoggedLines& operator=(const LoggedLines&) = delete;
  [[nodiscard]] bool has(std::string_view words) const { return text_.find(words) != text_.npos; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

TEST(OpenClBuildLock, AWaitIsTold) {
  const Folder folder;
  const BuildLock first(folder.path() / "lock");
  const LoggedLines lines;
  const BuildLock second(folder.path() / "lock", {.most = std::chrono::milliseconds(40),
                                                  .silent = std::chrono::milliseconds(10)});
  EXPECT_FALSE(second.held());
  EXPECT_TRUE(lines.has("waiting for process " + std::to_string(::getpid()))) << lines.text();
  EXPECT_TRUE(lines.has("kernels are built without the lock")) << lines.text();
}

TEST(OpenClBuildLock, AStoppedHolderIsNotWaitedFor) {
  const Folder folder;
  const fs::path file = folder.path() / "lock";
  const pid_t holder = ::fork();
  if (holder == 0) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT, 0600);
    if (descriptor >= 0 && ::flock(descriptor, LOCK_EX) == 0) ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(holder, &status, WUNTRACED), holder);
  ASSERT_TRUE(WIFSTOPPED(status));
  {
    const LoggedLines lines;
    const BuildLock lock(file,
                         {.most = std::chrono::hours(1), .silent = std::chrono::milliseconds(10)});
    EXPECT_FALSE(lock.held());
    EXPECT_TRUE(lines.has("is stopped")) << lines.text();
  }
  ::kill(holder, SIGKILL);
  ::waitpid(holder, &status, 0);
  EXPECT_TRUE(BuildLock(file).held());
}

TEST(OpenClBuildLock, WithoutAFileBuildingGoesOn) {
  EXPECT_FALSE(BuildLock(fs::path{}).held());
  EXPECT_FALSE(BuildLock("/dev/null/lock").held());
}

TEST_F(OpenClBuild, AFailedBuildCarriesTheCompilersLog) {
  const cl::Device first = find_devices().front().device;
  try {
    translating("the device", [&] {
      cl::Program broken(cl::Context(first), std::string("__kernel void f() { surely_not(); }"));
      broken.build(first);
    });
    FAIL() << "it was built";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BuildFailed);
    EXPECT_NE(std::string(error.what()).find("surely_not"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
