// Writing to the standard streams.
#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "colour.hpp"

namespace switchyard::command {

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

std::string with_short_words(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    result += display_width(text.substr(0, end)) > width ? shortened(text.substr(0, end), width)
                                                         : std::string(text.substr(0, end));
    text.remove_prefix(end);
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    result += text.substr(0, blanks);
    text.remove_prefix(blanks);
  }
  return result;
}

bool write_output(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

void write_diagnostic(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void write_error(std::string_view message) {
  // A file's name may have 4096 characters; what fails and what to do stay whole.
  constexpr std::size_t longest_word = 200;
  std::string line = "switchyard: error: " + with_short_words(message, longest_word);
  // A file's name may hold line ends, and what a terminal takes for commands.
  constexpr char delete_character = 0x7f;
  std::ranges::replace_if(
      line, [](char c) { return (c >= 0 && c < ' ') || c == delete_character; }, ' ');
  line += '\n';
  write_diagnostic(line);
}

}  // namespace switchyard::command
