// What is read of control groups: all their forms, and none where there is no limit.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <switchyard/containers/group_limits.hpp>

namespace switchyard {
namespace {

/// A folder that stands for / in a control group's limits, with these files.
class GroupLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "group_limits_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string root_;
};

constexpr std::nullopt_t no_limit = std::nullopt;

TEST_F(GroupLimits, IsNoneWhereNothingSaysSo) {
  EXPECT_EQ(processor_limit(root_), no_limit);
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(processor_limit(root_), no_limit);
  write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(processor_limit(root_), no_limit);
  write("/sys/fs/cgroup/cpu.max", "garbage\n");
  EXPECT_EQ(processor_limit(root_), no_limit);
}

TEST_F(GroupLimits, IsThatOfAContainer) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(processor_limit(root_), 2);
  write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(processor_limit(root_), 1.5);
}

TEST_F(GroupLimits, IsTheLeastOfAllGroupsAbove) {
  write("/proc/self/cgroup", "0::/job/step/task\n");
  write("/sys/fs/cgroup/job/cpu.max", "400000 100000\n");
  write("/sys/fs/cgroup/job/step/cpu.max", "300000 100000\n");
  write("/sys/fs/cgroup/job/step/task/cpu.max", "max 100000\n");
  EXPECT_EQ(processor_limit(root_), 3);
}

TEST_F(GroupLimits, IsReadFromTheFirstVersionToo) {
  write("/proc/self/cgroup", "9:memory:/a\n4:cpuacct,cpu:/job\n1:cpuset:/x\nbroken\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processor_limit(root_), no_limit);
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "800000\n");
  EXPECT_EQ(processor_limit(root_), 8);
}

TEST_F(GroupLimits, OfMemoryAreReadLikewise) {
  EXPECT_EQ(memory_limit(root_), no_limit);
  write("/proc/self/cgroup", "4:memory:/job\n0::/all\n");
  write("/sys/fs/cgroup/all/memory.max", "max\n");
  EXPECT_EQ(memory_limit(root_), no_limit);
  write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n");
  EXPECT_EQ(memory_limit(root_), 2147483648.0);
  write("/sys/fs/cgroup/all/memory.max", "1073741824\n");
  EXPECT_EQ(memory_limit(root_), 1073741824.0);
}

}  // namespace
}  // namespace switchyard
