// Samples of operations whose true cost is known, with or without noise, and a profile of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard::synthetic {

/// Numbers that are the same on every machine and with every standard library.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : engine_(seed) {}
  double uniform(double lowest, double highest) {
    const double share = static_cast<double>(engine_() >> 11U) * 0x1p-53;
    return lowest + share * (highest - lowest);
  }
  double logarithmic(double lowest, double highest) {
    return std::exp(uniform(std::log(lowest), std::log(highest)));
  }
  /// About a standard normal distribution.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform(0, 1);
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

inline Structure random_structure(Numbers& numbers) {
  Structure structure;
  structure.rows = static_cast<Index>(numbers.logarithmic(20, 1e6));
  structure.cols = static_cast<Index>(numbers.logarithmic(20, 1e6));
  const double elements = static_cast<double>(structure.rows) * static_cast<double>(structure.cols);
  const double nnz = std::min(elements * numbers.logarithmic(1e-4, 1), 2e7);
  structure.nnz = static_cast<Index>(nnz) + 1;
  const double mean = structure.mean_row();
  structure.longest_row =
      std::min(structure.cols, static_cast<Index>(mean * numbers.uniform(1, 8)) + 1);
  structure.row_deviation = mean * numbers.uniform(0, 2);
  structure.length_changes =
      static_cast<double>(structure.rows) *
      chance_of_length_change(structure.row_deviation * structure.row_deviation);
  structure.lines_per_nonzero = numbers.uniform(0.1, 1);
  return structure;
}

/// Samples of a product with random CSR matrices that costs what `seconds(features)` says.
template <class Seconds>
std::vector<Sample> csr_products(int count, std::uint64_t seed, Seconds seconds) {
  Numbers numbers(seed);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const Features features =
        multiply_features(Format::Csr, random_structure(numbers), Precision::Float);
    samples.push_back({features, seconds(features)});
  }
  return samples;
}

/// Transfers from 1 KB to 1 GB over a link of that latency and bandwidth.
inline std::vector<Sample> transfers(int count, double latency, double bytes_per_second) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const double bytes = 1e3 * std::pow(1e6, static_cast<double>(i) / (count - 1));
    samples.push_back({transfer_features(bytes), latency + bytes / bytes_per_second});
  }
  return samples;
}

/// What such a transfer costs with 8 us and 50 GB/s.
inline double link_seconds(const Features& f) { return 8e-6 + f[Quantity::Bytes] / 5e10; }

/// A product that streams at 20 GB/s and takes half a nanosecond for each element that it gathers.
inline double product_seconds(const Features& f) {
  return 1e-6 + f[Quantity::Bytes] / 2e10 + 5e-10 * f[Quantity::Gathered];
}

inline ModelKey csr_key() {
  return multiply_key({Space::host(), Format::Csr}, Precision::Float, "rows");
}

inline ModelKey link_key() { return transfer_key(Space::host(), Space::device(0)); }

/// The coefficient of the term in `quantity` alone (nothing: of the constant), 0 if there is none.
inline double coefficient(const Polynomial& polynomial,
                          std::initializer_list<Quantity> quantities) {
  const Term wanted = Term::of(quantities);
  double sum = 0;
  for (const Term& term : polynomial.terms) {
    if (term.exponents == wanted.exponents) sum += term.coefficient;
  }
  return sum;
}

inline Fingerprint fingerprint() {
  return {"A processor", 2, "0.1.0", {{"A device", "driver 1"}, {"Another", "driver 2"}}};
}

/// A profile with a model of every operation, two tiers and an infinite border in it.
inline Profile small_profile() {
  std::vector<CostModel> models;
  const auto two_tiers = [](const Features& f) {
    const double bytes = f[Quantity::Bytes];
    return 2e-6 + bytes / (bytes < 1e6 ? 2e11 : 2e10);
  };
  FitOptions options;
  options.tier_bytes = {1e6};
  models.push_back(fit_cost_model(csr_key(), csr_products(14, 1, two_tiers), options).value());
  models.push_back(fit_cost_model(link_key(), transfers(5, 8e-6, 5e10), {}).value());
  const std::vector<Sample> builds(4, Sample{build_features(), 0.25});
  models.push_back(
      fit_cost_model(build_key(Space::device(0), Precision::Double, "csr"), builds, {}).value());
  auto conversions =
      csr_products(4, 2, [](const Features& f) { return 3e-10 * f[Quantity::Rows]; });
  models.push_back(
      fit_cost_model(convert_key(Format::Dense, Format::Csr, Space::device(0), Precision::Double),
                     conversions, {})
          .value());
  Profile profile(fingerprint(), std::move(models));
  profile.created = "2025-11-20T12:00:00Z";
  profile.calibration_seconds = 12.5;
  return profile;
}

}  // namespace switchyard::synthetic
