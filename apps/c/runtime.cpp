// Runtimes of the C interface.

#include "arguments.hpp"
#include "failure.hpp"

namespace switchyard::c {
namespace {

void set_budget(std::optional<std::size_t>& budget, Index bytes, const char* what) {
  if (bytes < 0) throw Error(ErrorCode::InvalidArgument, std::string(what) + " is negative");
  if (bytes > 0) budget = static_cast<std::size_t>(bytes);
}

RuntimeOptions options_of(const sy_options* settings) {
  RuntimeOptions options = RuntimeOptions::from_environment();
  if (!settings) return options;
  if (settings->devices) options.devices = settings->devices;
  if (settings->profile) options.profile = settings->profile;
  set_budget(options.host_budget, settings->host_budget, "host_budget");
  set_budget(options.device_budget, settings->device_budget, "device_budget");
  if (settings->threads < 0) throw Error(ErrorCode::InvalidArgument, "threads is negative");
  if (settings->threads > 0) options.threads = settings->threads;
  if (settings->reproducible != 0 && settings->reproducible != 1) {
    throw Error(ErrorCode::InvalidArgument, "reproducible is neither 0 nor 1");
  }
  if (settings->reproducible == 1) options.reproducible = true;
  return options;
}

}  // namespace
}  // namespace switchyard::c

using switchyard::c::guarded;
using switchyard::c::required;

sy_status sy_runtime_create(const sy_options* options, sy_runtime** runtime) {
  return guarded([&] {
    sy_runtime*& result = required(runtime, "runtime");
    result = new sy_runtime{switchyard::Runtime(switchyard::c::options_of(options))};
  });
}

void sy_runtime_free(sy_runtime* runtime) { delete runtime; }

sy_status sy_runtime_counters(const sy_runtime* runtime, sy_counters* counters) {
  return guarded([&] {
    sy_counters& result = required(counters, "counters");
    result = switchyard::c::counters_for_caller(required(runtime, "runtime").runtime.counters());
  });
}
