// `switchyard report`: one page that holds all it needs, whatever stands in the files it is made
// of.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <switchyard/backends/operations.hpp>
#include <switchyard/models/builtin.hpp>

#include "command_runner.hpp"
#include "model_keys.hpp"
#include "packed_json_reader.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

Features features_of(const ModelKey& key, Structure structure) {
  structure.distinct_values = 1;  // so that every format can hold it
  switch (key.operation) {
    case Operation::Multiply:
      return multiply_features(key.from.format, structure, key.precision);
    case Operation::Convert:
      return convert_features(key.from.format, key.to.format, structure, key.precision);
    case Operation::Transfer:
      return transfer_features(static_cast<double>(structure.nnz) * 8);
    case Operation::Build:
      break;
  }
  return build_features();
}

/// The same models, with samples that lie a little off them.
std::vector<CostModel> with_samples(const Profile& profile) {
  std::vector<CostModel> models = profile.models();
  for (CostModel& model : models) {
    model.quality = {.samples = 60, .r_squared = 0.995, .median_error = 0.04, .p95_error = 0.2};
    for (int i = 0; i < 60; ++i) {
      const auto rows = static_cast<Index>(20 * std::pow(1.12, i));
      const auto structure = even_structure<float>(rows, rows, std::pow(0.7, i % 12));
      const Features features = features_of(model.key, structure);
      const double seconds = model.predict(features).seconds * (1 + 0.1 * std::sin(i));
      model.samples.push_back({features, seconds});
    }
  }
  models.front().quality.median_error = 0.3;
  return models;
}

/// A machine with so many devices, each ten times as fast as the one before.
Profile machine_with(int devices, const std::string& device_name = "a device") {
  Fingerprint fingerprint{
      .cpu = "a processor", .threads = 8, .library_version = "0.0.1", .devices = {}};
  std::vector<ModelKey> keys;
  add_keys<float>(keys, Space::host(), Backend::OpenMP);
  add_keys<double>(keys, Space::host(), Backend::OpenMP);
  std::vector<SpaceFigures> figures{SpaceFigures{}};
  for (int k = 0; k < devices; ++k) {
    fingerprint.devices.push_back({device_name, "1.0"});
    add_keys<float>(keys, Space::device(k), Backend::OpenCL);
    add_keys<double>(keys, Space::device(k), Backend::OpenCL);
    keys.push_back(transfer_key(Space::host(), Space::device(k)));
    keys.push_back(transfer_key(Space::device(k), Space::host()));
    figures.push_back(SpaceFigures{.bytes_per_second = 1e11 * std::pow(10, k)});
  }
  Profile profile(fingerprint, with_samples(builtin_profile(fingerprint, keys, figures)));
  profile.created = "2024-01-01T00:00:00Z";
  profile.calibration_seconds = 17;
  return profile;
}

/// The document in the page. Fails where it cannot be cut out or does not parse.
Json document_in(const std::string& page) {
  const std::string open = "id=\"report-data\">";
  const auto begin = page.find(open);
  const auto end = page.find("</script>", begin);
  EXPECT_NE(begin, std::string::npos);
  EXPECT_NE(end, std::string::npos);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const auto start = begin + open.size();
  Json document = Json::parse(page.substr(start, end - start), nullptr, false);
  EXPECT_FALSE(document.is_discarded());
  return document.is_discarded() ? document : unpacked(document, document["#shared"]);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class Report : public CommandTest {
 protected:
  Report() { environment["SWITCHYARD_DEVICES"] = "none"; }
  std::string saved(const Profile& profile, const std::string& name = "profile.json") {
    save_profile(profile, file(name));
    return file(name);
  }
  std::string page_of(const Words& words) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return read_file(file("report.html"));
  }
};

TEST_F(Report, ThePageHoldsTheDocumentThatJsonPrints) {
  const std::string profile = saved(machine_with(1));
  Json document = run_json({"report", profile});
  EXPECT_FALSE(fs::exists("switchyard-report.html"));
  Json in_page = document_in(page_of({"report", profile, "--output", file("report.html")}));
  document.erase("made");
  in_page.erase("made");
  EXPECT_EQ(document, in_page);
  EXPECT_EQ(document["machine"]["cpu"], "a processor");
  EXPECT_EQ(document["machine"]["devices"].size(), 1);
  EXPECT_EQ(document["machine"]["calibration_seconds"], 17);
  EXPECT_TRUE(document["decisions"].is_null());
  Json states = Json::array();
  for (const Space space : {Space::host(), Space::device(0)}) {
    for (const FormatFacts& facts : format_table) {
      if (!facts.obstacle) states.push_back(name(State{space, facts.format}));
    }
  }
  EXPECT_EQ(document["map"]["states"], states) << "every format that any matrix can be in";
  EXPECT_EQ(document["models"].size(), machine_with(1).models().size());
}

TEST_F(Report, GoesToThisFolderOrToStandardOutputOrWhereTold) {
  const std::string profile = saved(machine_with(0));
  const fs::path before = fs::current_path();
  fs::current_path(file("."));
  const Ended here = run({"report", profile});
  fs::current_path(before);
  EXPECT_EQ(here.exit_code, 0) << here.errors;
  EXPECT_NE(here.output.find("switchyard-report.html"), std::string::npos);
  const std::string page = read_file(file("switchyard-report.html"));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));

  const Ended printed = run({"report", profile, "--output", "-"});
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.errors, "");
  EXPECT_TRUE(printed.output.starts_with("<!doctype html>"));

  const Json both = run_json({"report", profile, "--output", file("both.html")});
  EXPECT_EQ(both["map"], document_in(read_file(file("both.html")))["map"]);
}

TEST_F(Report, NeedsNothingOutsideOfItself) {
  const std::string page =
      page_of({"report", saved(machine_with(1)), "--output", file("report.html")});
  EXPECT_EQ(occurrences(page, "http://"), 1);  // the name of SVG, which is no address to load from
  EXPECT_EQ(occurrences(page, "http://www.w3.org/2000/svg"), 1);
  for (const char* part : {"https://", " src=", "<link", "@import", "url(//", "{{", "fetch("}) {
    EXPECT_EQ(occurrences(page, part), 0) << part;
  }
}

TEST_F(Report, NoTextFromAFileBecomesMarkup) {
  const std::string name = "</script><script>alert(1)</script><!-- {{style}} \" ' & \xff";
  const std::string page =
      page_of({"report", saved(machine_with(1, name)), "--output", file("report.html")});
  EXPECT_EQ(occurrences(page, "<script"), 2);
  EXPECT_EQ(occurrences(page, "</script"), 2);
  EXPECT_EQ(occurrences(page, "alert(1)"), 1);
  const std::string shown = document_in(page)["machine"]["devices"][0]["name"];
  EXPECT_TRUE(shown.starts_with("</script><script>alert(1)</script><!-- {{style}} \" ' &"));
}

TEST_F(Report, StaysBelowTwoMegabytesOnALargeMachine) {
  for (const int devices : {1, 5}) {
    SCOPED_TRACE(devices);
    const std::string page = page_of({"report", saved(machine_with(devices)), "--decisions",
                                      SWITCHYARD_TEST_RESULTS "/h200/bench_decisions_real.json",
                                      "--output", file("report.html")});
    const Json document = document_in(page);
    EXPECT_LT(page.size(), 2'000'000);
    EXPECT_EQ(document["map"]["states"].size(),
              static_cast<std::size_t>(
                  std::ranges::count(format_table, nullptr, &FormatFacts::obstacle)) *
                  static_cast<std::size_t>(1 + devices));
    EXPECT_LE(document["map"]["from"].size(), 8);
    for (const Json& model : document["models"]) {
      EXPECT_EQ(model["points"].size(), 60) << model["of"];
    }
  }
}

/// The cheapest state of the map in that cell.
std::string best_in(const Json& map, const Json& entry, std::size_t size, std::size_t cell,
                    double* margin) {
  const Json& layer = map["precisions"][entry["precision"].get<std::string>()];
  const Json& states = map["states"];
  const Json& starts = map["from"];
  const auto from =
      static_cast<std::size_t>(std::ranges::find(starts, entry["from"]) - starts.begin());
  const double calls = entry["calls"];
  std::vector<std::pair<double, std::string>> totals;
  for (std::size_t s = 0; s < states.size(); ++s) {
    const Json& way = layer["way"][from][s][cell];
    if (way.is_null()) continue;
    const double multiply = layer["multiply"][s][cell];
    const bool stay = entry["vectors"] == "stay";
    const double first = stay ? layer["first"][s][size].get<double>() : 0;
    const double vector = stay ? 0 : layer["vector"][s][size].get<double>();
    totals.emplace_back(way.get<double>() + first + calls * (multiply + vector), states[s]);
  }
  std::ranges::sort(totals);
  *margin = totals.size() > 1 ? totals[1].first / totals[0].first : 2;
  return totals.front().second;
}

TEST_F(Report, TheMapAndTheTurningPointsTellTheSame) {
  const Json document = run_json({"report", saved(machine_with(2))});
  const Json& map = document["map"];
  int compared = 0;
  int turns = 0;
  for (const Json& entry : document["turning_points"]) {
    const auto place = std::ranges::find(map["rows"], entry["rows"]);
    if (place == map["rows"].end()) continue;
    const auto size = static_cast<std::size_t>(place - map["rows"].begin());
    const std::size_t wide = map["densities"].size();
    turns += static_cast<int>(entry["turns"].size());
    for (std::size_t j = 0; j < wide; ++j) {
      std::string expected = entry["first"];
      for (const Json& turn : entry["turns"]) {
        if (turn["density"].get<double>() <= map["densities"][j].get<double>() * 1.001) {
          expected = turn["to"];
        }
      }
      double margin = 0;
      const std::string best = best_in(map, entry, size, size * wide + j, &margin);
      if (margin < 1.002) continue;  // a tie, of numbers with four digits
      ++compared;
      EXPECT_EQ(best, expected) << entry << " at " << map["densities"][j];
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(turns, 10);
}

TEST_F(Report, TheMapHasTheCostsThatExplainGives) {
  const std::string profile = saved(machine_with(1));
  const Json map = run_json({"report", profile})["map"];
  const auto index = [](const Json& list, double value) {
    const auto place = std::ranges::find_if(
        list, [&](const Json& entry) { return std::abs(entry.get<double>() / value - 1) < 1e-3; });
    EXPECT_NE(place, list.end()) << value;
    return static_cast<std::size_t>(place - list.begin());
  };
  // Explain looks at some columns of a matrix, the map knows how they are spread: only a large one
  // is alike to both.
  const std::size_t size = index(map["rows"], 4096);
  const std::size_t cell = size * map["densities"].size() + index(map["densities"], 0.1);
  const Json& layer = map["precisions"]["float"];
  const Json plan = run_json(
      {"explain", "uniform:4096:0.1", "--calls", "50", "--from", "csr@host", "--profile", profile});
  Json known = plan["alternatives"];
  known.push_back({{"state", plan["plan"]["steps"].back()["state"]},
                   {"predicted_seconds", plan["plan"]["predicted_seconds"]}});
  ASSERT_LE(known.size(), map["states"].size()) << "those that are too large for such a matrix too";
  ASSERT_GE(known.size(), 12U);
  const auto start =
      static_cast<std::size_t>(std::ranges::find(map["from"], "csr@host") - map["from"].begin());
  for (const Json& entry : known) {
    const auto s = static_cast<std::size_t>(std::ranges::find(map["states"], entry["state"]) -
                                            map["states"].begin());
    const double each =
        layer["multiply"][s][cell].get<double>() + layer["vector"][s][size].get<double>();
    const double total = layer["way"][start][s][cell].get<double>() + 50 * each;
    const double expected = entry["predicted_seconds"];
    // What is known of all rows tells little of packets and of the rows beyond a width.
    const std::string state = entry["state"];
    const bool is_rough = state.starts_with("packet@") || state.starts_with("hyb@");
    EXPECT_NEAR(total, expected, (is_rough ? 0.25 : 0.05) * expected) << state;
  }
}

TEST_F(Report, EachModelHasItsSamplesAndWhatItPredictsThere) {
  const Json document = run_json({"report", saved(machine_with(1))});
  const std::size_t cells = document["map"]["rows"].size() * document["map"]["densities"].size();
  int weak = 0;
  for (const Json& model : document["models"]) {
    SCOPED_TRACE(model["of"].dump());
    weak += model["weakness"].is_null() ? 0 : 1;
    EXPECT_EQ(model["points"].size(), 60);
    for (const Json& point : model["points"]) {
      ASSERT_EQ(point.size(), 5);
      EXPECT_NEAR(point[4].get<double>() / point[3].get<double>(), 1, 0.12);
    }
    if (model["operation"] == "transfer") {
      EXPECT_GT(model["line"].size(), 10);
      continue;
    }
    EXPECT_EQ(model["seconds"].size(), cells);
    EXPECT_EQ(model["beyond"].get<std::string>().size(), cells);
    EXPECT_EQ(document["bytes"][model["bytes_of"].get<std::string>()].size(), cells);
    // A dense product keeps no density; it is that of the conversion of the same matrix.
    EXPECT_FALSE(model["points"][30][1].is_null());
  }
  EXPECT_EQ(weak, 1);
}

TEST_F(Report, DecisionsAreSummedUpAsTheBenchmarkDoes) {
  const std::string recorded = SWITCHYARD_TEST_RESULTS "/h200/bench_decisions_generated.json";
  const Json document =
      run_json({"report", saved(machine_with(1)), "--decisions", recorded})["decisions"];
  const Json summary = Json::parse(read_file(recorded))["summary"];
  for (const std::string group : {"hinted", "unhinted"}) {
    for (const std::string key : {"count", "geometric_mean", "p95", "maximum"}) {
      const double expected = summary[group][key];
      EXPECT_NEAR(document["groups"][group][key].get<double>(), expected, 0.001 * expected)
          << group << " " << key;
    }
  }
  EXPECT_EQ(document["worst"][0]["regret"], document["groups"]["unhinted"]["maximum"]);
  EXPECT_EQ(document["machine"]["cpu"], "Intel(R) Xeon(R) Processor");
}

TEST_F(Report, BadFilesAreToldInOneLine) {
  const std::string good = saved(machine_with(0));
  write_file("bad.json", "{\"not\": \"a profile\"}");
  write_file("empty.json", "");
  write_file("other.json", "[1, 2]");
  write_file("none.json", "{\"workloads\": []}");
  write_file("odd.json", "{\"workloads\": [{\"matrix\": 7}]}");
  expect_one_error_line(run({"report", file("bad.json")}), 1, "bad.json");
  expect_one_error_line(run({"report", file("empty.json")}), 1, "empty.json");
  expect_one_error_line(run({"report", file("missing.json")}), 1, "missing.json");
  expect_one_error_line(run({"report", file(".")}), 1, "cannot read");
  expect_one_error_line(run({"report"}), 1, "switchyard calibrate");
  const std::string nothing =
      saved(Profile(Fingerprint{"idle", 1, "0.0.1", {}}, {}), "nothing.json");
  expect_one_error_line(run({"report", nothing}), 1, "no product has a model");
  write_file("deep.json",
             "{\"workloads\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
  fs::copy_file(SWITCHYARD_TEST_RESULTS "/h200/decisions.json", file("timings.json"));
  expect_one_error_line(run({"report", good, "--decisions", file("timings.json")}), 1,
                        "timings of decision_benchmark");
  for (const char* name :
       {"empty.json", "missing.json", "other.json", "none.json", "odd.json", "deep.json"}) {
    SCOPED_TRACE(name);
    const Ended ended =
        run({"report", good, "--decisions", file(name), "--output", file("page.html")});
    expect_one_error_line(ended, 1, name);
    EXPECT_FALSE(fs::exists(file("page.html")));
  }
  expect_one_error_line(run({"report", good, "--decisions", file(".")}), 1, "cannot read");
}

TEST_F(Report, WhatCannotBeWrittenIsToldAndLeavesTheOldPage) {
  const std::string profile = saved(machine_with(0));
  write_file("file", "");
  expect_one_error_line(run({"report", profile, "--output", file("file/page.html")}), 1,
                        "cannot write");
  expect_one_error_line(run({"report", profile, "--output", file(".")}), 1, "cannot write");
  expect_one_error_line(run({"report", profile, "--output", "/dev/full"}), 1, "cannot write");
  expect_one_error_line(run({"report", profile, "--output", "/proc/page.html"}), 1, "cannot write");
  const Ended full = run({"report", profile, "--output", "-"}, Output::Full);
  EXPECT_EQ(full.exit_code, 1);
}

TEST_F(Report, ReplacesAnOldPageInOneGo) {
  const std::string profile = saved(machine_with(0));
  fs::create_directory(file("pages"));
  write_file("pages/page.html", "the old page");
  // Who reads the old page goes on reading it: the new one is another file of the same name.
  std::ifstream reader(file("pages/page.html"));
  EXPECT_EQ(run({"report", profile, "--output", file("pages/page.html")}).exit_code, 0);
  std::string old;
  std::getline(reader, old);
  EXPECT_EQ(old, "the old page");
  EXPECT_TRUE(read_file(file("pages/page.html")).starts_with("<!doctype html>"));
  EXPECT_EQ(std::distance(fs::directory_iterator(file("pages")), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace switchyard::test
