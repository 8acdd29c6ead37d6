// A user's operations of `fold`, adapted for the library: loops for the host, and recording.
#pragma once

#include <algorithm>
#include <array>
#include <switchyard/core/fold.hpp>
#include <switchyard/core/user_functions.hpp>
#include <type_traits>

namespace switchyard {
namespace skeleton {

/// A user's operation as the library calls it.
template <Element T, class Op>
struct AdaptedFold {
  using Folded = std::conditional_t<Op::in_double, double, T>;  ///< what it folds in
  /// Numbers that are folded side by side: more than GCC unrolls a loop for, because it makes
  /// vectors of loops, and of unrolled ones seldom.
  static constexpr Index lanes = 32;

  /// What changes nothing.
  [[nodiscard]] static Folded identity(const Op& op) {
    if constexpr (requires { op.start; }) {
      return static_cast<Folded>(op.start);
    } else {
      return static_cast<Folded>(Op::template identity<T>);
    }
  }
  /// The operation.
  static Folded apply(const Op& op, Folded a, Folded b) { return static_cast<Folded>(op(a, b)); }

  /// See `UserFold`.
  static double fold(const void* object, const T* values, Index n) {
    const Op& op = *static_cast<const Op*>(object);
    std::array<Folded, lanes> folded;
    folded.fill(identity(op));
    Index i = 0;
    for (; i + lanes <= n; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        folded[lane] = apply(op, folded[lane], static_cast<Folded>(values[i + Index(lane)]));
      }
    }
    Folded result = identity(op);
    for (; i < n; ++i) result = apply(op, result, static_cast<Folded>(values[i]));
    for (const Folded of_lane : folded) result = apply(op, result, of_lane);
    return static_cast<double>(result);
  }

  /// Several runs side by side, so that operations need not wait for each other.
  static double fold_in_order(const void* object, const T* values, Index n) {
    const Op& op = *static_cast<const Op*>(object);
    const Index run = n / lanes;
    std::array<Folded, lanes> folded;
    folded.fill(identity(op));
    for (Index i = 0; i < run; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        folded[lane] = apply(op, folded[lane], static_cast<Folded>(values[Index(lane) * run + i]));
      }
    }
    Folded result = identity(op);
    for (const Folded of_lane : folded) result = apply(op, result, of_lane);
    for (Index i = lanes * run; i < n; ++i)
      result = apply(op, result, static_cast<Folded>(values[i]));
    return static_cast<double>(result);
  }

  /// See `UserFold`.
  static RunFolds fold_runs(const void* object, const T* values, Index n) {
    const Op& op = *static_cast<const Op*>(object);
    const Index run = n / scan_runs;
    std::array<Folded, scan_runs> folded;
    folded.fill(identity(op));
    for (Index i = 0; i < run; ++i) {
      for (std::size_t k = 0; k < scan_runs; ++k) {
        folded[k] = apply(op, folded[k], static_cast<Folded>(values[Index(k) * run + i]));
      }
    }
    RunFolds result;
    std::ranges::copy(folded, result.begin());
    return result;
  }

  /// See `UserFold`.
  static void scan(const void* object, const RunFolds& before, const T* values, Index n, T* out) {
    const Op& op = *static_cast<const Op*>(object);
    const Index run = n / scan_runs;
    std::array<Folded, scan_runs> folded;
    for (std::size_t k = 0; k < scan_runs; ++k) folded[k] = static_cast<Folded>(before[k]);
    for (Index i = 0; i < run; ++i) {
      for (std::size_t k = 0; k < scan_runs; ++k) {
        const Index at = Index(k) * run + i;
        folded[k] = apply(op, folded[k], static_cast<Folded>(values[at]));
        out[at] = static_cast<T>(folded[k]);
      }
    }
    for (Index i = scan_runs * run; i < n; ++i) {
      folded.back() = apply(op, folded.back(), static_cast<Folded>(values[i]));
      out[i] = static_cast<T>(folded.back());
    }
  }

  /// See `UserFold`.
  static double combine(const void* object, double a, double b) {
    return static_cast<double>(
        apply(*static_cast<const Op*>(object), static_cast<Folded>(a), static_cast<Folded>(b)));
  }

  /// Records it, computing in S.
  template <SymbolicValue S>
  static void record_in(const Op& op, RecordedFunction& function) {
    record_result<S>(function, [&] {
      const std::array<Symbol<S>, 2> in{operand_symbol<S>(function, 0),
                                        operand_symbol<S>(function, 1)};
      return called(op, in[0], in[1]);
    });
  }
  /// See `UserFold`.
  static void record(const void* object, bool in_double, RecordedFunction& function) {
    const Op& op = *static_cast<const Op*>(object);
    return in_double ? record_in<double>(op, function) : record_in<T>(op, function);
  }
};

/// Whether that is an operation of `fold`.
template <class Op>
concept FoldOperation = requires {
  Op::in_double;
};

/// Which of the library's operations that is.
template <class Op>
[[nodiscard]] consteval KnownFold known_fold() {
  if (std::is_same_v<Op, fold::Plus>) return KnownFold::Plus;
  if (std::is_same_v<Op, fold::Times>) return KnownFold::Times;
  if (std::is_same_v<Op, fold::Smallest>) return KnownFold::Min;
  return std::is_same_v<Op, fold::Largest> ? KnownFold::Max : KnownFold::None;
}

/// A user's operation, as the library calls it.
template <Element T, class Op>
[[nodiscard]] UserFold<T> user_fold(const Op& op) {
  // Each mistake ends here, so that the compiler tells nothing else.
  if constexpr (!FoldOperation<Op>) {
    static_assert(FoldOperation<Op>,
                  "the operation must be fold::plus, times, min, max, or fold::by(function, "
                  "identity)");
  } else {
    using Called = AdaptedFold<T, Op>;
    using Folded = typename Called::Folded;
    if constexpr (!std::is_invocable_r_v<Folded, const Op&, Folded, Folded>) {
      static_assert(std::is_invocable_r_v<Folded, const Op&, Folded, Folded>,
                    "the operation must take two numbers and return one");
    } else {
      return {.object = &op,
              .identity = static_cast<double>(Called::identity(op)),
              .in_double = Op::in_double,
              .known = known_fold<Op>(),
              .fold = &Called::fold,
              .fold_in_order = &Called::fold_in_order,
              .fold_runs = &Called::fold_runs,
              .scan = &Called::scan,
              .combine = &Called::combine,
              .record = &Called::record};
    }
  }
}

}  // namespace skeleton
}  // namespace switchyard
