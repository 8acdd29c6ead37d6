// The thesis's five test cases (Table 4.11, Figure 4.10) on the devices of this machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "line_chart.hpp"
#include "thesis_measure.hpp"

using namespace switchyard;

namespace {

constexpr State dense_host{Space::host(), Format::Dense};
constexpr State csr_host{Space::host(), Format::Csr};

std::vector<ThesisCase> table_cases() {
  return {{"A", 7000, 50, dense_host},
          {"B", 7000, 80, dense_host},
          {"C", 3000, 10, csr_host},
          {"D", 5000, 50, csr_host}};
}

std::vector<ThesisCase> sweep_cases(Index largest) {
  std::vector<ThesisCase> cases;
  for (const Index size : {100, 500, 1000, 2000, 3000, 4000, 5000, 6000, 7000}) {
    if (size > largest) break;
    for (int zeros = 0; zeros <= 90; zeros += 10) cases.push_back({"E", size, zeros, dense_host});
  }
  return cases;
}

std::string names(const std::vector<State>& states) {
  std::string text;
  for (const State state : states) text += (text.empty() ? "" : ", ") + name(state);
  return text;
}

void print_case(const ThesisResult& result) {
  const ThesisCase& what = result.what;
  fmt::print("Case {}: {} x {}, {} % zeros, initially {}\n", what.name, what.size, what.size,
             what.percent_zeros, name(what.initial));
  for (const auto& [state, seconds] : result.product_seconds) {
    fmt::print("  one product in {:<14} {:>10}\n", name(state), format_seconds(seconds));
  }
  for (const AdaptiveRun& run : result.adaptive) {
    const auto before = result.product_seconds.at(what.initial);
    fmt::print("  planned for {} {}: predicted {}, states then {}, next prediction {}\n", run.calls,
               run.calls == 1 ? "product" : "products", name(run.predicted),
               names(run.final_states), name(run.next_prediction));
    fmt::print("    one product {} before, {} after; all with moves {}; {}\n",
               format_seconds(before), format_seconds(run.product_seconds),
               format_seconds(run.total_seconds), run.right ? "verified" : "WRONG");
  }
}

nlohmann::json to_json(const ThesisResult& result) {
  nlohmann::json json{{"case", result.what.name},
                      {"size", result.what.size},
                      {"percent_zeros", result.what.percent_zeros},
                      {"initial", name(result.what.initial)}};
  for (const auto& [state, seconds] : result.product_seconds) {
    json["product_seconds"][name(state)] = seconds;
  }
  for (const AdaptiveRun& run : result.adaptive) {
    nlohmann::json states = nlohmann::json::array();
    for (const State state : run.final_states) states.push_back(name(state));
    json["adaptive"].push_back({{"calls", run.calls},
                                {"predicted", name(run.predicted)},
                                {"final_states", states},
                                {"next_prediction", name(run.next_prediction)},
                                {"product_seconds", run.product_seconds},
                                {"total_seconds", run.total_seconds},
                                {"verified", run.right}});
  }
  return json;
}

/// A colour of its own for each of as many states as there may be: hues apart by the golden angle.
std::string color_of(std::size_t state) {
  return fmt::format("hsl({:.0f} 70% 38%)", std::fmod(137.508 * static_cast<double>(state), 360));
}

LineChart chart_of(const std::vector<ThesisResult>& sweep, const std::vector<State>& states,
                   const std::string& machine) {
  LineChart chart{.title = "One product, each size from 0 to 90 % zeros: " + machine,
                  .x_title = "rows = columns, zeros rising within each",
                  .ticks = {},
                  .lines = {}};
  for (std::size_t s = 0; s < states.size(); ++s) {
    chart.lines.push_back({name(states[s]), color_of(s), false, {}});
  }
  for (const AdaptiveRun& run : sweep.front().adaptive) {
    chart.lines.push_back({fmt::format("adaptive, {} call{}", run.calls, run.calls == 1 ? "" : "s"),
                           run.calls == 1 ? "#2563eb" : "#f59e0b",
                           true,
                           {}});
  }
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    if (sweep[i].what.percent_zeros == 0) {
      chart.ticks.push_back({i, std::to_string(sweep[i].what.size)});
    }
    for (std::size_t s = 0; s < states.size(); ++s) {
      chart.lines[s].seconds.push_back(sweep[i].product_seconds.at(states[s]));
    }
    for (std::size_t a = 0; a < sweep[i].adaptive.size(); ++a) {
      chart.lines[states.size() + a].seconds.push_back(sweep[i].adaptive[a].product_seconds);
    }
  }
  return chart;
}

std::string machine_name(const Runtime& runtime) {
  std::string text = runtime.executors().front()->facts().name;
  if (runtime.executors().size() > 1) text += ", " + runtime.executors()[1]->facts().name;
  return text;
}

void write_file(const std::filesystem::path& file, const std::string& contents) {
  std::ofstream out(file);
  out << contents;
  if (!out.flush()) throw Error(ErrorCode::IoError, "cannot write", file.string());
}

int run(const std::filesystem::path& folder, Index largest) {
  const Runtime runtime;
  fmt::print("{}\n{}\n", machine_name(runtime),
             runtime.profile_problem().empty() ? "calibrated" : runtime.profile_problem());
  const std::vector<Index> calls{1, 100};
  nlohmann::json results{{"machine", machine_name(runtime)},
                         {"calibrated", runtime.profile()->calibrated},
                         {"cases", nlohmann::json::array()}};
  bool right = true;
  const auto keep = [&](const ThesisResult& result) {
    results["cases"].push_back(to_json(result));
    for (const AdaptiveRun& adaptive : result.adaptive) right = right && adaptive.right;
  };
  for (const ThesisCase& what : table_cases()) {
    if (what.size > largest) continue;
    const ThesisResult result = measure_case(runtime, what, calls);
    print_case(result);
    keep(result);
  }
  std::vector<ThesisResult> sweep;
  for (const ThesisCase& what : sweep_cases(largest)) {
    sweep.push_back(measure_case(runtime, what, calls));
    keep(sweep.back());
    std::cerr << '.' << std::flush;
  }
  std::cerr << '\n';
  std::filesystem::create_directories(folder);
  write_file(folder / "thesis_cases.json", results.dump(1) + "\n");
  write_file(folder / "thesis_case_e.svg",
             to_svg(chart_of(sweep, thesis_states(runtime), machine_name(runtime))));
  fmt::print("Case E: {}\n", (folder / "thesis_case_e.svg").string());
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The thesis's test cases A to E on this machine"};
  std::string folder = ".";
  Index largest = 7000;
  app.add_option("--output", folder, "Folder for thesis_cases.json and thesis_case_e.svg");
  app.add_option("--largest", largest, "Leaves out larger matrices")->check(CLI::Range(100, 7000));
  CLI11_PARSE(app, argc, argv);
  try {
    return run(folder, largest);
  } catch (const std::exception& error) {
    std::cerr << "thesis_cases: error: " << error.what() << '\n';
    return 1;
  }
}
