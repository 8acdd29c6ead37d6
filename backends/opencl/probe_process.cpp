// Starting the probe, reading its answers, and ending it where it hangs.
#include "probe_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <optional>
#include <switchyard/containers/log.hpp>
#include <utility>

namespace switchyard::opencl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view mark = "switchyard-probe ";
/// More than any driver should have to say; the rest is not read.
constexpr std::size_t most_output = std::size_t{4} << 20U;

/// Sees to it that a descriptor is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

/// Starts the program with both outputs to `output`, with default signals and in a process group of
/// its own. Nothing where that fails.
std::optional<pid_t> start(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments, int output) {
  std::string name = program.string();
  std::vector<std::string> kept = arguments;
  std::vector<char*> words{name.data()};
  for (std::string& argument : kept) words.push_back(argument.data());
  words.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&files) != 0) return std::nullopt;
  if (::posix_spawnattr_init(&attributes) != 0) {
    ::posix_spawn_file_actions_destroy(&files);
    return std::nullopt;
  }
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  pid_t process = -1;
  const int failed =
      ::posix_spawn(&process, name.c_str(), &files, &attributes, words.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  return failed != 0 ? std::nullopt : std::optional(process);
}

bool has_line(std::string_view output, std::string_view what) {
  return output.find(fmt::format("\n{}{} ", mark, what)) != output.npos;
}

/// Reads until the probe is done or its output ends. Whether it did in time.
bool read_answers(int descriptor, ProbePatience patience, std::string& output) {
  const auto begin = Clock::now();
  bool told = false;
  while (!has_line(output, "done")) {
    const auto waited = Clock::now() - begin;
    if (waited >= patience.most) return false;
    if (waited >= patience.silent && !std::exchange(told, true)) {
      log(LogLevel::Warning, "the OpenCL drivers take long to show their devices; still waiting");
    }
    const auto next = told ? patience.most : std::min(patience.silent, patience.most);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - waited);
    pollfd ready{descriptor, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(1, left.count())));
    if (count <= 0) continue;
    std::array<char, 4096> piece{};
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return true;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return true;
    if (got > 0 && output.size() < most_output) {
      output.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  return true;
}

/// How the process ended; nothing where this program takes over all of its children elsewhere.
std::optional<int> status_of(pid_t process) {
  int status = 0;
  pid_t ended = -1;
  while ((ended = ::waitpid(process, &status, 0)) < 0 && errno == EINTR) {
  }
  return ended == process ? std::optional(status) : std::nullopt;
}

/// Signals by which somebody else ends a process, the system's want of memory included.
bool is_from_outside(int signal) {
  constexpr std::array outside{SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return std::ranges::find(outside, signal) != outside.end();
}

}  // namespace

ProbeRun parsed(std::string_view output) {
  ProbeRun run;
  bool loading = false;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!line.starts_with(mark)) {
      if (!line.empty()) run.words = line;
      continue;
    }
    line.remove_prefix(mark.size());
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view what = line.substr(0, blank);
    const std::string_view text = line.substr(std::min(blank + 1, line.size()));
    if (what == "loading") loading = true;
    if (what == "platform") run.platform = text;
    if (what == "file") run.files.emplace_back(text);
    if (what == "done") run.end = ProbeEnd::Done;
  }
  if (loading && run.end != ProbeEnd::Done) run.end = ProbeEnd::Crashed;
  return run;
}

ProbeRun run_probe(const std::filesystem::path& program, const std::vector<std::string>& skipped,
                   ProbePatience patience) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const std::optional<pid_t> process = start(program, skipped, writing.number());
  if (!process) return {};
  writing.close();
  std::string output = "\n";
  const bool in_time = read_answers(reading.number(), patience, output);
  if (!in_time) ::kill(-*process, SIGKILL);
  const std::optional<int> status = status_of(*process);
  ProbeRun run = parsed(output);
  if (!in_time && run.end == ProbeEnd::Crashed) run.end = ProbeEnd::Hung;
  if (run.end != ProbeEnd::Crashed || !status) return run;
  if (WIFSIGNALED(*status)) {
    run.how = ::strsignal(WTERMSIG(*status));
    if (is_from_outside(WTERMSIG(*status))) run.end = ProbeEnd::NotRun;
  } else {
    run.how = fmt::format("exit status {}", WEXITSTATUS(*status));
  }
  return run;
}

std::vector<std::string> driver_variables() {
  constexpr std::array<std::string_view, 13> beginnings{"OCL",    "OPENCL", "POCL", "LD_", "CUDA",
                                                        "NVIDIA", "NV_",    "HSA",  "ROC", "HIP",
                                                        "GPU_",   "NEO",    "INTEL"};
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    if (std::ranges::any_of(beginnings, [&](auto begin) { return text.starts_with(begin); })) {
      variables.emplace_back(text);
    }
  }
  std::ranges::sort(variables);
  return variables;
}

}  // namespace switchyard::opencl
