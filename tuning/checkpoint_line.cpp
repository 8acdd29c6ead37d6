// The lines are JSON, so that a damaged one is noticed and left out.
#include "checkpoint_line.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <switchyard/containers/error.hpp>

namespace switchyard {
namespace {

using Json = nlohmann::json;

Json machine_json(const Fingerprint& fingerprint) {
  Json devices = Json::array();
  for (const auto& device : fingerprint.devices) devices.push_back({device.name, device.driver});
  return {{"cpu", fingerprint.cpu},
          {"threads", fingerprint.threads},
          {"library_version", fingerprint.library_version},
          {"devices", devices}};
}

/// Names from drivers may be in any encoding; what is not UTF-8 must not stop the writing.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A disturbed sample has one more element, true.
Json to_json(const KeyedSample& sample) {
  const ModelKey& key = sample.key;
  Json json{static_cast<int>(key.operation),
            name(key.from),
            name(key.to),
            static_cast<int>(key.precision),
            key.variant,
            static_cast<int>(key.operand),
            key.many_columns,
            sample.sample.features.values,
            sample.sample.seconds};
  if (sample.disturbed) json.push_back(true);
  return json;
}

/// The key with everything left at its default that its operation does not look at.
ModelKey canonical(const ModelKey& key) {
  switch (key.operation) {
    case Operation::Multiply:
      return multiply_key(key.from, {key.operand, key.many_columns ? 2 : 1}, key.precision,
                          key.variant);
    case Operation::Convert:
      return convert_key(key.from.format, key.to.format, key.from.space, key.precision);
    case Operation::Transfer:
      return transfer_key(key.from.space, key.to.space, key.variant);
    case Operation::Build:
      break;
  }
  return build_key(key.from.space, key.precision, key.variant);
}

/// Throws a JSON exception or `Error` for anything that `to_json` does not write.
KeyedSample sample_from(const Json& json) {
  const auto from = parse_state(json.at(1).get<std::string>());
  const auto to = parse_state(json.at(2).get<std::string>());
  const int operation = json.at(0).get<int>();
  const int precision = json.at(3).get<int>();
  const int operand = json.at(5).get<int>();
  const bool known = operation >= 0 && operation <= static_cast<int>(Operation::Build) &&
                     precision >= 0 && precision <= static_cast<int>(Precision::Double) &&
                     operand >= 0 && operand <= static_cast<int>(Operand::Transpose);
  if (!from || !to || !known) throw Error(ErrorCode::DataCorrupt, "no sample");
  KeyedSample sample;
  sample.key = {static_cast<Operation>(operation),
                *from,
                *to,
                static_cast<Precision>(precision),
                json.at(4).get<std::string>(),
                static_cast<Operand>(operand),
                json.at(6).get<bool>()};
  // Two keys that a profile cannot tell apart would make one that nobody can read.
  if (sample.key != canonical(sample.key)) throw Error(ErrorCode::DataCorrupt, "no model's key");
  sample.sample.features.values = json.at(7).get<std::array<double, quantity_count>>();
  // JSON has no NaN; it stands there as null.
  const Json& seconds = json.at(8);
  sample.sample.seconds =
      seconds.is_null() ? std::numeric_limits<double>::quiet_NaN() : seconds.get<double>();
  sample.disturbed = json.size() > 9 && json.at(9).get<bool>();
  return sample;
}

}  // namespace

std::string machine_line(const Fingerprint& fingerprint) {
  return text_of(machine_json(fingerprint)) + '\n';
}

std::string experiment_line(const std::string& experiment,
                            const std::vector<KeyedSample>& samples) {
  Json line{{"experiment", experiment}, {"samples", Json::array()}};
  for (const KeyedSample& sample : samples) line["samples"].push_back(to_json(sample));
  return text_of(line) + '\n';
}

bool is_machine_line(std::string_view line, const Fingerprint& fingerprint) {
  const Json json = Json::parse(line, nullptr, false);
  // Compared as they are read, since a name that is no UTF-8 has been replaced in writing.
  return !json.is_discarded() && json == Json::parse(machine_line(fingerprint));
}

bool read_experiment_line(std::string_view line, FinishedExperiments& finished) {
  try {
    const Json json = Json::parse(line);
    std::vector<KeyedSample> samples;
    for (const Json& sample : json.at("samples")) samples.push_back(sample_from(sample));
    finished[json.at("experiment").get<std::string>()] = std::move(samples);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace switchyard
