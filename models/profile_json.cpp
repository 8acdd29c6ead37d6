// A profile as a JSON document: one line for each model, so that two profiles can be compared.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <switchyard/models/profile.hpp>

#include "model_check.hpp"
#include "profile_schema.hpp"
#include "profile_seal.hpp"

namespace switchyard {

namespace {

using Json = nlohmann::ordered_json;

/// Names from drivers may be in any encoding; what is not UTF-8 must not stop the writing.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// JSON has no infinity; null stands for "no limit".
Json limit(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json quantities_json(const Features& features) {
  Json json = Json::object();
  for (std::size_t q = 0; q < quantity_count; ++q) {
    json[std::string(name(static_cast<Quantity>(q)))] = limit(features.values[q]);
  }
  return json;
}

Json term_json(const Term& term) {
  Json powers = Json::object();
  for (std::size_t q = 0; q < quantity_count; ++q) {
    if (term.exponents[q] == 0) continue;
    powers[std::string(name(static_cast<Quantity>(q)))] = term.exponents[q];
  }
  return {{"coefficient", term.coefficient}, {"powers", std::move(powers)}};
}

Json tier_json(const ModelTier& tier) {
  Json terms = Json::array();
  for (const Term& term : tier.polynomial.terms) terms.push_back(term_json(term));
  return {{"up_to_bytes", limit(tier.up_to_bytes)},
          {"terms", std::move(terms)},
          {"domain",
           {{"lowest", quantities_json(tier.lowest)}, {"highest", quantities_json(tier.highest)}}},
          {"floor_seconds", tier.floor_seconds},
          {"floor_seconds_per_byte", tier.floor_seconds_per_byte}};
}

/// The keys that say which model it is: states, or spaces where the format does not matter.
Json key_json(const ModelKey& key) {
  Json json = Json::object();
  json["operation"] = name(key.operation);
  switch (key.operation) {
    case Operation::Multiply:
      json["state"] = name(key.from);
      break;
    case Operation::Build:
      json["space"] = name(key.from.space);
      break;
    case Operation::Convert:
      json["from"] = name(key.from);
      json["to"] = name(key.to);
      break;
    case Operation::Transfer:
      json["from"] = name(key.from.space);
      json["to"] = name(key.to.space);
      break;
  }
  const bool any = key.operation == Operation::Transfer;
  json["precision"] = any ? profile_schema::any_precision : name(key.precision);
  json["variant"] = key.variant;
  return json;
}

/// Each point is its seconds, then its quantities in their order.
Json points_json(const std::vector<Sample>& samples) {
  Json points = Json::array();
  for (const Sample& sample : samples) {
    Json point = Json::array({sample.seconds});
    for (const double value : sample.features.values) point.push_back(value);
    points.push_back(std::move(point));
  }
  return points;
}

Json model_json(const CostModel& model) {
  Json json = key_json(model.key);
  json["samples"] = model.quality.samples;
  json["r_squared"] = model.quality.r_squared;
  json["median_error"] = model.quality.median_error;
  json["p95_error"] = model.quality.p95_error;
  json["tiers"] = Json::array();
  for (const ModelTier& tier : model.tiers) json["tiers"].push_back(tier_json(tier));
  json["points"] = points_json(model.samples);
  return json;
}

Json fingerprint_json(const Fingerprint& fingerprint) {
  Json devices = Json::array();
  for (const Fingerprint::Device& device : fingerprint.devices) {
    devices.push_back({{"name", device.name}, {"driver", device.driver}});
  }
  return {{"cpu", fingerprint.cpu},
          {"threads", fingerprint.threads},
          {"library_version", fingerprint.library_version},
          {"devices", std::move(devices)}};
}

void refuse_unless_storable(const Profile& profile) {
  if (!(std::isfinite(profile.calibration_seconds) && profile.calibration_seconds >= 0)) {
    throw Error(ErrorCode::InvalidArgument, "the calibration's seconds are not possible");
  }
  for (const CostModel& model : profile.models()) {
    const std::string complaint = complaint_about(model);
    if (complaint.empty()) continue;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("the model of {} {} cannot be stored: {}", name(model.key.operation),
                            name(model.key.from), complaint));
  }
}

}  // namespace

std::string profile_to_json(const Profile& profile) {
  refuse_unless_storable(profile);
  std::string text = "{\n";
  const auto member = [&text](std::string_view key, const Json& value) {
    text += fmt::format("\"{}\":{},\n", key, text_of(value));
  };
  member("format", profile_schema::format);
  member("version", profile_schema::version);
  member("fingerprint", fingerprint_json(profile.fingerprint()));
  member("calibrated", profile.calibrated);
  member("created", profile.created);
  member("calibration_seconds", profile.calibration_seconds);
  text += "\"models\":[";
  const char* separator = "\n";
  for (const CostModel& model : profile.models()) {
    text += separator + text_of(model_json(model));
    separator = ",\n";
  }
  text += "\n],\n";
  return sealed(std::move(text));
}

}  // namespace switchyard
