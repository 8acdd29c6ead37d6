// Writing to the standard streams.
#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "colour.hpp"

namespace switchyard::command {

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void prepare_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // Opened the wrong way round, so that using it still fails.
    const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    static_cast<void>(opened);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

TextStyle page_style() {
  if (!colour_wanted(STDOUT_FILENO)) return {};
  return {.heading = "\033[1m",
          .chosen = "\033[32m",
          .warning = "\033[33m",
          .faint = "\033[2m",
          .end = "\033[0m"};
}

bool write_output(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

void write_diagnostic(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void write_error(std::string_view message) {
  std::string line = "switchyard: error: " + std::string(message);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  line += '\n';
  write_diagnostic(line);
}

}  // namespace switchyard::command
