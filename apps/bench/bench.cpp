// `switchyard bench`: how fast kernels, conversions and transfers are on this machine, and how good
// the decisions among them are.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "bench_report.hpp"
#include "command/interruption.hpp"
#include "command/machine.hpp"
#include "command/values.hpp"
#include "decisions_replay.hpp"
#include "decisions_table.hpp"
#include "kernels.hpp"
#include "load.hpp"
#include "options.hpp"

namespace switchyard::command {
namespace bench {
namespace {

bool on_nvidia(const Runtime& runtime) {
  return std::ranges::any_of(runtime.executors(), [](const auto& executor) {
    return executor->facts().vendor.starts_with("NVIDIA");
  });
}

void check_states(const BenchOptions& options, const Runtime& runtime) {
  for (const State state : options.states) check_space(state.space, runtime.executors().size());
}

std::string first_of(const std::vector<std::string>& failures) {
  if (failures.empty()) return {};
  if (failures.size() == 1) return failures.front();
  return fmt::format("{}; and {} more failures", failures.front(), failures.size() - 1);
}

/// Needs no machine, and so says nothing of one.
Outcome run_replay(const BenchOptions& options, const CommonOptions& common) {
  const DecisionResults results =
      replay_decisions(read_cost_table(options.replay), decision_calls(options));
  if (!common.json) return {decisions_text(results)};
  Json document;
  add_decisions(document, results);
  return {json_text(document)};
}

/// `bench programs` has programs of its own for other requests, on matrices that are named.
void check_request(const BenchOptions& options) {
  const auto only = [&](const char* word) {
    return options.words == std::vector<std::string>{word};
  };
  if (only("kernels") || only("decisions")) return;
  if (!only("programs")) {
    throw UsageError("--columns and --transposed are for kernels, decisions and programs only", "",
                     "name one of them: switchyard bench kernels");
  }
  if (options.specs.empty() && options.folder.empty()) {
    throw UsageError("--columns and --transposed need a matrix for programs", "",
                     "name one with --matrix");
  }
}

Outcome run_bench(const BenchOptions& options, const CommonOptions& common) {
  if (options.quick && options.thorough) {
    throw UsageError("--quick and --thorough exclude each other");
  }
  if (!options.replay.empty()) {
    if (options.words.empty() || options.wants("decisions")) return run_replay(options, common);
    throw UsageError("--replay is for decisions only");
  }
  if (options.request != Request{}) check_request(options);
  const std::vector<Subject> subjects =
      options.wants("kernels") ? subjects_for(options) : std::vector<Subject>{};
  const InterruptionGuard guard;
  Machine machine = open_machine({});
  check_states(options, machine.runtime);
  const BusyProcesses busy(options.load);
  ProgressBar bar(!common.quiet);
  Laboratory lab{.options = options,
                 .runtime = machine.runtime,
                 .profile = machine.runtime.profile(),
                 .peers = options.peers ? find_peers(on_nvidia(machine.runtime)) : PeerTable{},
                 .bar = bar};
  BenchResults results;
  if (options.wants("kernels")) results.kernels = bench_kernels(lab, subjects);
  if (options.wants("conversions")) results.conversions = bench_conversions(lab);
  if (options.wants("transfers")) results.transfers = bench_transfers(lab);
  if (options.wants("decisions") || options.wants("programs"))
    results.decisions = bench_decisions(lab);
  if (options.wants("callers")) results.callers = bench_callers(lab);
  if (lab.skipped > 0) {
    lab.failures.push_back(fmt::format("interrupted with {} part{} still to measure",
                                       format_count(lab.skipped), lab.skipped == 1 ? "" : "s"));
  }
  return {common.json ? json_text(bench_document(lab, machine, results))
                      : bench_text(lab, machine, results),
          first_of(lab.failures)};
}

void add_word(CLI::App& app, BenchOptions& options) {
  const auto parse = [&options](const std::string& word) {
    constexpr std::array known{"kernels", "conversions", "transfers",
                               "callers", "programs",    "decisions"};
    if (std::ranges::find(known, word) == known.end()) {
      throw UsageError("'" + word + "' is no benchmark", "",
                       "benchmarks are kernels, conversions, transfers, callers, programs,"
                       " decisions");
    }
    options.words = {word};
  };
  app.add_option_function<std::string>(
         "BENCHMARK", parse,
         "kernels, conversions, transfers (default: these three), callers, programs, or\n"
         "decisions, which takes several minutes")
      ->type_name("");
}

void add_matrices(CLI::App& app, BenchOptions& options) {
  app.add_option("--matrices", options.folder,
                 "measure on every .mtx and .mtx.gz file of this folder")
      ->type_name("DIR");
  app.add_option("--matrix", options.specs,
                 "measure on this file or KIND:ROWS[:DENSITY]; may be repeated (default: a list\n"
                 "of generated matrices)")
      ->type_name("MATRIX")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// What restricts the cases that are measured.
void add_restrictions(CLI::App& app, BenchOptions& options) {
  app.add_option_function<std::vector<std::string>>(
         "--state",
         [&options](const std::vector<std::string>& words) {
           for (const auto& word : words) {
             options.states.push_back(parse_state_word(word, "--state"));
           }
         },
         "only this state (conversions: from or to it; transfers: only its space); may be repeated")
      ->type_name("STATE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option_function<std::string>(
         "--precision",
         [&options](const std::string& text) {
           if (text != "float" && text != "double") {
             throw UsageError("'" + text + "' is no precision", "--precision",
                              "use float or double");
           }
           options.precision = text == "float" ? Precision::Float : Precision::Double;
         },
         "only float, or only double (default both)")
      ->type_name("TYPE");
  app.add_option_function<std::vector<std::string>>(
         "--calls",
         [&options](const std::vector<std::string>& words) {
           std::set<Index> calls;
           for (const auto& word : words) calls.insert(parse_index(word, "--calls", 1));
           options.calls.assign(calls.begin(), calls.end());
         },
         "decisions: only workloads of so many calls; may be repeated (default 1, 3, 10, 30,\n"
         "100, 1000); callers: the calls of each (default: 50 ms of one caller's time in all)")
      ->type_name("N")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace
}  // namespace bench

Action add_bench(CLI::App& app) {
  const auto options = std::make_shared<bench::BenchOptions>();
  bench::add_word(app, *options);
  bench::add_matrices(app, *options);
  bench::add_restrictions(app, *options);
  add_request(app, options->request);
  app.add_flag("--peers", options->peers,
               "also run the other libraries found on this machine, on the same data");
  add_index(app, "--repetitions", options->repetitions, 1,
            "timed batches of each case (default 9)");
  add_index(app, "--load", options->load, 0,
            "busy processes beside the measurement, to see what holds on a shared machine; times\n"
            "are then means of 20 rounds, or as many as 30 seconds allow (default 0)");
  const auto callers = [options](const std::string& text) {
    constexpr Index most = 1024;
    options->callers = parse_index(text, "--callers", 1);
    if (options->callers > most) throw UsageError("more than 1024 callers", "--callers");
  };
  app.add_option_function<std::string>("--callers", callers,
                                       "callers: threads that multiply at once (default 8)")
      ->type_name("N");
  app.add_flag(
      "--variants", options->variants,
      "decisions: also hold each kernel variant of the host's states fixed, as --load does");
  app.add_option(
         "--replay", options->replay,
         "decide again with the costs that 'bench decisions --json' recorded in this file;\n"
         "measures nothing")
      ->type_name("FILE");
  app.add_flag("--quick", options->quick, "smaller matrices, shorter batches, fewer rounds");
  app.add_flag("--thorough", options->thorough, "larger transfers, more rounds of decisions");
  return [options](const CommonOptions& common) { return bench::run_bench(*options, common); };
}

}  // namespace switchyard::command
