// All models of one machine, as a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <switchyard/models/cost_model.hpp>
#include <vector>

namespace switchyard {

/// What a profile was measured on; a profile only fits the machine that it was measured on.
struct Fingerprint {
  std::string cpu;              ///< the processor's own name
  int threads = 0;              ///< that OpenMP uses
  std::string library_version;  ///< that measured
  /// One OpenCL device, in the order of the library's numbering.
  struct Device {
    std::string name;    ///< as the device tells it
    std::string driver;  ///< its version
    auto operator<=>(const Device&) const = default;
  };
  std::vector<Device> devices;  ///< without the host
  bool operator==(const Fingerprint&) const = default;
};

/// The first difference between two fingerprints in words ("threads 2, here 4"), empty if equal.
[[nodiscard]] std::string difference(const Fingerprint& profile, const Fingerprint& here);
/// All of them.
[[nodiscard]] std::vector<std::string> differences(const Fingerprint& profile,
                                                   const Fingerprint& here);

/// The models of one machine. Immutable once made; may be asked from any thread.
class Profile {
 public:
  Profile() = default;
  /// Throws `Error(InvalidArgument)` where two models have the same key.
  Profile(Fingerprint fingerprint, std::vector<CostModel> models);

  /// The machine that it was measured on.
  [[nodiscard]] const Fingerprint& fingerprint() const noexcept { return fingerprint_; }
  /// In the order of their keys.
  [[nodiscard]] const std::vector<CostModel>& models() const noexcept { return models_; }
  /// The model of that key, or null. Allocates nothing.
  [[nodiscard]] const CostModel* find(const ModelKey& key) const noexcept;

  /// False for the built-in profile, which nobody measured.
  bool calibrated = true;
  std::string created;             ///< ISO 8601, UTC
  double calibration_seconds = 0;  ///< that the calibration took
  std::filesystem::path file;      ///< where it was read from; empty if nowhere

 private:
  Fingerprint fingerprint_;
  std::vector<CostModel> models_;
};

/// `profile` with the models of `builtin` added for every key that it has no model of. These are
/// marked as built in, and predict no multiply or conversion faster than its bytes at the fastest
/// bandwidth that `profile` has measured in that space. Everything else of `profile` stays, and
/// whether it counts as calibrated. Throws `Error(OutOfMemory)`.
[[nodiscard]] Profile completed_with_builtin(Profile profile, const Profile& builtin);

/// Writes the document aside in the same directory and renames it, so that an old profile survives
/// any failure and several processes may save at once; makes the directories above. Throws
/// `Error(IoError)`, and `Error(InvalidArgument)` where a model holds numbers that `load_profile`
/// would refuse.
void save_profile(const Profile& profile, const std::filesystem::path& file);

/// Throws `Error`: IoError where the file cannot be read; DataCorrupt where it is no profile, of
/// another version, truncated, changed, over 64 MB, holds numbers that no measurement gives (NaN,
/// negative, a duplicate model, a tier without terms), or more of anything than a machine has
/// (devices, models, tiers, terms, points).
[[nodiscard]] Profile load_profile(const std::filesystem::path& file);

/// The document itself, as `save_profile` writes it and `load_profile` reads it. Its last member is
/// a checksum of all bytes before it; a document edited on purpose must leave that member out.
[[nodiscard]] std::string profile_to_json(const Profile& profile);
/// Throws `Error(DataCorrupt)` as `load_profile` does, naming `origin` as the place.
[[nodiscard]] Profile profile_from_json(std::string_view text, std::string_view origin);

}  // namespace switchyard
