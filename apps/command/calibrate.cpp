// `switchyard calibrate`: measures this machine and writes its profile.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/options.hpp>
#include <switchyard/core/runtime.hpp>
#include <switchyard/tuning/calibrate.hpp>

#include "activity.hpp"
#include "command.hpp"
#include "interruption.hpp"
#include "machine.hpp"
#include "models_report.hpp"
#include "progress.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

namespace fs = std::filesystem;

struct CalibrateRequest {
  bool quick = false;
  bool thorough = false;
  double budget_seconds = 0;
  std::optional<Space> device;
  fs::path output;
  bool resume = false;
};

Effort effort_of(const CalibrateRequest& request) {
  if (request.quick) return Effort::Quick;
  return request.thorough ? Effort::Thorough : Effort::Standard;
}

/// The file asked for, the one that plans would be made with, or this machine's own place.
fs::path output_path(const CalibrateRequest& request, const RuntimeOptions& options,
                     const Runtime& runtime) {
  if (!request.output.empty()) return request.output;
  if (options.profile) return *options.profile;
  const fs::path path = runtime.default_profile_path();
  if (!path.empty()) return path;
  throw Error(ErrorCode::IoError, "there is no folder for the profile", "",
              "set HOME or XDG_CONFIG_HOME, or name a file with --output");
}

/// Makes the folder for the file. Throws `Error(IoError)`.
void make_folder(const fs::path& file) {
  if (!file.has_parent_path()) return;
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (failure) {
    throw Error(ErrorCode::IoError, "cannot make the folder: " + failure.message(),
                file.parent_path().string());
  }
}

fs::path checkpoint_of(const fs::path& output) { return output.string() + ".partial"; }

/// Throws `Error(IoError)` where no profile can stand under that name: better now than when
/// everything is measured.
void refuse_special(const fs::path& file) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  throw Error(ErrorCode::IoError, "cannot write: not a regular file", file.string(),
              "name a file with --output");
}

CalibrationOptions options_for(const CalibrateRequest& request, const fs::path& output,
                               ProgressBar& bar, Index& done) {
  CalibrationOptions options;
  options.effort = effort_of(request);
  options.budget_seconds = request.budget_seconds;
  options.device = request.device;
  options.checkpoint = checkpoint_of(output);
  options.resume = request.resume;
  options.save = [&output](const Profile& profile) { save_profile(profile, output); };
  options.progress = [&bar, &done](const CalibrationProgress& progress) {
    done = progress.done;
    const double seconds = progress.seconds + progress.seconds_left;
    bar.show(seconds > 0 ? progress.seconds / seconds : 1, progress.what, progress.seconds_left);
  };
  options.interrupted = is_interrupted;
  return options;
}

/// The machine without any profile: a bad one is no reason not to make a better one.
Runtime open_uncalibrated(RuntimeOptions options) {
  options.profile.reset();
  return Runtime(options);
}

/// Opening devices may take seconds.
Runtime open_with_words(const RuntimeOptions& options, const CommonOptions& common) {
  Activity activity(!common.quiet);
  activity.now("opening the devices");
  return open_uncalibrated(options);
}

constexpr auto how_to_go_on = "continue with 'switchyard calibrate --resume' and the same options";

/// Measures and saves. Throws what `calibrate` throws, and says which measurements are kept.
CalibrationResult measure(const CalibrateRequest& request, const Runtime& runtime,
                          const fs::path& output, bool show_progress) {
  Index done = 0;
  try {
    ProgressBar bar(show_progress, Elsewhere::Lines);
    return calibrate(runtime.executors(), runtime.fingerprint(),
                     options_for(request, output, bar, done));
  } catch (const Error& error) {
    if (done == 0) throw;
    throw Error(error.code(), error.what(), {},
                std::string("measurements so far are kept; fix the cause, then ") + how_to_go_on);
  }
}

Outcome run_calibrate(const CalibrateRequest& request, const CommonOptions& common) {
  if (request.quick && request.thorough) {
    throw UsageError("--quick and --thorough exclude each other");
  }
  const InterruptionGuard guard;
  const auto from_environment = RuntimeOptions::from_environment();
  const Runtime runtime = open_with_words(from_environment, common);
  if (request.device) check_space(*request.device, runtime.executors().size());
  const fs::path output = output_path(request, from_environment, runtime);
  make_folder(output);
  refuse_special(output);
  const CalibrationResult result = measure(request, runtime, output, !common.quiet);
  if (result.interrupted) {
    return {.output = {},
            .failure = fmt::format("interrupted after {} of {} experiments; measurements so far "
                                   "are kept ({}); {}",
                                   result.done, result.total, checkpoint_of(output).string(),
                                   how_to_go_on)};
  }
  if (!result.complete) {
    log(LogLevel::Warning,
        fmt::format("the time was up after {} of {} experiments; the profile uses only these; {}",
                    result.done, result.total, how_to_go_on));
  }
  if (!result.unfitted.empty()) log(LogLevel::Warning, unfitted_line(result.unfitted));
  if (common.json) return {json_text(models_document(result, output))};
  return {models_text(result, output, common.verbose)};
}

}  // namespace

Action add_calibrate(CLI::App& app) {
  const auto request = std::make_shared<CalibrateRequest>();
  app.add_flag("--quick", request->quick,
               "measure for about 20 seconds; less accurate (default: about two minutes)");
  app.add_flag("--thorough", request->thorough, "measure for about ten minutes; more accurate");
  app.add_option_function<std::string>(
         "--budget",
         [request = request.get()](const std::string& text) {
           request->budget_seconds = parse_real(text, "--budget");
           if (request->budget_seconds > 0) return;
           throw UsageError("'" + text + "' is not above 0", "--budget");
         },
         "stop measuring after about this many seconds, and fit what was measured")
      ->type_name("SECONDS");
  add_device(app, request->device, "measure the host and this device only");
  app.add_option(
         "--output", request->output,
         "the profile to write (default: SWITCHYARD_PROFILE if set, else this machine's file\n"
         "in the configuration folder)")
      ->type_name("FILE");
  app.add_flag("--resume", request->resume, "continue an interrupted run");
  return [request](const CommonOptions& common) { return run_calibrate(*request, common); };
}

}  // namespace switchyard::command
