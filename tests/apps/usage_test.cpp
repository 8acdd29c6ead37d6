// Words on the command line that are off: exit 2, one line with the usage, nothing on standard
// output. And the words that ask for help.
#include "command_runner.hpp"

namespace switchyard::test {
namespace {

struct WrongLine {
  Words words;
  std::string error;  ///< between "switchyard: error: " and "; usage: "
};

const std::string kinds = "kinds are uniform, banded, poisson2d, poisson3d, powerlaw, pruned";

const std::vector<WrongLine>& wrong_lines() {
  static const std::vector<WrongLine> lines{
      {{"foo"}, "unknown command 'foo'"},
      {{"Devices"}, "unknown command 'Devices'; did you mean 'devices'?"},
      {{"mutliply", "uniform:10"}, "unknown command 'mutliply'; did you mean 'multiply'?"},
      {{"help", "explian"}, "unknown command 'explian'; did you mean 'explain'?"},
      {{"explain", "uniform:10", "--call=3"}, "unknown option '--call=3'; did you mean '--calls'?"},
      {{"explain", "unifrom:10"},
       "'unifrom' is no kind of matrix (MATRIX); did you mean 'uniform'? " + kinds},
      {{"explain", "uniform:1.5"}, "'1.5' is not an integer (MATRIX)"},
      {{"explain", "uniform:1.5e0"}, "'1.5e0' is not an integer (MATRIX)"},
      {{"explain", "uniform:1e-1"}, "'1e-1' is not an integer (MATRIX)"},
      {{"explain", "uniform:k"}, "'k' is not an integer (MATRIX)"},
      {{"explain", "uniform:-1k"}, "'-1k' is less than 1 (MATRIX)"},
      {{"explain", "uniform:1e19"}, "'1e19' is larger than 2^63-1 (MATRIX)"},
      {{"explain", "uniform:1e99999999999999999999"},
       "'1e99999999999999999999' is larger than 2^63-1 (MATRIX)"},
      {{"explain", "uniform:10000000T"}, "'10000000T' is larger than 2^63-1 (MATRIX)"},
      {{"explain", "uniform:inf"}, "'inf' is not an integer (MATRIX)"},
      {{"explain", "uniform:0x8000000000000000"},
       "'0x8000000000000000' is not an integer (MATRIX)"},
      {{"explain", "uniform:9223372036854775807.5"},
       "'9223372036854775807.5' is not an integer (MATRIX)"},
      {{"explain", "uniform:1.5e-9223372036854775808"},
       "'1.5e-9223372036854775808' is not an integer (MATRIX)"},
      {{"bench", "kernels", "--state", "host"},
       "'host' is no state (--state); a state is a format and a space: write csr@host or "
       "dense@host"},
      {{"explain", "uniform:10", "--state", "csr@device1", "--device", "0"},
       "--state csr@device1 is not on --device 0"},
      {{"--foo"}, "unknown option '--foo'"},
      {{"--json"}, "no command is given"},
      {{"devices", "extra"}, "unexpected word 'extra'"},
      {{"devices", "--quiet", "--verbose"}, "--quiet and --verbose exclude each other"},
      {{"devices", "--json=maybe"}, ""},
      {{"explain"}, "MATRIX is required"},
      {{"explain", "uniform:10", "more"}, "unexpected word 'more'"},
      {{"explain", "uniform:10", "--foo"}, "unknown option '--foo'"},
      {{"explain", "uniform:10", "--calls"}, "--calls needs a value"},
      {{"explain", "uniform:10", "--calls", "-5"}, "'-5' is less than 1 (--calls)"},
      {{"explain", "uniform:10", "--calls", "0"}, "'0' is less than 1 (--calls)"},
      {{"explain", "uniform:10", "--calls=1.5"}, "'1.5' is not an integer (--calls)"},
      {{"explain", "uniform:10", "--calls=9223372036854775808"},
       "'9223372036854775808' is larger than 2^63-1 (--calls)"},
      {{"explain", "uniform:10", "--calls=0x10"}, "'0x10' is not an integer (--calls)"},
      {{"explain", "uniform:10", "--calls", "3", "--calls", "4"},
       "--calls is given more than once"},
      {{"explain", "foo:10"}, "'foo' is no kind of matrix (MATRIX); " + kinds},
      {{"explain", "uniform:"}, "'' is not an integer (MATRIX)"},
      {{"explain", "uniform:ten"}, "'ten' is not an integer (MATRIX)"},
      {{"explain", "uniform:-10"}, "'-10' is less than 1 (MATRIX)"},
      {{"explain", "uniform:0"}, "'0' is less than 1 (MATRIX)"},
      {{"explain", "uniform:10:"}, "'' is not a number (MATRIX)"},
      {{"explain", "uniform:10:0"}, "the density '0' is not above 0 and at most 1 (MATRIX)"},
      {{"explain", "uniform:10:1.5"}, "the density '1.5' is not above 0 and at most 1 (MATRIX)"},
      {{"explain", "uniform:10:nan"}, "'nan' is not a number (MATRIX)"},
      {{"explain", "uniform:10:0.1:7"},
       "'uniform:10:0.1:7' has too many parts (MATRIX); write KIND:ROWS[:DENSITY]"},
      {{"explain", "poisson2d:16:0.1"},
       "the density of a stencil cannot be chosen (poisson2d matrix)"},
      {{"explain", "uniform:10", "--from", "csr"},
       "'csr' is no state (--from); states are like csr@host, dense@device0"},
      {{"explain", "uniform:10", "--from", "csr@host,foo@host"},
       "'foo@host' is no state (--from); states are like csr@host, dense@device0"},
      {{"explain", "uniform:10", "--x", "moon"},
       "'moon' is no space (--x); spaces are like host, device0"},
      {{"explain", "uniform:10", "--precision", "half"},
       "'half' is no precision (--precision); use float or double"},
      {{"explain", "uniform:10", "--device", "-1"}, "'-1' is less than 0 (--device)"},
      {{"explain", "uniform:10", "--device", "1000"},
       "'1000' is too high a device number (--device)"},
      {{"multiply"}, "MATRIX is required"},
      {{"multiply", "uniform:10", "--state", "csr@mars"},
       "'csr@mars' is no state (--state); states are like csr@host, dense@device0"},
      {{"multiply", "uniform:10", "--state", "csr@device1", "--device", "0"},
       "--state csr@device1 is not on --device 0"},
      {{"multiply", "uniform:10", "--calls", "none"}, "'none' is not an integer (--calls)"},
      {{"multiply", "uniform:10", "--iterations", "0"}, "'0' is less than 1 (--iterations)"},
      {{"multiply", "banded:99999999999"}, ""},
      {{"bench", "everything"},
       "'everything' is no benchmark; benchmarks are kernels, conversions, transfers, callers, "
       "programs, "
       "decisions"},
      {{"bench", "kernels", "--state", "csr@mars"},
       "'csr@mars' is no state (--state); states are like csr@host, dense@device0"},
      {{"bench", "kernels", "--precision", "half"},
       "'half' is no precision (--precision); use float or double"},
      {{"bench", "kernels", "--matrix", "torus:8"},
       "'torus' is no kind of matrix (MATRIX); " + kinds},
      {{"bench", "kernels", "--repetitions", "0"}, "'0' is less than 1 (--repetitions)"},
      {{"bench", "kernels", "--quick", "--thorough"}, "--quick and --thorough exclude each other"},
      {{"report", "a.json", "b.json"}, "unexpected word 'b.json'"},
      {{"report", "--output"}, "--output needs a value"},
      {{"report", "a.json", "--json", "--output", "-"},
       "--json and --output - both want standard output"},
      {{"inspect"}, "MATRIX is required"},
      {{"inspect", "torus:8"}, "'torus' is no kind of matrix (MATRIX); " + kinds},
      {{"generate"}, ""},
      {{"generate", "torus", "--rows", "8", "--output", "x"},
       "'torus' is no kind of matrix (KIND); " + kinds},
      {{"generate", "uniform", "--output", "x"}, "--rows is required"},
      {{"generate", "uniform", "--rows", "8"}, "--output is required"},
      {{"generate", "uniform", "--rows", "eight", "--output", "x"},
       "'eight' is not an integer (--rows)"},
      {{"generate", "uniform", "--rows", "-8", "--output", "x"}, "'-8' is less than 1 (--rows)"},
      {{"generate", "uniform", "--rows", "8", "--density", "2", "--output", "x"},
       "the density '2' is not above 0 and at most 1 (--density)"},
      {{"generate", "uniform", "--rows", "8", "--bandwidth", "2", "--output", "x"},
       "only a banded matrix has a bandwidth (uniform matrix)"},
      {{"generate", "uniform", "--rows", "8", "--seed", "-1", "--output", "x"},
       "'-1' is less than 0 (--seed)"},
      {{"generate", "uniform", "--rows", "8", "--json", "--output", "-"},
       "standard output cannot hold both the result and a JSON document (--output); give a file"},
      {{"doctor", "me"}, "unexpected word 'me'"},
      {{"doctor", "--mend"}, "unknown option '--mend'"},
      {{"doctor", "--quiet", "--verbose"}, "--quiet and --verbose exclude each other"},
      {{"calibrate", "--quick", "--thorough"}, "--quick and --thorough exclude each other"},
      {{"calibrate", "--budget", "0"}, "'0' is not above 0 (--budget)"},
      {{"calibrate", "--budget", "soon"}, "'soon' is not a number (--budget)"},
      {{"calibrate", "--device", "first"}, "'first' is not an integer (--device)"},
      {{"inspect", "uniform:10", "uniform:10"}, "unexpected word 'uniform:10'"},
      {{"solve"}, "MATRIX is required"},
      {{"solve", "uniform:10", "more"}, "unexpected word 'more'"},
      {{"solve", "poisson2d:16", "--max-iterations", "0"}, "'0' is less than 1 (--max-iterations)"},
      {{"solve", "poisson2d:16", "--rtol", "small"}, "'small' is not a number (--rtol)"},
  };
  return lines;
}

/// The usage of each command; without one it is the program's.
const std::map<std::string, std::string>& usages() {
  static const std::map<std::string, std::string> table{
      {"", "COMMAND [options]; see switchyard --help"},
      {"devices", "devices [options]"},
      {"doctor", "doctor [options]"},
      {"report", "report [PROFILE] [--output FILE.html] [--decisions BENCH.json]"},
      {"calibrate", "calibrate [--quick|--thorough] [options]"},
      {"generate", "generate KIND --rows N --output FILE [options]"},
      {"inspect", "inspect MATRIX [options]"},
      {"explain", "explain MATRIX [--calls K] [options]"},
      {"multiply", "multiply MATRIX [--calls K] [options]"},
      {"solve", "solve MATRIX [--method METHOD] [options]"},
      {"bench",
       "bench [kernels|conversions|transfers|callers|programs|decisions] [--peers] [options]"}};
  return table;
}

class Usage : public CommandTest {};

TEST_F(Usage, HelpIsACommandToo) {
  EXPECT_EQ(run({"help"}).output, run({"--help"}).output);
  const Ended ended = run({"help", "multiply"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, run({"multiply", "--help"}).output);
  EXPECT_NE(ended.output.find("--verify"), std::string::npos) << ended.output;
}

TEST_F(Usage, CountsMayBeWrittenShort) {
  environment["SWITCHYARD_DEVICES"] = "none";
  for (const auto& [word, rows] : std::vector<std::pair<std::string, int>>{
           {"1k", 1000}, {"1e3", 1000}, {"1.5k", 1500}, {"0.25e4", 2500}, {"2.50e1", 25}}) {
    EXPECT_EQ(run_json({"inspect", "uniform:" + word})["matrix"]["rows"], rows) << word;
  }
  EXPECT_EQ(run_json({"explain", "uniform:10", "--calls", "1e6"})["horizon"], 1'000'000);
  EXPECT_EQ(run_json({"explain", "uniform:10", "--calls", "10k"})["horizon"], 10'000);
}

TEST_F(Usage, ErrorsAreADocumentWhereJsonIsAskedFor) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended usage = run({"explain", "uniform:ten", "--json"});
  expect_one_error_line(usage, 2, "usage: switchyard explain");
  expect_error_document(usage);
  const Ended work = run({"inspect", file("absent.mtx"), "--json"});
  expect_one_error_line(work, 1, "absent.mtx");
  const Json error = Json::parse(work.output)["error"];
  EXPECT_EQ(error["code"], "io_error");
  EXPECT_EQ(error["where"], file("absent.mtx"));
  EXPECT_EQ(run({"inspect", file("absent.mtx")}).output, "");
}

TEST_F(Usage, EveryDocumentSaysItsSchema) {
  environment["SWITCHYARD_DEVICES"] = "none";
  for (const Words& words :
       {Words{"devices"}, Words{"doctor"}, Words{"inspect", "uniform:9"},
        Words{"explain", "uniform:9"}, Words{"multiply", "uniform:9"},
        Words{"solve", "poisson2d:9"},
        Words{"generate", "uniform", "--rows", "9", "--output", file("a.mtx")},
        Words{"bench", "kernels", "--quick", "--repetitions", "1", "--matrix", "uniform:9"}}) {
    EXPECT_EQ(run_json(words)["schema_version"], 1) << words.front();
  }
}

TEST_F(Usage, LongNamesAreShortenedInErrors) {
  const std::string name(2000, 'n');
  const Ended ended = run({"inspect", file(name)});
  expect_one_error_line(ended, 1, "...");
  EXPECT_LT(ended.errors.size(), 500U);
}

TEST_F(Usage, EveryWrongLineIsToldInOneLine) {
  environment["SWITCHYARD_DEVICES"] = "none";
  std::map<std::string, int> tried;
  for (const auto& [words, error] : wrong_lines()) {
    std::string line;
    for (const std::string& word : words) line += " " + word;
    SCOPED_TRACE("switchyard" + line);
    const std::string command = usages().contains(words[0]) ? words[0] : "";
    const std::string usage = "; usage: switchyard " + usages().at(command) + "\n";
    const Ended ended = run(words);
    if (error.empty()) {  // in the words of the library that parses them
      expect_one_error_line(ended, 2, usage);
    } else {
      expect_one_error_line(ended, 2, "");
      EXPECT_EQ(ended.errors, "switchyard: error: " + error + usage);
    }
    ++tried[command];
  }
  for (const auto& [command, usage] : usages()) EXPECT_GE(tried[command], 3) << command;
  RecordProperty("wrong_lines", static_cast<int>(wrong_lines().size()));
}

TEST_F(Usage, NoWordsAtAllShowTheUsage) {
  const Ended ended = run({});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.output, "");
  EXPECT_NE(ended.errors.find("Usage: switchyard [OPTIONS] [COMMAND]"), std::string::npos);
}

TEST_F(Usage, HelpNamesEveryCommandAndOption) {
  const std::map<std::string, Words> options{
      {"",
       {"devices", "doctor", "calibrate", "generate", "inspect", "explain", "multiply", "bench",
        "report", "--version"}},
      {"devices", {}},
      {"doctor", {}},
      {"calibrate", {"--quick", "--thorough", "--budget", "--device", "--output", "--resume"}},
      {"generate",
       {"KIND", "--rows", "--cols", "--density", "--bandwidth", "--seed", "--precision",
        "--output"}},
      {"inspect", {"MATRIX"}},
      {"report", {"PROFILE", "--output", "--decisions"}},
      {"bench",
       {"kernels", "conversions", "transfers", "decisions", "--matrices", "--matrix", "--state",
        "--precision", "--peers", "--quick", "--thorough", "--repetitions", "--replay"}},
      {"explain",
       {"MATRIX", "--calls", "--from", "--state", "--x", "--profile", "--analyze", "--precision",
        "--device"}},
      {"multiply",
       {"MATRIX", "--calls", "--state", "--from", "--profile", "--verify", "--timing",
        "--iterations", "--device", "--precision"}}};
  for (const auto& [command, names] : options) {
    const Ended ended = run(command.empty() ? Words{"--help"} : Words{command, "--help"});
    EXPECT_EQ(ended.exit_code, 0) << command;
    EXPECT_EQ(ended.errors, "") << command;
    for (Words expected = names; const std::string& name : expected) {
      EXPECT_NE(ended.output.find(name), std::string::npos) << command << " lacks " << name;
    }
    for (const char* common : {"--json", "--quiet", "--verbose", "--help"}) {
      EXPECT_NE(ended.output.find(common), std::string::npos) << command << " lacks " << common;
    }
  }
}

TEST_F(Usage, VersionIsOneLine) {
  const Ended ended = run({"--version"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "switchyard " SWITCHYARD_TEST_VERSION "\n");
  EXPECT_EQ(ended.errors, "");
}

TEST_F(Usage, AFileMayBeNamedLikeACommand) {
  write_file("devices", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n");
  EXPECT_EQ(run({"inspect", file("devices")}).exit_code, 0);
}

}  // namespace
}  // namespace switchyard::test
