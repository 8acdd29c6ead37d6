// What the structure of a matrix says of each format, whatever the space.
#pragma once

#include <array>
#include <string_view>
#include <switchyard/core/planner.hpp>
#include <switchyard/models/features.hpp>

namespace switchyard {

/// Sizes and features by format, each computed once for all spaces, kernels and conversions.
/// REQUIRES that the situation outlives this.
class FormatOutlook {
 public:
  explicit FormatOutlook(const Situation& situation);

  /// Of the matrix in that format.
  [[nodiscard]] double bytes(Format format) const noexcept { return of(format).bytes; }
  /// Why no such matrix can be in it; empty if one can.
  [[nodiscard]] std::string_view obstacle(Format format) const noexcept {
    return of(format).obstacle;
  }
  /// Whether it takes so much memory that it is not considered. The formats that a matrix is given
  /// in are never too large, nor is the pinned one or one of a copy, in any space: the way there,
  /// or away, may lead through a copy elsewhere.
  [[nodiscard]] bool too_large(Format format) const noexcept;
  /// The reason then.
  [[nodiscard]] Refusal size_refusal(Format format) const noexcept;
  /// Whether it codes values that are all equal by a dictionary, which takes more bytes and work
  /// than stating the value once. Neither the pinned format nor that of a copy is needless.
  [[nodiscard]] bool needless(Format format) const noexcept;
  /// The features of the multiplication that is asked for.
  [[nodiscard]] const Features& multiply_features(Format format) noexcept;
  /// The features of a conversion.
  [[nodiscard]] Features convert_features(Format from, Format to) const noexcept {
    return features_.convert(from, to, bytes(from) + bytes(to));
  }

 private:
  struct Facts {
    double bytes = 0;
    std::string_view obstacle = {};
    bool has_features = false;
    bool has_copy = false;
    Features multiply = {};
  };
  [[nodiscard]] const Facts& of(Format format) const noexcept {
    return facts_[static_cast<std::size_t>(format)];
  }

  /// Whether it is pinned or there is a copy in it.
  [[nodiscard]] bool in_use(Format format) const noexcept {
    return (pinned_ && pinned_->format == format) || of(format).has_copy;
  }

  MatrixFeatures features_;
  std::optional<State> pinned_;
  bool equal_values_;
  Request request_;
  std::array<Facts, number_of_formats> facts_{};
};

}  // namespace switchyard
