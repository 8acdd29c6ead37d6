// The checkpoint's lines are JSON, so that a torn last line is noticed and left out.
#include "checkpoint.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <switchyard/containers/error.hpp>

namespace switchyard {
namespace {

using Json = nlohmann::json;

Json machine_line(const Fingerprint& fingerprint) {
  Json devices = Json::array();
  for (const auto& device : fingerprint.devices) devices.push_back({device.name, device.driver});
  return {{"cpu", fingerprint.cpu},
          {"threads", fingerprint.threads},
          {"library_version", fingerprint.library_version},
          {"devices", devices}};
}

Json to_json(const KeyedSample& sample) {
  const ModelKey& key = sample.key;
  return {static_cast<int>(key.operation),
          name(key.from),
          name(key.to),
          static_cast<int>(key.precision),
          key.variant,
          sample.sample.features.values,
          sample.sample.seconds};
}

/// Throws a JSON exception or `Error` for anything that `to_json` does not write.
KeyedSample sample_from(const Json& json) {
  const auto from = parse_state(json.at(1).get<std::string>());
  const auto to = parse_state(json.at(2).get<std::string>());
  const int operation = json.at(0).get<int>();
  const int precision = json.at(3).get<int>();
  const bool known = operation >= 0 && operation <= static_cast<int>(Operation::Build) &&
                     precision >= 0 && precision <= static_cast<int>(Precision::Double);
  if (!from || !to || !known) throw Error(ErrorCode::DataCorrupt, "no sample");
  KeyedSample sample;
  sample.key = {static_cast<Operation>(operation), *from, *to, static_cast<Precision>(precision),
                json.at(4).get<std::string>()};
  sample.sample.features.values = json.at(5).get<std::array<double, quantity_count>>();
  sample.sample.seconds = json.at(6).get<double>();
  return sample;
}

/// Takes over one experiment's line; a damaged one is as if it had not been measured.
void read_line(const std::string& line, FinishedExperiments& finished) {
  try {
    const Json json = Json::parse(line);
    std::vector<KeyedSample> samples;
    for (const Json& sample : json.at("samples")) samples.push_back(sample_from(sample));
    finished[json.at("experiment").get<std::string>()] = std::move(samples);
  } catch (const std::exception&) {
    return;
  }
}

bool is_of(const std::string& line, const Fingerprint& fingerprint) {
  const Json json = Json::parse(line, nullptr, false);
  return !json.is_discarded() && json == machine_line(fingerprint);
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path file, const Fingerprint& fingerprint, bool resume)
    : file_(std::move(file)) {
  if (file_.empty()) return;
  if (resume) {
    std::ifstream in(file_);
    std::string line;
    if (std::getline(in, line) && is_of(line, fingerprint)) {
      while (std::getline(in, line)) read_line(line, finished_);
    }
  }
  std::error_code ignored;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
  out_.open(file_, std::ios::trunc);
  out_ << machine_line(fingerprint).dump() << '\n';
  // Written again, so that what is damaged is gone and what is whole stays.
  const FinishedExperiments kept = finished_;
  for (const auto& [experiment, samples] : kept) add(experiment, samples);
  if (!out_.flush()) throw Error(ErrorCode::IoError, "cannot write", file_.string());
}

void Checkpoint::add(const std::string& experiment, const std::vector<KeyedSample>& samples) {
  if (file_.empty()) return;
  Json line{{"experiment", experiment}, {"samples", Json::array()}};
  for (const KeyedSample& sample : samples) line["samples"].push_back(to_json(sample));
  out_ << line.dump() << '\n';
  if (!out_.flush()) throw Error(ErrorCode::IoError, "cannot write", file_.string());
}

void Checkpoint::remove() {
  if (file_.empty()) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace switchyard
