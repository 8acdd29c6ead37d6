// The document and the text around the measurements: the machine, the peers, what was left out.
#include "bench_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <switchyard/core/plan.hpp>

#include "command/table.hpp"

namespace switchyard::command::bench {
namespace {

/// The words that this process was started with.
Json command_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Json words = Json::array();
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words[0] = "switchyard";
  return words;
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Json machine_json(const Laboratory& lab, const Machine& machine) {
  const ExecutorFacts& host = lab.runtime.executors().front()->facts();
  Json devices = Json::array();
  for (const auto& executor : lab.runtime.executors()) {
    if (executor->space().is_host()) continue;
    devices.push_back({{"space", name(executor->space())},
                       {"name", executor->facts().name},
                       {"driver", executor->facts().driver}});
  }
  return {{"cpu", host.name},
          {"threads", host.compute_units},
          {"cache_bytes", host.cache_bytes},
          {"compiler", host.driver},
          {"devices", devices},
          {"profile", profile_json(*lab.profile, machine.profile_problem)}};
}

Json peers_json(const PeerTable& peers) {
  Json list = Json::array();
  for (const PeerLibrary& peer : peers) {
    const bool found =
        !(peer.products.empty() && peer.conversions.empty() && peer.transfers.empty());
    list.push_back({{"name", peer.name},
                    {"found", found},
                    {"version", peer.version},
                    {"remark", peer.remark}});
  }
  return list;
}

std::string machine_text(const Laboratory& lab, const Machine& machine) {
  const ExecutorFacts& host = lab.runtime.executors().front()->facts();
  std::string text = fmt::format("host      {}, {} threads\n", host.name, host.compute_units);
  for (const auto& executor : lab.runtime.executors()) {
    if (executor->space().is_host()) continue;
    text += fmt::format("{:<8}  {}, {}\n", name(executor->space()), executor->facts().name,
                        executor->facts().driver);
  }
  if (lab.options.load > 0) {
    text += fmt::format("load      {} busy {}; times are means, stalls included\n",
                        lab.options.load, lab.options.load == 1 ? "process" : "processes");
  }
  text += "profile   " + profile_text(*lab.profile, machine.profile_problem) + "\n";
  for (const PeerLibrary& peer : lab.peers) {
    text += fmt::format("peer      {}", peer.name);
    if (!peer.version.empty()) text += " " + peer.version;
    if (!peer.remark.empty()) text += ": " + peer.remark;
    text += "\n";
  }
  return text;
}

/// What was left out, as far as it fits a page; the document has all of it.
std::string notes_text(const std::vector<std::string>& notes) {
  constexpr std::size_t most = 12;
  std::string text = notes.empty() ? "" : "\n";
  for (std::size_t i = 0; i < std::min(most, notes.size()); ++i) text += notes[i] + "\n";
  if (notes.size() <= most) return text;
  return text + fmt::format("and {} more; --json lists all\n", notes.size() - most);
}

}  // namespace

Json bench_document(const Laboratory& lab, const Machine& machine, const BenchResults& results) {
  Json document{
      {"command", command_words()}, {"date", now()}, {"machine", machine_json(lab, machine)}};
  if (lab.options.load > 0) document["load"] = lab.options.load;
  if (lab.options.peers) document["libraries"] = peers_json(lab.peers);
  if (lab.options.wants("kernels")) {
    const auto bandwidths = largest_bandwidths(results.kernels);
    document["bandwidth_bytes_per_second"] =
        results.kernels.empty() ? Json(nullptr)
                                : Json(bandwidths.at(name(results.kernels.front().state.space)));
    document["bandwidths"] = bandwidths;
    document["cases"] = kernel_cases_json(results.kernels, lab.options.peers);
    document["best_formats"] = best_formats_json(results.kernels);
    document["long_horizon"] = long_horizon_json(results.kernels);
    document["summary"] = kernel_summary_json(results.kernels);
  }
  if (lab.options.wants("conversions")) {
    document["conversions"] = conversions_json(results.conversions, lab.options.peers);
  }
  if (lab.options.wants("transfers")) {
    document["transfers"] = transfers_json(results.transfers, lab.options.peers);
  }
  if (lab.options.wants("decisions") && lab.options.request != Request{}) {
    document["mixes"] = mixes_json(results.decisions.mixes);
    document["summary"]["mixes"] = mixes_summary_json(results.decisions.mixes);
  } else if (lab.options.wants("decisions")) {
    add_decisions(document, results.decisions);
    if (lab.options.load > 0) {
      add_sums(document["summary"], results.decisions.cases);
    }
  }
  if (lab.options.wants("programs")) {
    document["programs"] = programs_json(results.decisions.programs);
    document["summary"]["programs"] = programs_summary_json(results.decisions.programs);
  }
  if (lab.options.wants("callers")) {
    document["callers"] = callers_json(results.callers);
    document["summary"] = callers_summary_json(results.callers);
  }
  document["left_out"] = lab.notes;
  document["failures"] = lab.failures;
  return document;
}

std::string bench_text(const Laboratory& lab, const Machine& machine, const BenchResults& results) {
  std::string text = machine_text(lab, machine);
  if (!results.kernels.empty()) text += "\n" + kernels_text(results.kernels);
  if (!results.conversions.empty()) text += "\n" + conversions_text(results.conversions);
  if (!results.transfers.empty()) text += "\n" + transfers_text(results.transfers);
  if (lab.options.wants("decisions") && lab.options.request != Request{}) {
    text += "\n" + mixes_text(results.decisions.mixes);
  } else if (lab.options.wants("decisions")) {
    text += "\n" + decisions_text(results.decisions);
    if (lab.options.load > 0) text += "\n" + sums_text(results.decisions.cases);
  }
  if (lab.options.wants("programs")) text += "\n" + programs_text(results.decisions.programs);
  if (!results.callers.empty()) text += "\n" + callers_text(results.callers);
  return text + notes_text(lab.notes);
}

}  // namespace switchyard::command::bench
