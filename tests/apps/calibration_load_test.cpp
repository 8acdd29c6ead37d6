// What the commands say of a machine that was busy while its profile was made.
#include <sstream>
#include <switchyard/models/profile.hpp>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class CalibrationLoadReport : public CommandTest {
 protected:
  CalibrationLoadReport() { environment["SWITCHYARD_DEVICES"] = "none"; }
};

/// How often the text has a line that begins with `begin` and contains `part`.
int lines_with(const std::string& text, const std::string& begin, const std::string& part) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.starts_with(begin) && line.find(part) != std::string::npos;
  }
  return count;
}

TEST_F(CalibrationLoadReport, ABusyMachineIsReportedBeforeAndAfterAndAQuietOneNever) {
  const Ended ended = run({"calibrate", "--quick", "--budget", "1", "--json"});
  const Json load = Json::parse(ended.output)["load"];
  const std::string begin = "switchyard: warning: load ";
  const int before = lines_with(ended.errors, begin, "stop other programs, or run again");
  const int after = lines_with(ended.errors, begin, "; run again when the machine is quiet");
  if (load.is_null()) {
    EXPECT_EQ(before + after, 0) << "the load is unknown";
    return;
  }
  EXPECT_GE(load["processors"].get<int>(), 1);
  for (const char* member :
       {"average", "others_before", "others", "steal", "switches_per_second", "disturbed"}) {
    EXPECT_GE(load[member].get<double>(), 0) << member;
  }
  EXPECT_LE(load["disturbed"].get<double>(), 1);
  EXPECT_LE(before, 1) << ended.errors;
  EXPECT_EQ(after, load["quiet"].get<bool>() ? 0 : 1) << ended.errors;
  // The profile holds the same.
  EXPECT_EQ(run_json({"devices"})["profile"]["load"], load);
}

TEST_F(CalibrationLoadReport, DevicesAndDoctorTellHowBusyTheMachineWas) {
  const std::string path = run_json({"calibrate", "--quick", "--budget", "1"})["profile"];
  Profile profile = load_profile(path);
  for (const bool busy : {false, true}) {
    profile.load = CalibrationLoad{.processors = 2, .average = busy ? 4.3 : 0};
    profile.load->others = busy ? 1.9 : 0;
    save_profile(profile, path);
    const std::string text = run({"devices"}).output;
    EXPECT_EQ(text.find("measured under load 4.3 on 2 processors") != std::string::npos, busy)
        << text;
    const Json load = run_json({"devices"})["profile"]["load"];
    EXPECT_EQ(load["quiet"], !busy);
    EXPECT_EQ(load["others"], profile.load->others);
    int found = 0;
    const Json document = run_json({"doctor"});
    for (const Json& check : document["checks"]) {
      const std::string message = check["message"];
      if (!message.starts_with("it was measured under load 4.3 on 2 processors")) continue;
      ++found;
      EXPECT_EQ(check["name"], "profile");
      EXPECT_EQ(check["status"], "warning");
      EXPECT_NE(check["remedy"].get<std::string>().find("while no other"), std::string::npos);
    }
    EXPECT_EQ(found, busy ? 1 : 0);
  }
  profile.load.reset();
  save_profile(profile, path);
  EXPECT_EQ(run_json({"devices"})["profile"]["load"], nullptr);
}

}  // namespace
}  // namespace switchyard::test
