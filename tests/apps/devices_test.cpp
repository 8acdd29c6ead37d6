// `switchyard devices`.
#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class Devices : public CommandTest {};

TEST_F(Devices, JsonHoldsTheHostTheDevicesAndTheProfile) {
  const Json document = run_json({"devices"});
  EXPECT_FALSE(document["host"]["name"].get<std::string>().empty());
  EXPECT_FALSE(document["host"]["vendor"].get<std::string>().empty());
  EXPECT_EQ(document["host"]["driver"].get<std::string>().find("OpenMP, "), 0U);
  EXPECT_EQ(document["host"]["space"], "host");
  EXPECT_GE(document["host"]["threads"].get<int>(), 1);
  EXPECT_GT(document["host"]["memory_bytes"].get<double>(), 0);
  int number = 0;
  for (const Json& device : document["devices"]) {
    EXPECT_EQ(device["space"], "device" + std::to_string(number++));
    for (const char* key : {"name", "vendor", "driver"}) EXPECT_TRUE(device[key].is_string());
    EXPECT_GT(device["memory_bytes"].get<double>(), 0);
    EXPECT_TRUE(device["double"].is_boolean());
  }
  EXPECT_EQ(document["profile"]["fits"], false);
  EXPECT_TRUE(document["profile"]["problem"].is_string());
  EXPECT_TRUE(document["profile"]["path"].get<std::string>().starts_with(file("config")));
}

TEST_F(Devices, NoneCanBeChosen) {
  environment["SWITCHYARD_DEVICES"] = "none";
  EXPECT_EQ(run_json({"devices"})["devices"], Json::array());
  const Ended ended = run({"devices"});
  EXPECT_NE(ended.output.find("There is no OpenCL device."), std::string::npos);
}

TEST_F(Devices, TheTableHasALineForEach) {
  const Json document = run_json({"devices"});
  const Ended ended = run({"devices"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(ended.output.starts_with("space"));
  EXPECT_NE(ended.output.find("\nhost "), std::string::npos);
  for (const Json& device : document["devices"]) {
    EXPECT_NE(ended.output.find(device["name"].get<std::string>()), std::string::npos);
  }
}

TEST_F(Devices, ABadProfileIsToldAndStopsNothing) {
  environment["SWITCHYARD_DEVICES"] = "none";
  write_file("profile.json", "{\"not\": \"a profile\"}");
  environment["SWITCHYARD_PROFILE"] = file("profile.json");
  const Json document = run_json({"devices"});
  EXPECT_EQ(document["profile"]["path"], file("profile.json"));
  EXPECT_EQ(document["profile"]["fits"], false);
  EXPECT_NE(document["profile"]["problem"].get<std::string>().find("profile.json"),
            std::string::npos);
}

}  // namespace
}  // namespace switchyard::test
