// Linear models from a handful of figures.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <switchyard/models/builtin.hpp>

#include "infinity.hpp"

namespace switchyard {

namespace {

double positive_or(double figure, double otherwise) {
  return std::isfinite(figure) && figure > 0 ? figure : otherwise;
}

SpaceFigures figures_of(Space space, const std::vector<SpaceFigures>& figures) {
  const auto i = static_cast<std::size_t>(space.index());
  const SpaceFigures assumed;
  if (i >= figures.size()) return assumed;
  const SpaceFigures& given = figures[i];
  return {positive_or(given.bytes_per_second, assumed.bytes_per_second),
          positive_or(given.gathers_per_second, assumed.gathers_per_second),
          positive_or(given.launch_seconds, assumed.launch_seconds),
          positive_or(given.link_bytes_per_second, assumed.link_bytes_per_second),
          positive_or(given.link_seconds, assumed.link_seconds),
          positive_or(given.build_seconds, assumed.build_seconds),
          positive_or(given.cache_bytes, assumed.cache_bytes),
          positive_or(given.cached_bytes_per_second, assumed.cached_bytes_per_second),
          positive_or(given.cached_gathers_per_second, assumed.cached_gathers_per_second),
          positive_or(given.row_step_seconds, assumed.row_step_seconds)};
}

/// The same where matrix and vectors stay in caches.
SpaceFigures in_caches(SpaceFigures figures) {
  figures.bytes_per_second = figures.cached_bytes_per_second;
  figures.gathers_per_second = figures.cached_gathers_per_second;
  return figures;
}

/// Where nothing was measured, a padded format must not win by the few bytes that it has less than
/// CSR.
constexpr double padded_bytes_factor = 1.1;
/// Nor a bitmap by bytes where it takes longer to decode than to read (2 Zen 5 cores, float,
/// density 0.2 to 0.5: twice as long, and three times in a cache).
constexpr double bitmap_bytes_factor = 2;
/// Nor packets, whose elements of x are gathered as well, if by fewer lines.
constexpr double packet_bytes_factor = 2;

/// On a processor bytes are decoded in more time than they are read from a cache in
/// (docs/measurements.md, "Without calibration"): columns of 8 bits, of 16, and a dictionary.
constexpr double narrow_columns_factor = 4;
constexpr double short_columns_factor = 1.05;
constexpr double dictionary_factor = 2;

/// Nor a product that scatters: y is read and written again and again. Devices scatter many columns
/// one by one, which are taken for sixteen.
constexpr double scatter_bytes_factor = 3;
constexpr double scattered_columns_factor = 16;

/// Nor, with several columns, a format that is decoded first, or is computed column by column. On a
/// processor that takes so many times as long as CSR, with columns of 16 bits and with others
/// (docs/measurements.md, "Without calibration").
constexpr double decoded_factor = 4;
constexpr double decoded_on_processor_factor = 2.2;
constexpr double decoded_short_on_processor_factor = 1.5;

double host_decoding_factor(Format format) {
  const double values = coding_of(format) == ValueCoding::Dictionary8 ? dictionary_factor : 1;
  if (columns_of(format) == ColumnCoding::Blocked8) return values * narrow_columns_factor;
  if (columns_of(format) == ColumnCoding::Tiled16) return values * short_columns_factor;
  return values;
}

/// What is known of caches is known of processors alone.
bool is_processor(const SpaceFigures& space) { return space.cache_bytes > 0; }

double many_columns_factor(Format format, bool on_processor) {
  if (!on_processor) return decoded_factor;
  return columns_of(format) == ColumnCoding::Tiled16 ? decoded_short_on_processor_factor
                                                     : decoded_on_processor_factor;
}

double bytes_factor(const ModelKey& key, bool on_processor) {
  const Format format = key.from.format;
  const bool has_columns = is_given(format) || format == Format::Csc;
  if (key.many_columns && !has_columns) return many_columns_factor(format, on_processor);
  if (key.operand != gathered_operand(format)) {
    const bool by_one = key.many_columns && !key.from.space.is_host() && format != Format::Dense;
    return scatter_bytes_factor * (by_one ? scattered_columns_factor : 1);
  }
  if (format == Format::Bitmap) return bitmap_bytes_factor;
  if (format == Format::Packet) return packet_bytes_factor;
  const bool padded = depends_on(facts_of(format).multiply_terms, Quantity::Stored);
  return (padded ? padded_bytes_factor : 1) *
         (key.from.space.is_host() ? host_decoding_factor(format) : 1);
}

Polynomial multiply_polynomial(const ModelKey& key, const SpaceFigures& space) {
  const auto terms = facts_of(key.from.format).multiply_terms;
  const double factor = bytes_factor(key, is_processor(space));
  Polynomial sum{{Term::of({}, space.launch_seconds),
                  Term::of({Quantity::Bytes}, factor / space.bytes_per_second)}};
  if (facts_of(key.from.format).walks_rows && space.row_step_seconds > 0) {
    sum.terms.push_back(Term::of({Quantity::Longest}, space.row_step_seconds));
  }
  if (key.many_columns) {
    // A row of x lies together: its lines count as bytes do, and each nonzero reads them again from
    // a cache.
    constexpr double line_bytes = 64;
    const double lines = static_cast<double>(size_of(key.precision)) / line_bytes;
    const Quantity each =
        depends_on(terms, Quantity::Nonzeros) ? Quantity::Nonzeros : Quantity::Stored;
    if (is_processor(space) && key.from.format != Format::Dense) {
      sum.terms.push_back(Term::of({each}, factor * lines / space.cached_gathers_per_second));
    }
    return sum;
  }
  if (depends_on(terms, Quantity::Gathered)) {
    sum.terms.push_back(Term::of({Quantity::Gathered}, 1 / space.gathers_per_second));
  }
  // A processor gathers for packets as it does for CSR. How many lines is not known of them.
  if (key.from.format == Format::Packet && key.from.space.is_host()) {
    sum.terms.push_back(Term::of({Quantity::Nonzeros}, 1 / space.gathers_per_second));
  }
  return sum;
}

/// Counting, offsets, filling and waiting for the count are four launches; the source is read once
/// to count and once to fill, and for packets its columns are sorted.
Polynomial convert_polynomial(const ModelKey& key, const SpaceFigures& space) {
  const double passes = key.to.format == Format::Packet ? 10 : 2;
  return {{Term::of({}, 4 * space.launch_seconds),
           Term::of({Quantity::Bytes}, passes / space.bytes_per_second)}};
}

/// Through the link of every device on the way; between devices the bytes pass through the host.
Polynomial transfer_polynomial(const ModelKey& key, const std::vector<SpaceFigures>& figures) {
  double seconds = 0;
  double seconds_per_byte = 0;
  for (const Space space : {key.from.space, key.to.space}) {
    if (space.is_host()) continue;
    const SpaceFigures link = figures_of(space, figures);
    seconds += link.link_seconds;
    seconds_per_byte += 1 / link.link_bytes_per_second;
  }
  return {{Term::of({}, seconds), Term::of({Quantity::Bytes}, seconds_per_byte)}};
}

Polynomial polynomial_of(const ModelKey& key, const std::vector<SpaceFigures>& figures) {
  const SpaceFigures space = figures_of(key.to.space, figures);
  switch (key.operation) {
    case Operation::Multiply:
      return multiply_polynomial(key, space);
    case Operation::Convert:
      return convert_polynomial(key, space);
    case Operation::Transfer:
      return transfer_polynomial(key, figures);
    case Operation::Build:
      break;
  }
  return {{Term::of({}, space.build_seconds)}};
}

/// Of all structures with so many bytes or less.
ModelTier tier_of(double up_to_bytes, Polynomial polynomial) {
  ModelTier tier{up_to_bytes, std::move(polynomial), {}, {}, 0};
  tier.highest.values.fill(infinity);
  return tier;
}

CostModel model_of(const ModelKey& key, const std::vector<SpaceFigures>& figures) {
  std::vector<ModelTier> tiers;
  const SpaceFigures space = figures_of(key.to.space, figures);
  // Conversions write memory that is new.
  if (key.operation == Operation::Multiply && space.cache_bytes > 0) {
    tiers.push_back(tier_of(space.cache_bytes, multiply_polynomial(key, in_caches(space))));
  }
  tiers.push_back(tier_of(infinity, polynomial_of(key, figures)));
  // 0.5 and 1: honest, as nobody has measured anything.
  return {key, std::move(tiers), {0, 0.0, 0.5, 1.0}, {}, true};
}

}  // namespace

Profile builtin_profile(const Fingerprint& fingerprint, const std::vector<ModelKey>& keys,
                        const std::vector<SpaceFigures>& figures) {
  std::vector<ModelKey> distinct = keys;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<CostModel> models;
  for (const ModelKey& key : distinct) models.push_back(model_of(key, figures));
  Profile profile(fingerprint, std::move(models));
  profile.calibrated = false;
  return profile;
}

}  // namespace switchyard
