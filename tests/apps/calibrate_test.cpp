// `switchyard calibrate`: a profile comes out, whatever happens on the way.
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

class Calibrate : public CommandTest {
 protected:
  // Without devices it is a matter of seconds.
  Calibrate() { environment["SWITCHYARD_DEVICES"] = "none"; }
};

/// Whether the model is told to have lost timings to other programs, which a test cannot keep away.
void expect_disturbed(const Json& unfitted, const Json& model) {
  std::string of = model.contains("state") ? model["state"] : model["from"];
  if (model.contains("to")) {
    const std::string to = model["to"];  // in the same space
    of += " -> " + to.substr(0, to.find('@'));
  }
  const auto same = std::ranges::find_if(unfitted, [&](const Json& entry) {
    return entry["operation"] == model["operation"] && entry["of"] == of &&
           entry["precision"] == model["precision"] && entry["variant"] == model["variant"];
  });
  ASSERT_TRUE(same != unfitted.end()) << model << unfitted;
  EXPECT_EQ((*same)["reason"].get<std::string>().rfind("other programs disturbed", 0), 0U) << *same;
}

TEST_F(Calibrate, WritesTheProfileThatPlansAreThenMadeWith) {
  // So long that all is measured, also under a sanitizer: each format has its turn some times.
  const Json result = run_json({"calibrate", "--quick", "--budget", "240"});
  EXPECT_EQ(result["complete"], true);
  const std::string path = result["profile"];
  EXPECT_TRUE(path.starts_with(file("config")));
  EXPECT_GT(result["seconds"].get<double>(), 0);
  ASSERT_FALSE(result["models"].empty());
  for (const Json& model : result["models"]) {
    const std::string operation = model["operation"];
    EXPECT_EQ(model.contains("state"), operation == "multiply") << model;
    EXPECT_EQ(model.contains("from"), operation != "multiply") << model;
    EXPECT_TRUE(model["precision"] == "float" || model["precision"] == "double") << model;
    if (model["samples"].get<int>() < 4) expect_disturbed(result["unfitted"], model);
    EXPECT_LE(model["r_squared"].get<double>(), 1) << model;
    EXPECT_GE(model["median_error"].get<double>(), 0) << model;
    EXPECT_GE(model["p95_error"].get<double>(), model["median_error"].get<double>()) << model;
  }
  for (const Json& unfitted : result["unfitted"]) EXPECT_FALSE(unfitted["reason"].empty());
  EXPECT_TRUE(result["unfitted"].is_array());
  EXPECT_TRUE(fs::exists(path));
  // What was measured goes when all was, and not before.
  EXPECT_EQ(fs::exists(path + ".partial"), !result["complete"].get<bool>());
  EXPECT_EQ(result["experiments"]["done"] == result["experiments"]["total"], result["complete"]);

  const Json profile = run_json({"devices"})["profile"];
  EXPECT_EQ(profile["path"], path);
  EXPECT_EQ(profile["fits"], true);
  const Json plan = run_json({"explain", "uniform:300:0.2", "--calls", "30"});
  EXPECT_EQ(plan["profile"]["calibrated"], true);
  expect_shortest(plan);
}

TEST_F(Calibrate, PrintsATableOfModels) {
  const Ended ended =
      run({"calibrate", "--quick", "--budget", "1", "--quiet", "--output", file("a.json")});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.errors, "");
  for (const char* part : {"operation", "samples", "R²", "median", "p95", "a.json"}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
  EXPECT_TRUE(fs::exists(file("a.json")));
  // A line for each operation; every model has one with --verbose.
  const std::string table = ended.output.substr(0, ended.output.find("\nprofile "));
  EXPECT_EQ(table.find("csr@host"), std::string::npos) << ended.output;
}

TEST_F(Calibrate, GoesWhereTheEnvironmentSays) {
  environment["SWITCHYARD_PROFILE"] = file("named.json");
  EXPECT_EQ(run_json({"calibrate", "--quick", "--budget", "0.5"})["profile"], file("named.json"));
  EXPECT_TRUE(fs::exists(file("named.json")));
}

/// What a terminal gets from standard error, to the end.
std::string read_terminal(int terminal) {
  std::string text;
  char piece[4096];
  for (ssize_t got = 0; (got = read(terminal, piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

TEST_F(Calibrate, OnATerminalABarShowsWhatIsMeasuredAndHowLongItTakes) {
  if (!has_terminals()) GTEST_SKIP() << "there are no pseudo-terminals";
  int terminal = -1;
  int end = -1;
  ASSERT_EQ(openpty(&terminal, &end, nullptr, nullptr, nullptr), 0);
  in_child = [&] { dup2(end, STDERR_FILENO); };
  const pid_t child = start({"calibrate", "--quick", "--budget", "1", "--output", file("a.json")});
  close(end);
  const std::string seen = read_terminal(terminal);
  close(terminal);
  EXPECT_EQ(wait(child).exit_code, 0);
  EXPECT_NE(seen.find("[--------------------]   0%  1 s left  "), std::string::npos) << seen;
  EXPECT_NE(seen.find(" matrix of "), std::string::npos) << seen;
  // The bar is gone in the end.
  EXPECT_NE(seen.find("\r\033[K"), std::string::npos);
  EXPECT_EQ(seen.find("switchyard: 0 %"), std::string::npos);
}

TEST_F(Calibrate, ElsewhereALineForEachTenthTellsTheSame) {
  const Ended ended =
      run({"calibrate", "--quick", "--budget", "1", "--json", "--output", file("a.json")});
  EXPECT_EQ(ended.exit_code, 0);
  // A busy machine is reported first.
  const std::string load = "switchyard: warning: load ";
  const auto first = ended.errors.starts_with(load) ? ended.errors.find('\n') + 1 : 0;
  EXPECT_EQ(ended.errors.find("switchyard: 0 %, 1 s left: "), first) << ended.errors;
  EXPECT_EQ(ended.errors.find('\r'), std::string::npos);
  std::istringstream lines(ended.errors);
  int tenths = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" %, ") != std::string::npos) ++tenths;
  }
  EXPECT_GE(tenths, 1);
  EXPECT_LE(tenths, 11) << ended.errors;
  EXPECT_FALSE(Json::parse(ended.output, nullptr, false).is_discarded());
}

TEST_F(Calibrate, TheTableFitsATerminalAndSaysWhatToDoAboutWeakModels) {
  environment.erase("SWITCHYARD_DEVICES");
  const Ended ended = run({"calibrate", "--quick", "--budget", "3", "--verbose"});
  ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  std::istringstream lines(ended.output);
  int weak = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("profile ")) continue;  // a path is as long as it is
    const auto wide = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(wide, 100) << line;
    const bool marked = line.ends_with("median") || line.ends_with("p95") || line.ends_with("R²");
    if (marked) ++weak;
  }
  // So short a calibration leaves some.
  if (weak > 0) {
    EXPECT_NE(ended.output.find("inaccurate, and decisions that depend on"), std::string::npos);
  }
}

/// The text in one line, words apart by one blank.
std::string unfolded(const std::string& text) {
  std::istringstream in(text);
  std::string words;
  for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

/// However many models there are, a few lines tell of them, each state with its count.
void expect_unfitted_in_short(const Ended& ended) {
  const std::string words = unfolded(ended.output);
  const std::string lead = "are used there: ";
  const auto begin = words.find(lead);
  ASSERT_NE(begin, std::string::npos) << "so short a calibration fits nothing: " << words;
  const auto end = words.find(". The first: ", begin);
  ASSERT_NE(end, std::string::npos) << words;
  std::istringstream list(words.substr(begin + lead.size(), end - begin - lead.size()));
  std::vector<std::string> states;
  for (std::string each; std::getline(list, each, ',');) {
    std::istringstream state_and_count(each);
    std::string state;
    int count = 0;
    EXPECT_TRUE(state_and_count >> state >> count) << each;
    EXPECT_GT(count, 0) << each;
    states.push_back(state);
  }
  EXPECT_GT(states.size(), 1U);
  EXPECT_LE(states.size(), 8U);
  std::ranges::sort(states);
  EXPECT_EQ(std::ranges::adjacent_find(states), states.end()) << words;
  const auto line = ended.errors.find("could not fit ");
  ASSERT_NE(line, std::string::npos) << ended.errors;
  EXPECT_EQ(ended.errors.find("could not fit ", line + 1), std::string::npos) << ended.errors;
}

TEST_F(Calibrate, OutOfTimeItIsGoneOnWith) {
  const Ended first = run({"calibrate", "--budget", "0.2", "--output", file("a.json")});
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_NE(first.errors.find("the time was up after "), std::string::npos) << first.errors;
  EXPECT_NE(first.errors.find("--resume"), std::string::npos) << first.errors;
  expect_unfitted_in_short(first);
  EXPECT_TRUE(fs::exists(file("a.json")));
  const auto done = [&] { return std::ranges::count(read_file(file("a.json.partial")), '\n') - 1; };
  const auto before = done();
  EXPECT_GE(before, 1);
  const Json more =
      run_json({"calibrate", "--budget", "0.2", "--resume", "--output", file("a.json")});
  EXPECT_GT(more["experiments"]["done"].get<long>(), before);
  EXPECT_EQ(more["experiments"]["done"].get<long>(), done());
}

TEST_F(Calibrate, APlaceThatCannotBeWrittenIsToldBeforeMeasuring) {
  write_file("file", "");
  fs::create_directory(file("folder"));
  fs::create_directory(file("taken.json.partial"));
  const auto refused = [&](const std::string& output, const std::string& part) {
    // Else it would take ten minutes.
    expect_one_error_line(run({"calibrate", "--thorough", "--output", output}), 1, part);
  };
  refused(file("file/a.json"), "file");
  refused(file("folder"), "not a regular file");
  refused("/dev/full", "not a regular file");
  refused("/proc/a.json", "/proc/a.json.partial");
  refused(file("taken.json"), "taken.json.partial");
  fs::permissions(file("folder"), fs::perms::owner_read | fs::perms::owner_exec);
  if (geteuid() != 0) refused(file("folder/a.json"), "Permission denied");
  expect_one_error_line(run({"calibrate", "--device", "0"}), 1, "there is no such device");
}

TEST_F(Calibrate, AProfileThatCannotBeReadIsReplaced) {
  write_file("a.json", "{ rubbish");
  environment["SWITCHYARD_PROFILE"] = file("a.json");
  EXPECT_EQ(run({"calibrate", "--quick", "--budget", "1", "--quiet"}).exit_code, 0);
  EXPECT_EQ(run_json({"devices"})["profile"]["fits"], true);
}

}  // namespace
}  // namespace switchyard::test
