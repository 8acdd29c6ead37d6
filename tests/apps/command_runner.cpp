// Starting the command as a child process.
#include "command_runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

void redirect(int stream, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, stream) < 0) _exit(126);
  close(file);
}

void redirect_output(Output output, const std::string& captured, const std::string& terminal) {
  switch (output) {
    case Output::Captured:
      return redirect(STDOUT_FILENO, captured);
    case Output::Full:
      return redirect(STDOUT_FILENO, "/dev/full");
    case Output::Terminal:
      return redirect(STDOUT_FILENO, terminal);
    case Output::Closed:
      close(STDOUT_FILENO);
      return;
    case Output::BrokenPipe:
      break;
  }
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(126);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

bool has_terminals() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0) return false;
  const bool usable = grantpt(master) == 0 && unlockpt(master) == 0;
  const char* const name = usable ? ptsname(master) : nullptr;
  const int end = name ? open(name, O_RDWR | O_NOCTTY) : -1;
  if (end >= 0) close(end);
  close(master);
  return end >= 0;
}

CommandTest::CommandTest() {
  std::string name = (fs::temp_directory_path() / "switchyard-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  folder_ = name;
  environment = {{"XDG_CONFIG_HOME", file("config")}, {"XDG_CACHE_HOME", SWITCHYARD_TEST_CACHE}};
}

CommandTest::~CommandTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

pid_t CommandTest::start(const Words& words, Output output) {
  std::vector<std::string> kept{SWITCHYARD_COMMAND};
  kept.insert(kept.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const pid_t child = fork();
  if (child != 0) return child;
  redirect_output(output, file(streams + "output"), terminal_);
  redirect(STDERR_FILENO, file(streams + "errors"));
  for (const char* name :
       {"SWITCHYARD_PROFILE", "SWITCHYARD_LOG", "SWITCHYARD_DEVICES", "SWITCHYARD_HOST_BUDGET",
        "SWITCHYARD_DEVICE_BUDGET", "SWITCHYARD_REPRODUCIBLE", "SWITCHYARD_THREADS"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (in_child) in_child();
  execv(SWITCHYARD_COMMAND, arguments.data());
  _exit(127);
}

Ended CommandTest::wait(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  Ended ended{code, read_file(file(streams + "output")), {}, {}};
  const std::string errors = read_file(file(streams + "errors"));
  // How long a command takes is not a test's matter, nor what it says of that.
  for (std::size_t begin = 0; begin < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', begin), errors.size() - 1) + 1;
    const std::string line = errors.substr(begin, end - begin);
    (line.starts_with("switchyard: working: ") ? ended.progress : ended.errors) += line;
    begin = end;
  }
  return ended;
}

Ended CommandTest::run(const Words& words, Output output) {
  std::error_code ignored;
  fs::remove(file(streams + "output"), ignored);
  return wait(start(words, output));
}

Ended CommandTest::run_on_terminal(const Words& words) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    throw std::runtime_error("no terminal");
  }
  terminal_ = ptsname(master);
  // Held open until the child has it: a terminal that nobody holds has hung up.
  const int held = open(terminal_.c_str(), O_RDWR | O_NOCTTY);
  const pid_t child = start(words, Output::Terminal);
  std::string text;
  char piece[4096];
  bool ended = false;
  while (!ended) {
    siginfo_t status{};
    ended = waitid(P_PID, static_cast<id_t>(child), &status, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            status.si_pid == child;
    struct pollfd waiting {
      master, POLLIN, 0
    };
    while (poll(&waiting, 1, ended ? 0 : 20) > 0) {
      const auto got = read(master, piece, sizeof piece);
      if (got <= 0) break;
      text.append(piece, static_cast<std::size_t>(got));
    }
  }
  Ended result = wait(child);
  close(held);
  close(master);
  std::erase(text, '\r');
  result.output = text;
  return result;
}

Json CommandTest::run_json(Words words) {
  words.push_back("--json");
  const Ended ended = run(words);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  Json document = Json::parse(ended.output, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << ended.output;
  return document;
}

void CommandTest::write_file(const std::string& name, const std::string& text) const {
  std::ofstream(file(name)) << text;
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_error_document(const Ended& ended) {
  const Json document = Json::parse(ended.output, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << ended.output;
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["error"]["exit_code"], ended.exit_code);
  EXPECT_TRUE(document["error"]["code"].is_string());
  const std::string message = document["error"]["message"];
  EXPECT_FALSE(message.empty());
  EXPECT_NE(ended.errors.find(message.substr(0, 20)), std::string::npos) << ended.errors;
}

void expect_one_error_line(const Ended& ended, int exit_code, const std::string& part) {
  EXPECT_EQ(ended.exit_code, exit_code) << ended.errors;
  if (!ended.output.empty()) expect_error_document(ended);
  EXPECT_TRUE(ended.errors.starts_with("switchyard: error: ")) << ended.errors;
  EXPECT_EQ(std::ranges::count(ended.errors, '\n'), 1) << ended.errors;
  EXPECT_TRUE(ended.errors.ends_with('\n')) << ended.errors;
  EXPECT_NE(ended.errors.find(part), std::string::npos) << ended.errors << "lacks: " << part;
}

}  // namespace switchyard::test
