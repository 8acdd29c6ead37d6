// Without an OpenCL loader: nothing links it, and the host computes.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class OpenClLoader : public CommandTest {
 protected:
  /// From now on the command looks there before it looks anywhere else.
  void look_in(const std::string& folder) {
    const char* const others = std::getenv("LD_LIBRARY_PATH");
    environment["LD_LIBRARY_PATH"] = others ? folder + ":" + others : folder;
  }

  /// The same without a loader: what has its name is no library, which ends the search.
  void have_none() {
    std::filesystem::create_directory(file("libraries"));
    write_file("libraries/libOpenCL.so.1", "not a library");
    look_in(file("libraries"));
  }

  void expect_left_out(const std::string& reason) {
    const Json document = run_json({"devices"});
    EXPECT_EQ(document["devices"], Json::array());
    ASSERT_EQ(document["left_out"].size(), 1U) << document;
    const std::string line = document["left_out"][0];
    EXPECT_EQ(line.find('\n'), line.npos) << line;
    EXPECT_NE(line.find(reason), line.npos) << line;
    EXPECT_NE(line.find("apt-get install ocl-icd-libopencl1"), line.npos) << line;
    const Ended ended = run({"devices"});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_NE(ended.output.find("There is no OpenCL device.\n" + line), std::string::npos)
        << ended.output;
    EXPECT_EQ(ended.errors, "");
  }

  void expect_host_computes() {
    const Json document = run_json({"multiply", "uniform:200:0.1", "--calls", "2", "--verify"});
    EXPECT_EQ(document["verified"], true) << document;
  }
};

TEST_F(OpenClLoader, IsLinkedByNothingThatIsShipped) {
  std::FILE* const readelf = ::popen("readelf --dynamic " SWITCHYARD_SHIPPED, "r");
  ASSERT_NE(readelf, nullptr);
  std::string text;
  for (char line[4096]; std::fgets(line, sizeof line, readelf);) text += line;
  ::pclose(readelf);
  EXPECT_NE(text.find("(NEEDED)"), text.npos) << "readelf tells nothing";
  EXPECT_EQ(text.find("libOpenCL"), text.npos) << text;
}

TEST_F(OpenClLoader, WithoutOneTheHostComputes) {
  have_none();
  expect_left_out("there is no OpenCL loader (");
  expect_host_computes();
}

TEST_F(OpenClLoader, WithAnOldOneTheHostComputes) {
  look_in(SWITCHYARD_OLD_LOADER);
  expect_left_out("older than OpenCL 1.2");
  expect_host_computes();
}

TEST_F(OpenClLoader, DoctorSaysThatItIsMissing) {
  have_none();
  const Ended ended = run({"doctor", "--json"});
  const Json document = Json::parse(ended.output);
  bool told = false;
  for (const Json& check : document["checks"]) {
    if (check["name"] != "devices") continue;
    EXPECT_EQ(check["status"], "warning") << check;
    EXPECT_NE(check["message"].get<std::string>().find("no OpenCL loader"), std::string::npos);
    EXPECT_NE(check["remedy"].get<std::string>().find("ocl-icd-libopencl1"), std::string::npos);
    told = true;
  }
  EXPECT_TRUE(told) << document;
}

}  // namespace
}  // namespace switchyard::test
