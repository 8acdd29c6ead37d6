// Nothing but a whole and sensible profile is accepted.
#include <gtest/gtest.h>

#include <string>

#include "models/synthetic.hpp"
#include "profile_seal.hpp"

namespace switchyard {
namespace {

/// What reading `text` throws; empty if nothing. Anything but `Error(DataCorrupt)` fails the test.
std::string refusal(const std::string& text) {
  try {
    (void)profile_from_json(text, "there");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::DataCorrupt);
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos);
    return what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not ours: " << error.what();
    return error.what();
  }
  return {};
}

const std::string& document() {
  static const std::string text = profile_to_json(synthetic::small_profile());
  return text;
}

/// The document without its last member, the checksum.
std::string without_checksum(std::string text) {
  const auto comma = text.rfind(",\n\"checksum\"");
  return text.substr(0, comma) + "\n}\n";
}

/// The document with the first `from` replaced and the checksum made anew, as a writer with a
/// fault would leave it.
std::string altered(const std::string& from, const std::string& to) {
  std::string text = document();
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  if (place == std::string::npos) return {};
  text.replace(place, from.size(), to);
  return sealed(text.substr(0, text.rfind("\"checksum\"")));
}

void expect_refused(const std::string& from, const std::string& to, const std::string& reason) {
  const std::string said = refusal(altered(from, to));
  EXPECT_NE(said.find(reason), std::string::npos)
      << from << " -> " << to << " gave: " << (said.empty() ? "acceptance" : said);
}

TEST(ProfileCorruption, EveryBitFlippedIsRefused) {
  std::string text = document();
  std::size_t tried = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit, ++tried) {
      const char old = text[i];
      text[i] = static_cast<char>(static_cast<unsigned char>(old) ^ (1U << bit));
      EXPECT_NE(refusal(text), "") << "byte " << i << " bit " << bit;
      text[i] = old;
    }
  }
  EXPECT_EQ(refusal(text), "");
  EXPECT_GE(tried, 32000U);
  RecordProperty("bits_flipped", static_cast<int>(tried));
}

TEST(ProfileCorruption, EveryCutIsRefused) {
  for (std::size_t length = 0; length < document().size(); ++length) {
    EXPECT_NE(refusal(document().substr(0, length)), "") << "cut at " << length;
  }
  RecordProperty("cuts", static_cast<int>(document().size()));
}

TEST(ProfileCorruption, EveryByteMissingOrTwiceIsRefused) {
  for (std::size_t i = 0; i < document().size(); ++i) {
    std::string text = document();
    EXPECT_NE(refusal(text.erase(i, 1)), "") << "without byte " << i;
    text = document();
    EXPECT_NE(refusal(text.insert(i, 1, text[i])), "") << "byte " << i << " twice";
  }
}

TEST(ProfileCorruption, AChangedDigitIsToldFromAnEditOnPurpose) {
  std::string text = document();
  text.replace(text.find("\"threads\":2"), 11, "\"threads\":3");
  EXPECT_NE(refusal(text).find("checksum does not match"), std::string::npos);
  EXPECT_EQ(profile_from_json(without_checksum(text), "there").fingerprint().threads, 3);
}

TEST(ProfileCorruption, TheChecksumIsTheSameOnEveryMachine) {
  // FNV-1a's published test vectors, and letters beyond ASCII, which are negative where char is
  // signed.
  for (const auto& [text, checksum] : {std::pair<std::string, std::string>{"a", "af63dc4c8601ec8c"},
                                       {"foobar", "85944171f73967e8"},
                                       {"\xc3\xa9", "0ac21707b7181e01"}}) {
    const std::string whole = sealed(text);
    EXPECT_NE(whole.find("\"" + checksum + "\""), std::string::npos) << whole;
    EXPECT_EQ(seal_of(whole), Seal::Whole);
  }
}

TEST(ProfileCorruption, OtherDocumentsAreNoProfiles) {
  const std::string deep(100000, '[');
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[]"), std::string("null"), std::string("1"),
        std::string("\"switchyard-profile\""), std::string("{\"format\":1}"),
        std::string("{\"format\":\"switchyard-profile\"}"), std::string("\xff\xfe"),
        std::string(1000, '\0'), deep, deep + std::string(100000, ']'),
        std::string("%%MatrixMarket matrix coordinate real general\n")}) {
    EXPECT_NE(refusal(text), "") << text.substr(0, 50);
  }
}

TEST(ProfileCorruption, HeaderMustBeThisFormatAndVersion) {
  expect_refused("switchyard-profile", "switchyard-prophet", "no Switchyard profile");
  expect_refused("\"version\":5", "\"version\":1", "version");
  expect_refused("\"version\":5", "\"version\":2.0", "version");
  expect_refused("\"version\":5", "\"version\":\"1\"", "version");
}

TEST(ProfileCorruption, NumbersMustBePossible) {
  const std::string coefficient = "\"coefficient\":";
  expect_refused(coefficient, coefficient + "-", "negative");
  expect_refused(coefficient, coefficient + "1e999,\"x\":", "out of range");
  expect_refused(coefficient, coefficient + "NaN,\"x\":", "not JSON");
  expect_refused(coefficient, coefficient + "null,\"x\":", "unknown member");
  expect_refused("\"floor_seconds\":", "\"floor_seconds\":-", "floor");
  expect_refused("\"ceiling_seconds\":", "\"ceiling_seconds\":-", "ceiling");
  expect_refused("\"ceiling_seconds\":", "\"ceiling_seconds\":0,\"x\":", "unknown member");
  expect_refused("\"r_squared\":", "\"r_squared\":9", "r_squared");
  expect_refused("\"p95_error\":", "\"p95_error\":-1", "error");
  expect_refused("\"samples\":", "\"samples\":-", "samples");
  expect_refused("\"samples\":", "\"samples\":99999999999999999999", "samples");
  expect_refused("\"calibration_seconds\":", "\"calibration_seconds\":-", "calibration_seconds");
  expect_refused("\"threads\":2", "\"threads\":2.5", "threads");
  expect_refused("\"threads\":2", "\"threads\":-2", "threads");
  expect_refused("\"points\":[[", "\"points\":[[-", "point 0");
  expect_refused("\"points\":[[", "\"points\":[[0,", "points[0]");
  expect_refused("\"lowest\":{\"bytes\":", "\"lowest\":{\"bytes\":-", "domain");
  expect_refused("\"lowest\":{\"bytes\":", "\"lowest\":{\"bytes\":9e17", "");
  expect_refused("\"highest\":{\"bytes\":", "\"highest\":{\"bytes\":-", "domain");
}

TEST(ProfileCorruption, ALoadIsWholeAndPossible) {
  const std::string models = "\"models\":";
  const std::string whole =
      "\"load\":{\"processors\":2,\"average\":1,\"others_before\":1,\"others\":1,\"steal\":0,"
      "\"switches_per_second\":9,\"disturbed\":0.5},";
  EXPECT_EQ(refusal(altered(models, whole + models)), "");
  const auto expect_bad = [&](const std::string& part, const std::string& other,
                              const std::string& why) {
    std::string load = whole;
    load.replace(load.find(part), part.size(), other);
    expect_refused(models, load + models, why);
  };
  expect_bad("\"steal\":0,", "", "lacks");
  expect_bad("\"steal\":0", "\"steal\":0,\"more\":1", "unknown member");
  expect_bad("\"steal\":0", "\"steal\":-1", "load");
  expect_bad("\"disturbed\":0.5", "\"disturbed\":1.5", "load");
  expect_bad("\"processors\":2", "\"processors\":2.5", "processors");
  expect_bad("\"average\":1", "\"average\":\"1\"", "average");
}

TEST(ProfileCorruption, PowersMustBeSmallAndKnown) {
  expect_refused("\"powers\":{\"bytes\":1}", "\"powers\":{\"bytes\":200}", "too large");
  expect_refused("\"powers\":{\"bytes\":1}", "\"powers\":{\"bytes\":-1}", "whole number");
  expect_refused("\"powers\":{\"bytes\":1}", "\"powers\":{\"bytes\":1.5}", "whole number");
  expect_refused("\"powers\":{\"bytes\":1}", "\"powers\":{\"bites\":1}", "unknown quantity");
  expect_refused("\"powers\":{\"bytes\":1}", "\"powers\":[1]", "powers");
  expect_refused("\"powers\":{\"bytes\":1}", "\"powers\":{\"bytes\":4,\"rows\":4}", "degree");
}

TEST(ProfileCorruption, TiersMustBeThereAndAscend) {
  const std::string text = document();
  const auto tiers = text.find("\"tiers\":[");
  const auto points = text.find(",\"points\"", tiers);
  expect_refused(text.substr(tiers, points - tiers), "\"tiers\":[]", "no tiers");
  const auto terms = text.find("\"terms\":[");
  const auto domain = text.find(",\"domain\"", terms);
  expect_refused(text.substr(terms, domain - terms), "\"terms\":[]", "no terms");
  expect_refused("\"up_to_bytes\":1000000.0", "\"up_to_bytes\":null", "border");
  expect_refused("\"up_to_bytes\":1000000.0", "\"up_to_bytes\":0.5", "border");
  expect_refused("\"up_to_bytes\":null", "\"up_to_bytes\":1e12", "border");
  const auto first = tiers + std::string_view("\"tiers\":[").size();
  const auto second = text.find("{\"up_to_bytes\"", first + 1);
  const std::string tier = text.substr(first, second - first);
  expect_refused(tier, tier + tier, "ascend");
}

TEST(ProfileCorruption, NoCountIsLargerThanAMachineHas) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string device = R"({"name":"A","driver":"1"},)";
  const std::string some = altered("\"devices\":[", "\"devices\":[" + repeated(device, 61));
  EXPECT_EQ(profile_from_json(without_checksum(some), "there").fingerprint().devices.size(),
            static_cast<std::size_t>(Space::most_devices));
  for (const int devices : {62, 100'000}) {
    expect_refused("\"devices\":[", "\"devices\":[" + repeated(device, devices), "more elements");
  }
  expect_refused("\"points\":[[", "\"points\":[" + repeated("[0],", 100'001) + "[",
                 "more elements");
  expect_refused("\"terms\":[", "\"terms\":[" + repeated("{},", 65), "more elements");
  expect_refused("\"tiers\":[", "\"tiers\":[" + repeated("{},", 65), "more elements");
  expect_refused("\"models\":[", "\"models\":[" + repeated("{},", 100'001), "more elements");
}

TEST(ProfileCorruption, TypesMustBeRight) {
  expect_refused("\"models\":[", "\"models\":{},\"more\":[", "unknown member");
  expect_refused("\"calibrated\":true", "\"calibrated\":1", "calibrated");
  expect_refused("\"created\":\"", "\"created\":5,\"x\":\"", "unknown member");
  expect_refused("\"cpu\":\"A processor\"", "\"cpu\":null", "cpu");
  expect_refused("\"devices\":[", "\"devices\":[1,", "devices[0]");
  expect_refused("\"points\":[[", "\"points\":[[\"1\",", "points[0]");
  expect_refused("\"points\":[", "\"points\":[[],", "points[0]");
  const std::string text = document();
  const auto points = text.find("\"points\":[");
  const auto after = text.find("]]", points) + 2;
  expect_refused(text.substr(points, after - points), "\"points\":5", "not an array");
  const auto machine = text.find("\"fingerprint\":{");
  const auto models = text.find("\"models\"", machine);
  const auto end = text.rfind('}', models) + 1;
  expect_refused(text.substr(machine, end - machine), "\"fingerprint\":{}", "is empty");
}

TEST(ProfileCorruption, MembersMustBeThereOnceAndKnown) {
  for (const std::string key :
       {"fingerprint", "calibrated",   "created",       "calibration_seconds",
        "models",      "cpu",          "threads",       "library_version",
        "devices",     "name",         "driver",        "operation",
        "state",       "precision",    "variant",       "samples",
        "r_squared",   "median_error", "p95_error",     "tiers",
        "up_to_bytes", "terms",        "coefficient",   "powers",
        "domain",      "lowest",       "highest",       "bytes",
        "spread",      "uneven",       "floor_seconds", "floor_seconds_per_byte",
        "points",      "operand",      "columns",       "ceiling_seconds"}) {
    const std::string member = "\"" + key + "\":";
    EXPECT_NE(refusal(altered(member, "\"other\":")), "") << key;
    EXPECT_NE(refusal(altered(member, member + "1," + member)).find("twice"), std::string::npos)
        << key;
  }
}

TEST(ProfileCorruption, KeysMustBeKnownAndDistinct) {
  expect_refused("\"operation\":\"multiply\"", "\"operation\":\"divide\"", "operation");
  expect_refused("\"operation\":\"multiply\"", "\"operation\":\"transfer\"", "lacks");
  expect_refused("\"state\":\"csr@host\"", "\"state\":\"csr@moon\"", "state");
  expect_refused("\"operand\":\"matrix\"", "\"operand\":\"inverse\"", "operand");
  expect_refused("\"columns\":\"one\"", "\"columns\":\"two\"", "columns");
  expect_refused("\"columns\":\"one\"", "\"columns\":1", "columns");
  expect_refused("\"precision\":\"float\"", "\"precision\":\"half\"", "precision");
  expect_refused("\"precision\":\"float\"", "\"precision\":\"any\"", "precision");
  expect_refused("\"precision\":\"any\"", "\"precision\":\"float\"", "precision");
  expect_refused("\"to\":\"csr@device0\"", "\"to\":\"csr@host\"", "another space");
  expect_refused("\"space\":\"device0\"", "\"space\":\"csr@device0\"", "space");
  const std::string text = document();
  const auto begin = text.find("{\"operation\"");
  const std::string model = text.substr(begin, text.find(",\n", begin) - begin);
  expect_refused(model, model + ",\n" + model, "two models");
}

// A name of the memory that a transfer goes to is for transfers, and others have none.
TEST(ProfileCorruption, MovesHaveNoOtherVariantThanNewMemory) {
  const std::string text = document();
  const auto with_variant = [&](const std::string& operation, const std::string& variant) {
    const auto begin = text.find("{\"operation\":\"" + operation);
    const std::string empty = "\"variant\":\"\"";
    const std::string model = text.substr(begin, text.find(empty, begin) + empty.size() - begin);
    std::string changed = model;
    changed.replace(changed.find(empty), empty.size(), "\"variant\":\"" + variant + "\"");
    return refusal(altered(model, changed));
  };
  const std::string refused = "should be empty";
  EXPECT_NE(with_variant("convert", std::string(new_memory)).find(refused), std::string::npos);
  EXPECT_NE(with_variant("convert", "other").find(refused), std::string::npos);
  EXPECT_NE(with_variant("transfer", "other").find(refused), std::string::npos);
  EXPECT_EQ(with_variant("transfer", std::string(new_memory)), "");
}

TEST(ProfileCorruption, TheMessageSaysWhere) {
  const std::string said = refusal(altered("\"floor_seconds\":", "\"floor_seconds\":\"x\",\"y\":"));
  EXPECT_NE(said.find("models[0].tiers[0]"), std::string::npos) << said;
  EXPECT_NE(said.find("(there)"), std::string::npos) << said;
}

}  // namespace
}  // namespace switchyard
