// Fuzzing target: any words are parsed or refused with one line, and so is any environment.
//
// One word a line. Those of the form NAME=VALUE before the first other one are the environment.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <switchyard/core/options.hpp>
#include <vector>

#include "opencl/selection.hpp"
#include "program.hpp"
#include "promise.hpp"

namespace switchyard::fuzz {
namespace {

constexpr std::array environment{
    "SWITCHYARD_PROFILE",     "SWITCHYARD_LOG",           "SWITCHYARD_DEVICES",
    "SWITCHYARD_HOST_BUDGET", "SWITCHYARD_DEVICE_BUDGET", "SWITCHYARD_REPRODUCIBLE",
    "SWITCHYARD_THREADS",     "XDG_CONFIG_HOME",          "HOME"};

/// Up to the end of the input, or its first NUL, which no word can hold.
std::vector<std::string> words_of(std::string_view input) {
  input = input.substr(0, input.find('\0'));
  std::vector<std::string> words;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    words.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return words;
}

/// Sets what the first words say, takes them away, and unsets all else that is read.
void set_environment(std::vector<std::string>& words) {
  for (const char* name : environment) unsetenv(name);
  std::size_t used = 0;
  for (; used < words.size(); ++used) {
    const std::size_t equals = words[used].find('=');
    const std::string name = words[used].substr(0, equals);
    if (equals == std::string::npos || name.empty() || name.front() == '-') break;
    for (const char* known : environment) {
      if (name == known) setenv(known, words[used].c_str() + equals + 1, 1);
    }
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(used));
}

void check_refusal(const Error& error) {
  promise(error.code() == ErrorCode::InvalidArgument, "words that are off are that and no more");
  promise(error.what()[0] != '\0', "an error says something");
}

void try_environment() {
  try {
    const RuntimeOptions options = RuntimeOptions::from_environment();
    (void)log_level_from_environment();
    const std::vector<opencl::DeviceNames> devices{{"A GPU", "Vendor", "Platform"},
                                                   {"cpu", "Another", "Portable"}};
    for (const std::size_t i : opencl::selected(options.devices, devices)) {
      promise(i < devices.size(), "a selection selects what is there");
    }
  } catch (const Error& error) {
    check_refusal(error);
  }
}

std::unique_ptr<command::Program> declared() {
  auto program = std::make_unique<command::Program>();
  command::declare(*program);
  return program;
}

void try_words(std::vector<std::string> words) {
  words.insert(words.begin(), "switchyard");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Declaring every option takes ten times as long as parsing, which forgets what it parsed before.
  static const std::unique_ptr<command::Program> program = declared();
  program->common = {};
  try {
    const auto text = command::parse(*program, static_cast<int>(words.size()), arguments.data());
    promise(!text || !text->empty(), "help says something");
  } catch (const command::UsageError& error) {
    check_refusal(error);
  }
}

}  // namespace
}  // namespace switchyard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto words = switchyard::fuzz::words_of({reinterpret_cast<const char*>(data), size});
  switchyard::fuzz::set_environment(words);
  switchyard::fuzz::try_environment();
  switchyard::fuzz::try_words(std::move(words));
  return 0;
}
