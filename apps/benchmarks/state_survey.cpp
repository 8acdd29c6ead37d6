// Real matrices in every fixed state and under automatic choice, moves included.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <switchyard/switchyard.hpp>

using namespace switchyard;
using Json = nlohmann::json;
using Timer = std::chrono::steady_clock;

namespace {

constexpr double most_dense_bytes = 5e8;
constexpr int fewest_rounds = 3;
constexpr int most_rounds = 9;
constexpr double seconds_for_rounds = 0.3;  // of all candidates of one workload

/// One matrix, where it starts, and how many products are made of it.
template <Element T>
struct Workload {
  std::string matrix;
  const Storage<T>* contents = nullptr;
  State initial;
  Index calls = 1;
  std::vector<T> x;
};

/// Lets the host's threads do something: after a while on a device they are asleep, and whoever
/// comes next would pay for waking them.
void wake_threads(const Runtime& runtime) {
  static const auto matrix =
      runtime.matrix(generate<float>({.kind = MatrixKind::Poisson2d, .rows = 40'000}));
  static const Vector<float> x(matrix.cols(), 1.0F);
  static Vector<float> y(matrix.rows());
  matrix.pin({Space::host(), Format::Csr});
  for (int i = 0; i < 3; ++i) matrix.multiply(x, y);
}

/// Seconds for all products and moves, y on the host at the end.
struct Outcome {
  double seconds = 0;
  State state;
  bool right = false;
};

template <Element T>
Outcome run_once(const Runtime& runtime, const Workload<T>& work, std::optional<State> pinned,
                 const std::vector<ReferenceRow>& expected) {
  const auto matrix = runtime.matrix(transferred(*work.contents, plain_host_memory()));
  matrix.bring_to(work.initial);
  for (const State other : matrix.states()) {
    if (other != work.initial) matrix.evict(other);
  }
  const Vector<T> x{std::span<const T>(work.x)};
  Vector<T> y(matrix.rows());
  if (pinned) matrix.pin(*pinned);
  wake_threads(runtime);
  const auto begin = Timer::now();
  matrix.expect_calls(work.calls);
  for (Index i = 0; i < work.calls; ++i) matrix.multiply(x, y);
  const auto result = y.read();
  const double seconds = std::chrono::duration<double>(Timer::now() - begin).count();
  return {seconds, matrix.history().back().to, worst_error<T>(expected, result) <= 1};
}

/// The automatic choice (no state) or a fixed state, and what came of it in each round.
struct Candidate {
  std::optional<State> pinned;
  std::vector<Outcome> outcomes = {};

  [[nodiscard]] Outcome median() const {
    std::vector<Outcome> sorted = outcomes;
    std::ranges::sort(sorted, {}, &Outcome::seconds);
    return sorted[sorted.size() / 2];
  }
  [[nodiscard]] bool right() const { return std::ranges::all_of(outcomes, &Outcome::right); }
};

/// All candidates in turn, round after round, so that what disturbs the machine for a while
/// disturbs all of them; each round begins with another one. The first round does not count.
template <Element T>
void run_rounds(const Runtime& runtime, const Workload<T>& work, std::vector<Candidate>& candidates,
                const std::vector<ReferenceRow>& expected) {
  int rounds = most_rounds;
  for (int round = 0; round <= rounds; ++round) {
    double seconds = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      auto& candidate = candidates[(i + static_cast<std::size_t>(round)) % candidates.size()];
      const Outcome outcome = run_once(runtime, work, candidate.pinned, expected);
      seconds += outcome.seconds;
      if (round > 0) candidate.outcomes.push_back(outcome);
    }
    if (round == 0) {
      const double affordable = seconds_for_rounds / std::max(seconds, 1e-9);
      rounds = static_cast<int>(std::clamp(affordable, double{fewest_rounds}, double{most_rounds}));
    }
  }
}

template <Element T>
std::vector<State> possible_states(const Runtime& runtime, const Structure& structure) {
  std::vector<State> states;
  for (const auto& executor : runtime.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    for (const auto& facts : format_table) {
      if (facts.bytes(structure, Index{sizeof(T)}) > most_dense_bytes) continue;
      states.push_back({executor->space(), facts.format});
    }
  }
  return states;
}

template <Element T>
Json measure(const Runtime& runtime, const Workload<T>& work, const std::vector<State>& states) {
  const auto expected = reference_multiply<T>(*work.contents, T{1}, work.x, T{0}, {});
  std::vector<Candidate> candidates{{std::nullopt}};
  for (const State state : states) candidates.push_back({state});
  run_rounds(runtime, work, candidates, expected);

  const Outcome adaptive = candidates.front().median();
  Json row{{"matrix", work.matrix},
           {"precision", name(precision_of<T>)},
           {"initial", name(work.initial)},
           {"calls", work.calls},
           {"rounds", candidates.front().outcomes.size()},
           {"chosen", name(adaptive.state)},
           {"seconds_adaptive", adaptive.seconds},
           {"verified", std::ranges::all_of(candidates, &Candidate::right)}};
  Outcome best{.seconds = std::numeric_limits<double>::infinity(), .state = {}};
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const Outcome fixed = candidates[i].median();
    row["seconds_fixed"][name(*candidates[i].pinned)] = fixed.seconds;
    if (fixed.seconds < best.seconds) best = {fixed.seconds, *candidates[i].pinned, true};
  }
  row["best"] = name(best.state);
  row["regret"] = adaptive.seconds / best.seconds;
  fmt::print("{:<32} {:<6} {:<12} {:>5} {:<13} {:>9} {:<13} {:>9} {:>6.2f}{}\n", work.matrix,
             name(precision_of<T>), name(work.initial), work.calls, name(adaptive.state),
             format_seconds(adaptive.seconds), name(best.state), format_seconds(best.seconds),
             row["regret"].get<double>(), row["verified"].get<bool>() ? "" : "  WRONG");
  return row;
}

template <Element T>
void survey_file(const Runtime& runtime, const std::filesystem::path& file, Json& rows) {
  const Storage<T> contents = read_matrix_market<T>(file);
  const Structure structure =
      std::visit([](const auto& matrix) { return structure_of(matrix); }, contents);
  const auto states = possible_states<T>(runtime, structure);
  Workload<T> work{
      .matrix = file.filename().string(), .contents = &contents, .initial = {}, .x = {}};
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> value(-1, 1);
  for (Index i = 0; i < structure.cols; ++i) work.x.push_back(static_cast<T>(value(engine)));
  for (const State initial : states) {
    for (const Index calls : {1, 100}) {
      work.initial = initial;
      work.calls = calls;
      rows.push_back(measure(runtime, work, states));
    }
  }
}

/// Builds every kernel that will be used, so that no workload pays for another's.
void warm_up(const Runtime& runtime) {
  for (const auto& executor : runtime.executors()) {
    for (const auto program : {"dense_multiply", "csr_multiply", "dense_to_csr", "csr_to_dense"}) {
      executor->build(program, Precision::Float);
      if (executor->supports(Precision::Double)) executor->build(program, Precision::Double);
    }
  }
}

Json machine_of(const Runtime& runtime) {
  Json spaces = Json::array();
  for (const auto& executor : runtime.executors()) {
    spaces.push_back({{"space", name(executor->space())},
                      {"name", executor->facts().name},
                      {"driver", executor->facts().driver},
                      {"units", executor->facts().compute_units}});
  }
  return spaces;
}

Json summary_of(const Json& rows) {
  double logs = 0;
  double worst = 1;
  bool right = true;
  for (const Json& row : rows) {
    const double regret = row["regret"];
    logs += std::log(regret);
    worst = std::max(worst, regret);
    right = right && row["verified"].get<bool>();
  }
  const auto count = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  return {{"workloads", rows.size()},
          {"regret_geometric_mean", std::exp(logs / count)},
          {"regret_maximum", worst},
          {"verified", right}};
}

int run(const std::string& folder, const std::string& output, const std::string& command) {
  const Runtime runtime;
  if (!runtime.profile_problem().empty()) fmt::print("{}\n", runtime.profile_problem());
  warm_up(runtime);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".mtx") || file.ends_with(".mtx.gz")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  fmt::print("{:<32} {:<6} {:<12} {:>5} {:<13} {:>9} {:<13} {:>9} {:>6}\n", "matrix", "", "initial",
             "calls", "chosen", "total", "best fixed", "total", "regret");
  Json rows = Json::array();
  for (const auto& file : files) {
    try {
      survey_file<float>(runtime, file, rows);
      survey_file<double>(runtime, file, rows);
    } catch (const Error& error) {
      fmt::print("{}\n", error.what());
    }
    std::cout << std::flush;
  }
  const Json summary = summary_of(rows);
  fmt::print("{}\n", summary.dump());
  if (!output.empty()) {
    const Json document{{"command", command},
                        {"machine", machine_of(runtime)},
                        {"calibrated", runtime.profile()->calibrated},
                        {"summary", summary},
                        {"workloads", rows}};
    std::ofstream out(output);
    out << document.dump(1) << '\n';
    if (!out.flush()) throw Error(ErrorCode::IoError, "cannot write", output);
  }
  return summary["verified"].get<bool>() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Every Matrix Market file of a folder, in every state and adaptively"};
  std::string folder;
  std::string output;
  app.add_option("folder", folder, "Folder of .mtx and .mtx.gz files")->required();
  app.add_option("--output", output, "JSON file for the results");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(folder, output, "state_survey MATRICES --output FILE");
  } catch (const std::exception& error) {
    std::cerr << "state_survey: error: " << error.what() << '\n';
    return 1;
  }
}
