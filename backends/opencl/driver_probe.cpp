// Running the probe until what is left survives.
#include "driver_probe.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <switchyard/containers/log.hpp>
#include <system_error>

#include "binary_cache.hpp"
#include "probe_record.hpp"

namespace switchyard::opencl {
namespace {

namespace fs = std::filesystem;

constexpr auto program_name = "switchyard-probe-opencl";
/// Of platforms that fail; more are not asked for.
constexpr int most_runs = 8;

/// The file that this code is in: the library, or a program that it is linked into.
fs::path own_file() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&fault_of_program), &info) == 0 || !info.dli_fname) {
    return {};
  }
  std::error_code failed;
  return fs::canonical(info.dli_fname, failed);
}

/// Whether only its owner may write to it, and the owner is root, this user, or who owns the code
/// that runs here anyway.
bool is_trusted(const fs::path& path, uid_t owner_of_library) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return false;
  const bool owned =
      status.st_uid == 0 || status.st_uid == ::geteuid() || status.st_uid == owner_of_library;
  return owned && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Where the probe is: beside the library in a build tree or a Python package, in the folder for
/// programs that users do not run where it is installed.
fs::path probe_program() {
  const fs::path own = own_file();
  if (own.empty()) return {};
  for (const fs::path& folder : {own.parent_path(), own.parent_path() / SWITCHYARD_PROBE_FOLDER}) {
    std::error_code failed;
    const fs::path program = fs::canonical(folder / program_name, failed);
    if (!failed && fs::is_regular_file(program, failed)) return program;
  }
  return {};
}

std::string reason_for(const ProbeRun& run, const ProbePatience& patience) {
  std::string reason =
      run.end == ProbeEnd::Hung
          ? fmt::format("its driver did not answer within {} s",
                        std::chrono::duration_cast<std::chrono::seconds>(patience.most).count())
          : fmt::format("its driver crashes ({})", run.how.empty() ? "no more is known" : run.how);
  return run.words.empty() ? reason : reason + ": " + run.words;
}

}  // namespace

bool DriverVerdict::usable() const noexcept {
  return std::ranges::none_of(left_out, [](const LeftOut& one) { return one.platform.empty(); });
}

bool DriverVerdict::usable(std::string_view platform) const noexcept {
  return usable() && std::ranges::find(left_out, platform, &LeftOut::platform) == left_out.end();
}

std::string fault_of_program(const fs::path& program) {
  if (program.empty()) return "it is not installed";
  if (::getauxval(AT_SECURE) != 0) return "this process has more rights than its user";
  struct stat library {};
  const bool known = ::stat(own_file().c_str(), &library) == 0;
  const uid_t owner = known ? library.st_uid : ::geteuid();
  if (!is_trusted(program, owner) || !is_trusted(program.parent_path(), owner)) {
    return fmt::format("others may write to {}", program.string());
  }
  return {};
}

ProbeSetup probe_setup() {
  return {
      .program = probe_program(), .memory = default_kernel_cache_folder(), .here = surroundings()};
}

DriverVerdict try_drivers(const ProbeSetup& setup) {
  DriverVerdict verdict;
  std::vector<std::string> skipped;
  const auto leave_out = [&](const std::string& platform, std::string reason) {
    verdict.left_out.push_back({platform, std::move(reason)});
    skipped.push_back(platform);
  };
  const std::string missing = missing_for(pocl_platform, setup.here);
  if (!missing.empty()) leave_out(std::string(pocl_platform), missing);
  const std::string fault = fault_of_program(setup.program);
  if (!fault.empty()) {
    log(LogLevel::Info, "OpenCL drivers are not tried in another process first: " + fault);
    return verdict;
  }
  // Where address space is limited, how much is left differs from process to process.
  const bool is_repeatable = verdict.left_out.empty() && !setup.here.address_space;
  const ProbeRecord record(is_repeatable ? setup.memory : fs::path{}, setup.program);
  if (record.holds()) return verdict;
  for (int i = 0; i < most_runs; ++i) {
    const ProbeRun run = run_probe(setup.program, skipped, setup.patience);
    if (run.end == ProbeEnd::Done && verdict.left_out.empty()) record.store(run.files);
    if (run.end == ProbeEnd::Done || run.end == ProbeEnd::NotRun) return verdict;
    leave_out(run.platform, reason_for(run, setup.patience));
    if (run.platform.empty()) return verdict;
  }
  leave_out("", "too many of its drivers crash");
  return verdict;
}

}  // namespace switchyard::opencl
