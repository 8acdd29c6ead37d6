// A profile from its JSON document, believing nothing.
#include <optional>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/models/profile.hpp>

#include "json_node.hpp"
#include "model_check.hpp"
#include "profile_schema.hpp"
#include "profile_seal.hpp"

namespace switchyard {

namespace {

constexpr Index most_samples = 1'000'000'000;
constexpr Index most_threads = 1'000'000;
/// Of one model and of one tier; a fit gives four and six.
constexpr std::size_t most_tiers = 64;
constexpr std::size_t most_terms = 64;
/// Of one model; a thorough calibration takes some 400.
constexpr std::size_t most_points = 100'000;
/// Twenty formats, two precisions and five variants in `Space::most_devices` spaces have fewer.
constexpr std::size_t most_models = 100'000;

/// The size of an array that a profile may hold so many elements of.
std::size_t bounded_size(const JsonNode& node, std::size_t most) {
  const std::size_t size = node.array_size();
  if (size > most) node.refuse("has more elements than any profile");
  return size;
}

/// The value that `parse` makes of the text.
template <class Parse>
auto parsed(const JsonNode& node, Parse parse) {
  const auto value = parse(node.text());
  if (!value) node.refuse("is not a known name");
  return *value;
}

/// The enumerator, among the first `count`, of that name.
template <class Enum>
Enum named(const JsonNode& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Enum>(i);
    if (name(value) == node.text()) return value;
  }
  node.refuse("is not a known name");
}

/// How many quantities a document of `version` names; those that it does not know are 0.
std::size_t quantities_in(Index version) {
  return quantity_count - static_cast<std::size_t>(profile_schema::version - version);
}

Features quantities(const JsonNode& node, Index version, bool may_be_infinite) {
  const std::size_t named = quantities_in(version);
  Features features;
  for (std::size_t q = 0; q < named; ++q) {
    const JsonNode value = node[name(static_cast<Quantity>(q))];
    features.values[q] = may_be_infinite ? value.number_or_infinity() : value.number();
  }
  if (node.object_size() != named) node.refuse("has an unknown member");
  return features;
}

Term term_from(const JsonNode& node) {
  node.expect_members({"coefficient", "powers"});
  Term term;
  term.coefficient = node["coefficient"].number();
  const JsonNode powers = node["powers"];
  std::size_t known = 0;
  for (std::size_t q = 0; q < quantity_count; ++q) {
    const std::string_view quantity = name(static_cast<Quantity>(q));
    if (!powers.has(quantity)) continue;
    term.exponents[q] = static_cast<std::uint8_t>(powers[quantity].count(highest_exponent));
    ++known;
  }
  if (powers.object_size() != known) powers.refuse("names an unknown quantity");
  return term;
}

ModelTier tier_from(const JsonNode& node, Index version) {
  const bool has_ceiling = version >= profile_schema::first_with_ceilings;
  const std::string_view last = has_ceiling ? "ceiling_seconds" : "terms";
  node.expect_members(
      {"up_to_bytes", "terms", "domain", "floor_seconds", "floor_seconds_per_byte", last});
  ModelTier tier;
  tier.up_to_bytes = node["up_to_bytes"].number_or_infinity();
  const JsonNode terms = node["terms"];
  const std::size_t count = bounded_size(terms, most_terms);
  for (std::size_t i = 0; i < count; ++i) {
    tier.polynomial.terms.push_back(term_from(terms[i]));
  }
  const JsonNode domain = node["domain"];
  domain.expect_members({"lowest", "highest"});
  tier.lowest = quantities(domain["lowest"], version, false);
  tier.highest = quantities(domain["highest"], version, true);
  tier.floor_seconds = node["floor_seconds"].number();
  tier.floor_seconds_per_byte = node["floor_seconds_per_byte"].number();
  if (has_ceiling) {
    tier.ceiling_seconds = node["ceiling_seconds"].number_or_infinity();
  }
  return tier;
}

Sample sample_from(const JsonNode& node, Index version) {
  const std::size_t named = quantities_in(version);
  if (node.array_size() != 1 + named) node.refuse("has the wrong length");
  Sample sample;
  sample.seconds = node[std::size_t{0}].number();
  for (std::size_t q = 0; q < named; ++q) {
    sample.features.values[q] = node[q + 1].number();
  }
  return sample;
}

Precision precision_from(const JsonNode& node) { return named<Precision>(node, 2); }

/// The request that a multiplication computes, with as many columns as tell one from many.
Request request_from(const JsonNode& node, Index version) {
  if (version < profile_schema::first_with_requests) return {};
  const std::string& columns = node["columns"].text();
  const bool many = columns == profile_schema::many_columns;
  if (!many && columns != profile_schema::one_column) node["columns"].refuse("is unknown");
  return {named<Operand>(node["operand"], 2), many ? 2 : 1};
}

ModelKey conversion_from(const JsonNode& node) {
  const State from = parsed(node["from"], parse_state);
  const State to = parsed(node["to"], parse_state);
  if (from.space != to.space) node["to"].refuse("is in another space");
  return convert_key(from.format, to.format, from.space, precision_from(node["precision"]));
}

/// The key, after a check that exactly the members of such a model are there.
ModelKey key_from(const JsonNode& node, Index version) {
  const auto operation = named<Operation>(node["operation"], 4);
  const auto expect = [&node](std::string_view first, std::string_view second,
                              std::string_view third = "tiers") {
    node.expect_members({"operation", first, second, third, "precision", "variant", "samples",
                         "r_squared", "median_error", "p95_error", "tiers", "points"});
  };
  const std::string& variant = node["variant"].text();
  const bool pair = operation == Operation::Convert || operation == Operation::Transfer;
  if (pair) {
    expect("from", "to");
    const bool known = operation == Operation::Transfer && variant == new_memory;
    if (!variant.empty() && !known) node["variant"].refuse("should be empty");
  }
  switch (operation) {
    case Operation::Multiply:
      if (version < profile_schema::first_with_requests) {
        expect("state", "state");
      } else {
        expect("state", "operand", "columns");
      }
      return multiply_key(parsed(node["state"], parse_state), request_from(node, version),
                          precision_from(node["precision"]), variant);
    case Operation::Build:
      expect("space", "space");
      return build_key(parsed(node["space"], parse_space), precision_from(node["precision"]),
                       variant);
    case Operation::Transfer:
      if (node["precision"].text() != profile_schema::any_precision) {
        node["precision"].refuse("should be \"any\"");
      }
      return transfer_key(parsed(node["from"], parse_space), parsed(node["to"], parse_space),
                          variant);
    case Operation::Convert:
      break;
  }
  return conversion_from(node);
}

CostModel model_from(const JsonNode& node, Index version) {
  CostModel model{key_from(node, version), {}, {}, {}};
  model.quality = {node["samples"].count(most_samples), node["r_squared"].number(),
                   node["median_error"].number(), node["p95_error"].number()};
  const JsonNode tiers = node["tiers"];
  const std::size_t tier_count = bounded_size(tiers, most_tiers);
  for (std::size_t i = 0; i < tier_count; ++i) model.tiers.push_back(tier_from(tiers[i], version));
  const JsonNode points = node["points"];
  const std::size_t point_count = bounded_size(points, most_points);
  model.samples.reserve(point_count);
  for (std::size_t i = 0; i < point_count; ++i) {
    model.samples.push_back(sample_from(points[i], version));
  }
  const std::string complaint = complaint_about(model);
  if (!complaint.empty()) node.refuse(complaint);
  return model;
}

Fingerprint fingerprint_from(const JsonNode& node) {
  node.expect_members({"cpu", "threads", "library_version", "devices"});
  Fingerprint fingerprint{node["cpu"].text(),
                          static_cast<int>(node["threads"].count(most_threads)),
                          node["library_version"].text(),
                          {}};
  const JsonNode devices = node["devices"];
  const std::size_t count = bounded_size(devices, Space::most_devices);
  for (std::size_t i = 0; i < count; ++i) {
    const JsonNode device = devices[i];
    device.expect_members({"name", "driver"});
    fingerprint.devices.push_back({device["name"].text(), device["driver"].text()});
  }
  return fingerprint;
}

CalibrationLoad load_from(const JsonNode& node) {
  node.expect_members({"processors", "average", "others_before", "others", "steal",
                       "switches_per_second", "disturbed"});
  CalibrationLoad load;
  load.processors = static_cast<int>(node["processors"].count(most_threads));
  load.average = node["average"].number();
  load.others_before = node["others_before"].number();
  load.others = node["others"].number();
  load.steal = node["steal"].number();
  load.switches_per_second = node["switches_per_second"].number();
  load.disturbed = node["disturbed"].number();
  if (!is_possible(load)) node.refuse("is not possible");
  return load;
}

std::vector<CostModel> models_from(const JsonNode& node, Index version) {
  std::vector<CostModel> models;
  const std::size_t count = bounded_size(node, most_models);
  models.reserve(count);
  for (std::size_t i = 0; i < count; ++i) models.push_back(model_from(node[i], version));
  return models;
}

constexpr std::string_view broken_seal =
    "its checksum does not match; leave that member out of a file that was edited on purpose";

/// What this is, before anything in it is read: its version.
Index check_header(const JsonNode& document, Seal seal) {
  if (!document.has("format") || document["format"].text() != profile_schema::format) {
    document.refuse("is no Switchyard profile");
  }
  const Index version = document["version"].count(most_samples);
  if (version < profile_schema::oldest_version || version > profile_schema::version) {
    document["version"].refuse("is not one that this library reads");
  }
  if (document.has("checksum") && seal != Seal::Whole) {
    throw corrupt_profile(broken_seal, document.origin());
  }
  return version;
}

}  // namespace

Profile profile_from_json(std::string_view text, std::string_view origin) try {
  // First, because it is cheap: a damaged file is not worth a parse.
  const Seal seal = seal_of(text);
  if (seal == Seal::Broken) throw corrupt_profile(broken_seal, origin);
  const JsonValue json = parse_json_strictly(text, origin);
  const JsonNode document(json, origin);
  const Index version = check_header(document, seal);
  const auto if_there = [&document](std::string_view key) {
    return document.has(key) ? key : std::string_view("models");
  };
  document.expect_members({"format", "version", "fingerprint", "calibrated", "created",
                           "calibration_seconds", "models", if_there("load"),
                           if_there("checksum")});
  std::vector<CostModel> models = models_from(document["models"], version);
  const double seconds = document["calibration_seconds"].number();
  if (seconds < 0) document["calibration_seconds"].refuse("is negative");
  std::optional<Profile> profile;
  try {
    profile.emplace(fingerprint_from(document["fingerprint"]), std::move(models));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidArgument) throw;
    throw corrupt_profile(error.what(), origin);
  }
  profile->calibrated = document["calibrated"].boolean();
  profile->created = document["created"].text();
  profile->calibration_seconds = seconds;
  if (document.has("load")) profile->load = load_from(document["load"]);
  return std::move(*profile);
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
