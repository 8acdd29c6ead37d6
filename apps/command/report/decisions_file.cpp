// Reading recorded decisions strictly, and summing them up.
#include "decisions_file.hpp"

#include <algorithm>
#include <cmath>
#include <switchyard/containers/error.hpp>

#include "../json_file.hpp"
#include "report_grid.hpp"

namespace switchyard::command::report {
namespace {

constexpr std::size_t most_worst = 20;

[[noreturn]] void refuse(const std::string& what, const std::filesystem::path& file) {
  throw Error(ErrorCode::DataCorrupt, "not a record of decisions: " + what, file.string(),
              "give a file written by 'switchyard bench decisions --json', such as "
              "bench_decisions_real.json");
}

bool is_amount(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return false;
  const auto value = found->get<double>();
  return std::isfinite(value) && value > 0;
}

bool is_workload(const Json& json) {
  if (!json.is_object()) return false;
  const auto has = [&](const char* key, bool (Json::*is)() const) {
    return json.contains(key) && (json.at(key).*is)();
  };
  return has("matrix", &Json::is_string) && has("from", &Json::is_string) &&
         has("precision", &Json::is_string) && has("oracle_state", &Json::is_string) &&
         has("hinted", &Json::is_boolean) && has("states_visited", &Json::is_array) &&
         is_amount(json, "calls") && is_amount(json, "regret") &&
         is_amount(json, "seconds_adaptive") && is_amount(json, "seconds_oracle");
}

/// Of regrets; those of the ends and in the middle as `bench decisions` sums them up.
Json group_of(std::vector<double> regrets) {
  if (regrets.empty()) return nullptr;
  std::ranges::sort(regrets);
  double logs = 0;
  for (const double regret : regrets) logs += std::log(regret);
  const auto count = static_cast<double>(regrets.size());
  const auto at = static_cast<std::size_t>(std::ceil(0.95 * count)) - 1;
  return {{"count", regrets.size()},
          {"geometric_mean", brief(std::exp(logs / count))},
          {"p95", brief(regrets[at])},
          {"maximum", brief(regrets.back())},
          {"regrets", brief(regrets)}};
}

Json worst_of(const Json& workloads) {
  std::vector<const Json*> sorted;
  for (const Json& entry : workloads) sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, std::greater{},
                           [](const Json* entry) { return entry->at("regret").get<double>(); });
  sorted.resize(std::min(sorted.size(), most_worst));
  Json worst = Json::array();
  for (const Json* entry : sorted) {
    Json shown;
    for (const char* key :
         {"matrix", "precision", "from", "calls", "hinted", "oracle_state", "states_visited"}) {
      shown[key] = entry->at(key);
    }
    for (const char* key : {"seconds_adaptive", "seconds_oracle", "regret"}) {
      shown[key] = brief(entry->at(key).get<double>());
    }
    worst.push_back(std::move(shown));
  }
  return worst;
}

/// Whether the library that times single functions wrote it, as it wrote the records'
/// decisions.json.
bool is_benchmark(const Json& document) {
  return document.is_object() && document.contains("benchmarks") && document.contains("context");
}

/// The text of that key; null where there is none.
Json text_or_null(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? *found : Json();
}

/// The processor that they were measured on.
Json machine_of(const Json& document) {
  if (!document.contains("machine") || !document["machine"].is_object()) return nullptr;
  return {{"cpu", text_or_null(document["machine"], "cpu")}};
}

}  // namespace

Json decisions_view(const std::filesystem::path& file) {
  const Json document = read_json_file(file, "the recorded decisions");
  if (is_benchmark(document)) {
    refuse("it holds timings of decision_benchmark, not the outcome of decisions", file);
  }
  const bool has = document.is_object() && document.contains("workloads");
  if (!has || !document["workloads"].is_array()) refuse("it has no 'workloads'", file);
  const Json& workloads = document["workloads"];
  if (workloads.empty()) refuse("its list of workloads is empty", file);
  std::vector<double> hinted;
  std::vector<double> unhinted;
  std::vector<double> csr_host;
  for (const Json& entry : workloads) {
    if (!is_workload(entry))
      refuse("a workload lacks a required key, or its value is invalid", file);
    const bool told = entry["hinted"].get<bool>();
    (told ? hinted : unhinted).push_back(entry["regret"].get<double>());
    if (told && is_amount(entry, "regret_csr_host")) {
      csr_host.push_back(entry["regret_csr_host"].get<double>());
    }
  }
  return {{"file", file.filename().string()},
          {"date", text_or_null(document, "date")},
          {"machine", machine_of(document)},
          {"groups",
           {{"hinted", group_of(std::move(hinted))},
            {"unhinted", group_of(std::move(unhinted))},
            {"csr_host", group_of(std::move(csr_host))}}},
          {"worst", worst_of(workloads)}};
}

}  // namespace switchyard::command::report
