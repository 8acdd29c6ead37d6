// Opening the machine in spite of whatever is wrong with it.
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/log.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

/// While it lives, the log's warnings go to a list instead of standard error.
class Listener {
 public:
  explicit Listener(std::vector<std::string>& heard) : level_(log_level()) {
    set_log_level(LogLevel::Warning);
    set_log_sink([&heard](LogLevel, std::string_view message) { heard.emplace_back(message); });
  }
  ~Listener() {
    set_log_sink({});
    set_log_level(level_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  LogLevel level_;
};

}  // namespace

Patient examine() {
  std::vector<std::string> unreadable;
  std::vector<std::string> faults;
  std::string selection_fault;
  RuntimeOptions options = RuntimeOptions::from_environment(unreadable);
  const Listener listener(faults);
  const auto open = [&] {
    try {
      return Runtime(options);
    } catch (const Error& error) {
      selection_fault = error.what();
      options.devices = "none";
      return Runtime(options);
    }
  };
  Runtime runtime = open();
  // That the profile is not used is the profile's check's to tell.
  std::erase_if(faults, [&](const std::string& fault) {
    return !runtime.profile_problem().empty() && fault.starts_with(runtime.profile_problem());
  });
  return {std::move(options), std::move(unreadable), std::move(selection_fault), std::move(faults),
          std::move(runtime)};
}

}  // namespace switchyard::command::doctor
