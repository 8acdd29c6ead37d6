// How far off the models have been on this machine since the program began.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <switchyard/models/profile.hpp>

namespace switchyard {

/// The last few ratios of measured to predicted time, by model, one for each matrix content that
/// was measured. What counts is their median, so that no single matrix, and no disturbed one,
/// moves a model. Not synchronised.
class Residuals {
 public:
  void clear() { accounts_.clear(); }

  /// A matrix took `ratio` times what the profile's model of `key` predicted. Returns whether the
  /// factor of that model has changed.
  bool learn(const ModelKey& key, double ratio);
  /// What the predictions of that model are to be multiplied by; 1 where too little is known.
  [[nodiscard]] double factor(const ModelKey& key) const;
  /// Once for each model, in words: that it is further off than `promised` (a relative error), and
  /// what to do about it. Nothing where it is not.
  [[nodiscard]] std::optional<std::string> drift(const ModelKey& key, double promised);

  /// A profile whose models predict what has been seen; their samples are left out.
  [[nodiscard]] Profile corrected(const Profile& profile) const;

 private:
  static constexpr std::size_t kept = 9;
  struct Account {
    std::array<double, kept> logarithms{};
    std::size_t count = 0;
    double applied = 0;  // the logarithm of the factor
    bool reported = false;
  };
  std::map<ModelKey, Account> accounts_;
};

}  // namespace switchyard
