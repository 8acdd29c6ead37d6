// The environment, read once.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/core/options.hpp>

namespace switchyard {
namespace {

/// A variable that is set and not empty.
std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

std::optional<std::size_t> budget(const char* name) {
  const auto text = variable(name);
  if (!text) return std::nullopt;
  const auto bytes = parse_bytes(*text);
  if (!bytes) {
    throw Error(ErrorCode::InvalidArgument, "'" + *text + "' is no number of bytes", name,
                "write for example 512M or 4G");
  }
  return bytes;
}

int thread_count(const char* name) {
  const auto text = variable(name);
  if (!text) return 0;
  int threads = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), threads);
  if (error != std::errc{} || end != text->data() + text->size() || threads < 1 ||
      threads > most_threads) {
    throw Error(ErrorCode::InvalidArgument, "'" + *text + "' is no number of threads", name,
                "write a number from 1 to " + std::to_string(most_threads));
  }
  return threads;
}

bool switched_on(const char* name) {
  const auto word = variable(name);
  if (!word || *word == "0") return false;
  if (*word == "1") return true;
  throw Error(ErrorCode::InvalidArgument, "'" + *word + "' is neither 0 nor 1", name);
}

std::filesystem::path find_config_home() {
  if (const auto home = variable("XDG_CONFIG_HOME"); home && home->front() == '/') return *home;
  if (const auto home = variable("HOME")) return std::filesystem::path(*home) / ".config";
  return {};
}

/// What cannot be read goes to `problems`, or is thrown where there is no such list.
RuntimeOptions read_environment(std::vector<std::string>* problems) {
  const auto attempt = [problems](auto read) {
    try {
      read();
    } catch (const Error& error) {
      if (!problems) throw;
      problems->push_back(error.what());
    }
  };
  RuntimeOptions options;
  if (const auto file = variable("SWITCHYARD_PROFILE")) options.profile = *file;
  options.devices = variable("SWITCHYARD_DEVICES").value_or("all");
  attempt([&] { options.host_budget = budget("SWITCHYARD_HOST_BUDGET"); });
  attempt([&] { options.device_budget = budget("SWITCHYARD_DEVICE_BUDGET"); });
  attempt([&] { options.threads = thread_count("SWITCHYARD_THREADS"); });
  attempt([&] { options.reproducible = switched_on("SWITCHYARD_REPRODUCIBLE"); });
  options.config_home = find_config_home();
  return options;
}

}  // namespace

std::optional<std::size_t> parse_bytes(std::string_view text) noexcept {
  constexpr std::string_view units = "kMGT";
  double scale = 1;
  if (!text.empty()) {
    const auto unit = units.find(text.back());
    if (unit != std::string_view::npos) {
      scale = std::pow(1024.0, static_cast<double>(unit + 1));
      text.remove_suffix(1);
    }
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  constexpr double limit = 9e18;
  if (!(value >= 0) || value * scale > limit) return std::nullopt;
  return static_cast<std::size_t>(value * scale);
}

std::vector<std::string_view> environment_variables() {
  return {"SWITCHYARD_PROFILE",     "SWITCHYARD_DEVICES",
          "SWITCHYARD_HOST_BUDGET", "SWITCHYARD_DEVICE_BUDGET",
          "SWITCHYARD_THREADS",     "SWITCHYARD_REPRODUCIBLE",
          "SWITCHYARD_LOG"};
}

RuntimeOptions RuntimeOptions::from_environment() {
  return with_enough_memory([] { return read_environment(nullptr); });
}

RuntimeOptions RuntimeOptions::from_environment(std::vector<std::string>& problems) {
  return with_enough_memory([&] { return read_environment(&problems); });
}

std::optional<LogLevel> log_level_from_environment() {
  const auto word = variable("SWITCHYARD_LOG");
  if (!word) return std::nullopt;
  const auto level = parse_log_level(*word);
  if (!level) {
    throw Error(ErrorCode::InvalidArgument, "'" + *word + "' is no log level", "SWITCHYARD_LOG",
                "use off, error, warning, info, debug or trace");
  }
  return level;
}

}  // namespace switchyard
