// All models of one machine, and the file that holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/models/cost_model.hpp>
#include <vector>

namespace switchyard {

/// The machine that a profile was measured on. A profile fits only that machine.
struct Fingerprint {
  std::string cpu;              ///< the processor's name
  int threads = 0;              ///< number of OpenMP threads
  std::string library_version;  ///< version of the library that measured
  /// One OpenCL device, in the order of the device numbers.
  struct Device {
    std::string name;    ///< as the device reports it
    std::string driver;  ///< its version
    auto operator<=>(const Device&) const = default;
  };
  std::vector<Device> devices;  ///< without the host
  bool operator==(const Fingerprint&) const = default;
};

/// The first difference between two fingerprints as text ("threads 2, here 4"). Empty if equal.
[[nodiscard]] std::string difference(const Fingerprint& profile, const Fingerprint& here);
/// All differences, in the same form.
[[nodiscard]] std::vector<std::string> differences(const Fingerprint& profile,
                                                   const Fingerprint& here);

/// What else the machine did while a profile was measured. "Others" are all processes but the one
/// that measured.
struct CalibrationLoad {
  int processors = 0;        ///< online
  double average = 0;        ///< threads of others that ran or were ready to run, before the start
  double others_before = 0;  ///< processors that others kept busy before the start
  double others = 0;         ///< processors that others kept busy during calibration, on average
  double steal = 0;          ///< processors' worth of time that the hypervisor took meanwhile
  double switches_per_second = 0;  ///< involuntary context switches of the measuring process
  double disturbed = 0;            ///< the share of samples that were disturbed whenever measured
};

/// Whether a calibration with so many threads had the processors that it needed to itself. If not,
/// its models are less accurate.
[[nodiscard]] bool is_quiet(const CalibrationLoad& load, int threads) noexcept;

/// The models of one machine. Immutable once made. Threads: `find` may be called from any thread.
class Profile {
 public:
  Profile() = default;
  /// Throws `Error(InvalidArgument)` if two models have the same key.
  Profile(Fingerprint fingerprint, std::vector<CostModel> models);

  /// The machine that it was measured on.
  [[nodiscard]] const Fingerprint& fingerprint() const noexcept { return fingerprint_; }
  /// The models, in the order of their keys.
  [[nodiscard]] const std::vector<CostModel>& models() const noexcept { return models_; }
  /// The model of that key, or null. Allocates nothing.
  [[nodiscard]] const CostModel* find(const ModelKey& key) const noexcept;
  /// The same profile, its origin included, for another machine with other models. Throws as the
  /// constructor does.
  [[nodiscard]] Profile with(Fingerprint fingerprint, std::vector<CostModel> models) const;

  /// False for the built-in profile, which was not measured.
  bool calibrated = true;
  std::string created;                  ///< ISO 8601, UTC
  double calibration_seconds = 0;       ///< duration of the calibration
  std::optional<CalibrationLoad> load;  ///< during the calibration; absent if unknown
  std::string file;                     ///< the file that it was read from; empty if none

 private:
  Fingerprint fingerprint_;
  std::vector<CostModel> models_;

  static constexpr std::uint32_t no_model = 0xFFFFFFFF;
  void index_models();
  /// Where the number of that key's model is in `places_`, or else the free place that ends the
  /// search for it.
  [[nodiscard]] std::size_t place_of(const ModelKey& key) const noexcept;
  std::vector<std::uint32_t> places_;  // a hash table of numbers into `models_`; empty if no models
};

/// Returns `profile` with the models of `builtin` for every key that it lacks. These are marked as
/// built in. They predict no multiply or conversion faster than its bytes at the fastest bandwidth
/// that `profile` has measured in that space. Everything else of `profile` is unchanged,
/// `calibrated` included. Throws `Error(OutOfMemory)`.
[[nodiscard]] Profile completed_with_builtin(Profile profile, const Profile& builtin);

/// Writes the profile to `file`, and creates missing directories. Throws `Error(IoError)`, and
/// `Error(InvalidArgument)` if a model holds numbers that `load_profile` would refuse. The document
/// is written aside and renamed: an old profile survives any failure, and several processes may
/// save at once.
void save_profile(const Profile& profile, const std::string& file);

/// Reads a profile. Throws `Error(IoError)` if the file cannot be read. Throws `Error(DataCorrupt)`
/// if it is not a profile, is of an unknown version, truncated, changed or over 64 MB. The same
/// holds if it has values that no measurement gives (NaN, negative, a duplicate model, a tier
/// without terms), or more devices, models, tiers, terms or points than any machine has.
[[nodiscard]] Profile load_profile(const std::string& file);

/// The JSON document that `save_profile` writes and `load_profile` reads. Its last member is a
/// checksum of all bytes before it. A document that was edited on purpose must omit that member.
[[nodiscard]] std::string profile_to_json(const Profile& profile);
/// Reads such a document. Throws `Error(DataCorrupt)` as `load_profile` does, with `origin` as the
/// place.
[[nodiscard]] Profile profile_from_json(std::string_view text, std::string_view origin);

}  // namespace switchyard
