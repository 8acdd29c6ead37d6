// A skeleton on a matrix: its function and operation as hosts and devices compute them, and the
// choice of where.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <switchyard/backends/matrix_skeletons.hpp>
#include <switchyard/core/plan.hpp>

namespace switchyard {

/// A user's function and operation, recorded for devices.
template <Element T>
class SkeletonWork {
 public:
  /// `fold` may be null. The function takes so many values.
  explicit SkeletonWork(const UserFunction<T>& function, const UserFold<T>* fold = nullptr,
                        std::size_t operands = 1);

  [[nodiscard]] const UserFunction<T>& function() const noexcept { return function_; }
  [[nodiscard]] std::size_t operands() const noexcept { return operands_; }
  [[nodiscard]] const RecordedFunction& recorded() const noexcept { return recorded_; }
  /// Whether the function of zeros is certainly zero, wherever they are.
  [[nodiscard]] bool keeps_zeros() const noexcept { return keeps_zeros_; }

  /// Why no device computes it, or null.
  [[nodiscard]] const char* only_on_host() const noexcept { return only_on_host_; }
  /// A device has failed it: the host goes on. `reason` must live for as long as the process.
  void keep_on_host(const char* reason) noexcept { only_on_host_ = reason; }
  /// Whether devices need double for it.
  [[nodiscard]] bool in_double() const noexcept { return in_double_; }
  /// Whether that executor computes it, if it works.
  [[nodiscard]] bool suits(const Executor& executor) const noexcept;

  /// The two in the form that an executor needs. They live as long as this does.
  [[nodiscard]] ElementFunction<T> function_for(const Executor& executor) const noexcept;
  [[nodiscard]] ElementFold<T> fold_for(const Executor& executor) noexcept;

 private:
  UserFunction<T> function_;
  const UserFold<T>* fold_;
  std::size_t operands_;
  RecordedFunction recorded_;
  RecordedFunction recorded_fold_;
  bool keeps_zeros_ = false;
  bool in_double_ = false;
  const char* only_on_host_ = nullptr;
};

/// What a skeleton costs in one state.
struct SkeletonCost {
  double itself = 0;  ///< seconds to compute it
  double around = 0;  ///< seconds that follow from computing it there, before and after
};

/// Where a skeleton is computed, and what else there was.
struct SkeletonChoice {
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  State state = {};                ///< the state that computes
  double itself_seconds = 0;       ///< of the skeleton there
  double seconds = unknown;        ///< with the way there and what follows
  std::optional<State> next = {};  ///< the next best
  double next_seconds = unknown;   ///< the same there

  /// Takes `other` instead if that takes less.
  void consider(State other, const SkeletonCost& cost, double way) noexcept;
};

/// A choice for a skeleton that is computed again and again, and what it depends on.
struct RememberedChoice {
  SkeletonChoice choice = {};
  VectorTraffic traffic = {};
  std::uint64_t runtime_version = 0;
  bool on_devices = false;  ///< devices compute the function
  bool in_double = false;   ///< it needs double on them
  Index until = 0;          ///< it is not used from so many on

  [[nodiscard]] bool holds_for(const RememberedChoice& asked, Index done) const noexcept {
    return done < until && traffic == asked.traffic && on_devices == asked.on_devices &&
           in_double == asked.in_double && runtime_version == asked.runtime_version;
  }
};

/// The choice as the line of the debug log. `only_on_host` says why devices were left out, or is
/// null.
[[nodiscard]] std::string choice_line(StepKind skeleton, std::string_view subject,
                                      const SkeletonChoice& choice, const char* only_on_host);

/// The skeletons of a history as lines for `explain`; empty where there are none.
[[nodiscard]] std::string skeleton_lines(std::span<const Step> history);

}  // namespace switchyard
