// A profile as a JSON document: one line for each model, so that two profiles can be compared.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/models/profile.hpp>

#include "model_check.hpp"
#include "profile_schema.hpp"
#include "profile_seal.hpp"

namespace switchyard {

namespace {

/// A text or a number. Names from drivers may be in any encoding; what is not UTF-8 must not stop
/// the writing.
template <class Value>
std::string text_of(const Value& value) {
  using Json = nlohmann::json;
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// JSON has no infinity; null stands for "no limit".
std::string limit(double value) { return std::isfinite(value) ? text_of(value) : "null"; }

/// An object or an array, put together as text: the values of a JSON library allocate while they
/// are destroyed, which ends the program where there is no memory.
class Group {
 public:
  explicit Group(char end) : end_(end) {}
  static Group object() { return Group('}'); }
  static Group array() { return Group(']'); }

  Group& add(std::string_view element) {
    text_ += text_.empty() ? "" : ",";
    text_ += element;
    return *this;
  }
  Group& add(std::string_view key, std::string_view value) {
    return add(fmt::format("\"{}\":{}", key, value));
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{}{}{}", end_ == '}' ? '{' : '[', text_, end_);
  }

 private:
  std::string text_;
  char end_;
};

std::string quantities_json(const Features& features) {
  Group json = Group::object();
  for (std::size_t q = 0; q < quantity_count; ++q) {
    json.add(name(static_cast<Quantity>(q)), limit(features.values[q]));
  }
  return json.text();
}

std::string term_json(const Term& term) {
  Group powers = Group::object();
  for (std::size_t q = 0; q < quantity_count; ++q) {
    if (term.exponents[q] == 0) continue;
    powers.add(name(static_cast<Quantity>(q)), text_of(term.exponents[q]));
  }
  return Group::object()
      .add("coefficient", text_of(term.coefficient))
      .add("powers", powers.text())
      .text();
}

std::string tier_json(const ModelTier& tier) {
  Group terms = Group::array();
  for (const Term& term : tier.polynomial.terms) terms.add(term_json(term));
  Group domain = Group::object();
  domain.add("lowest", quantities_json(tier.lowest)).add("highest", quantities_json(tier.highest));
  return Group::object()
      .add("up_to_bytes", limit(tier.up_to_bytes))
      .add("terms", terms.text())
      .add("domain", domain.text())
      .add("floor_seconds", text_of(tier.floor_seconds))
      .add("floor_seconds_per_byte", text_of(tier.floor_seconds_per_byte))
      .add("ceiling_seconds", limit(tier.ceiling_seconds))
      .text();
}

/// The keys that say which model it is: states, or spaces where the format does not matter.
Group key_json(const ModelKey& key) {
  Group json = Group::object();
  json.add("operation", text_of(name(key.operation)));
  switch (key.operation) {
    case Operation::Multiply:
      json.add("state", text_of(name(key.from)))
          .add("operand", text_of(name(key.operand)))
          .add("columns", text_of(key.many_columns ? profile_schema::many_columns
                                                   : profile_schema::one_column));
      break;
    case Operation::Build:
      json.add("space", text_of(name(key.from.space)));
      break;
    case Operation::Convert:
      json.add("from", text_of(name(key.from))).add("to", text_of(name(key.to)));
      break;
    case Operation::Transfer:
      json.add("from", text_of(name(key.from.space))).add("to", text_of(name(key.to.space)));
      break;
  }
  const bool any = key.operation == Operation::Transfer;
  json.add("precision", text_of(any ? profile_schema::any_precision : name(key.precision)));
  json.add("variant", text_of(key.variant));
  return json;
}

/// Each point is its seconds, then its quantities in their order.
std::string points_json(const std::vector<Sample>& samples) {
  Group points = Group::array();
  for (const Sample& sample : samples) {
    Group point = Group::array();
    point.add(text_of(sample.seconds));
    for (const double value : sample.features.values) point.add(text_of(value));
    points.add(point.text());
  }
  return points.text();
}

std::string model_json(const CostModel& model) {
  Group tiers = Group::array();
  for (const ModelTier& tier : model.tiers) tiers.add(tier_json(tier));
  return key_json(model.key)
      .add("samples", text_of(model.quality.samples))
      .add("r_squared", text_of(model.quality.r_squared))
      .add("median_error", text_of(model.quality.median_error))
      .add("p95_error", text_of(model.quality.p95_error))
      .add("tiers", tiers.text())
      .add("points", points_json(model.samples))
      .text();
}

std::string fingerprint_json(const Fingerprint& fingerprint) {
  Group devices = Group::array();
  for (const Fingerprint::Device& device : fingerprint.devices) {
    Group json = Group::object();
    json.add("name", text_of(device.name)).add("driver", text_of(device.driver));
    devices.add(json.text());
  }
  return Group::object()
      .add("cpu", text_of(fingerprint.cpu))
      .add("threads", text_of(fingerprint.threads))
      .add("library_version", text_of(fingerprint.library_version))
      .add("devices", devices.text())
      .text();
}

std::string load_json(const CalibrationLoad& load) {
  return Group::object()
      .add("processors", text_of(load.processors))
      .add("average", text_of(load.average))
      .add("others_before", text_of(load.others_before))
      .add("others", text_of(load.others))
      .add("steal", text_of(load.steal))
      .add("switches_per_second", text_of(load.switches_per_second))
      .add("disturbed", text_of(load.disturbed))
      .text();
}

void refuse_unless_storable(const Profile& profile) {
  if (profile.load && !is_possible(*profile.load)) {
    throw Error(ErrorCode::InvalidArgument, "the calibration's load is not possible");
  }
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

std::string profile_to_json(const Profile& profile) try {
  refuse_unless_storable(profile);
  std::string text = "{\n";
  const auto member = [&text](std::string_view key, std::string_view value) {
    text += fmt::format("\"{}\":{},\n", key, value);
  };
  member("format", text_of(profile_schema::format));
  member("version", text_of(profile_schema::version));
  member("fingerprint", fingerprint_json(profile.fingerprint()));
  member("calibrated", text_of(profile.calibrated));
  member("created", text_of(profile.created));
  member("calibration_seconds", text_of(profile.calibration_seconds));
  if (profile.load) member("load", load_json(*profile.load));
  text += "\"models\":[";
  const char* separator = "\n";
  for (const CostModel& model : profile.models()) {
    text += separator + model_json(model);
    separator = ",\n";
  }
  text += "\n],\n";
  return sealed(std::move(text));
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
