// `switchyard report`: one page that shows the models, what they decide, and how well.
#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/containers/output_file.hpp>

#include "../activity.hpp"
#include "../command.hpp"
#include "../machine.hpp"
#include "../models_report.hpp"
#include "../table.hpp"
#include "../values.hpp"
#include "page.hpp"
#include "report_document.hpp"

namespace switchyard::command {
namespace {

struct ReportRequest {
  std::optional<std::filesystem::path> profile;
  std::optional<std::filesystem::path> named;  ///< by --profile
  std::optional<std::filesystem::path> output;
  std::optional<std::filesystem::path> decisions;
};

constexpr const char* default_output = "switchyard-report.html";
constexpr const char* standard_output = "-";

/// The profile named, of whichever machine, or this machine's own. What nobody measured has
/// nothing to show.
Profile profile_for(const ReportRequest& request) {
  if (request.profile && request.named) throw UsageError("give PROFILE or --profile, not both");
  if (request.named) return load_profile(*request.named);
  if (request.profile) return load_profile(*request.profile);
  const Machine machine = open_machine({});
  const auto profile = machine.runtime.profile();
  if (profile->calibrated) return *profile;
  throw Error(ErrorCode::ProfileMismatch, "there is nothing to report: " + machine.profile_problem,
              "", "a profile can be named: 'switchyard report PROFILE'");
}

void write_page(const std::filesystem::path& file, const std::string& page) {
  OutputFile output(file);
  output.write(page);
  output.commit();
}

std::string summary_of(const Profile& profile, const std::filesystem::path& file,
                       std::size_t bytes) {
  std::vector<CostModel> models = profile.models();
  std::erase_if(models, [](const CostModel& model) { return model.built_in; });
  const auto weak = std::ranges::count_if(
      models, [](const CostModel& model) { return !weakness(model).empty(); });
  return "profile  " + profile.file + "\nmodels   " + std::to_string(models.size()) +
         ", of which " + std::to_string(weak) + " inaccurate\nreport   " + file.string() + " (" +
         format_bytes(static_cast<double>(bytes)) + ")\n";
}

Outcome run_report(const ReportRequest& request, const CommonOptions& common) {
  const bool to_stdout = request.output && *request.output == standard_output;
  if (common.json && to_stdout) {
    throw UsageError("--json and --output - both want standard output");
  }
  Activity activity(!common.quiet);
  activity.now("opening the devices");
  const Profile profile = profile_for(request);
  activity.now("predicting");
  const Json document = report::report_document(profile, request.decisions);
  // The document instead of the page; both where a file is named for the page.
  if (common.json && !request.output) return {document.dump() + "\n"};
  const std::string page = report::page_of(document);
  if (to_stdout) return {page};
  const std::filesystem::path file = request.output.value_or(default_output);
  write_page(file, page);
  return {common.json ? document.dump() + "\n" : summary_of(profile, file, page.size())};
}

}  // namespace

Action add_report(CLI::App& app) {
  const auto request = std::make_shared<ReportRequest>();
  app.add_option("PROFILE", request->profile,
                 "the profile to show, of any machine (default: the one of this machine)")
      ->type_name("");
  add_profile(app, request->named, "the same as PROFILE, as other commands take it");
  app.add_option("--output", request->output,
                 std::string("the page to write, or - for standard output (default: ") +
                     default_output + " in this folder)")
      ->type_name("FILE");
  app.add_option("--decisions", request->decisions,
                 "also show these decisions, recorded with 'switchyard bench decisions --json'")
      ->type_name("FILE");
  return [request](const CommonOptions& common) { return run_report(*request, common); };
}

}  // namespace switchyard::command
