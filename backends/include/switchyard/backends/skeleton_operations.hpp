// Skeletons on arrays: what a backend does with a user's function.
#pragma once

#include <array>
#include <span>
#include <switchyard/backends/executor.hpp>
#include <switchyard/backends/recorded_function.hpp>
#include <switchyard/containers/array.hpp>

namespace switchyard {

/// What elements beyond the ends of a vector count as.
struct Edge {
  /// How they are told.
  enum class Kind : std::uint8_t {
    Constant,  ///< all are `value`
    Nearest,   ///< the first or the last element
    Wrap       ///< as if the vector went round
  };
  Kind kind = Kind::Constant;  ///< how they are told
  double value = 0;            ///< of a constant

  /// All are `value`.
  [[nodiscard]] static constexpr Edge constant(double value) noexcept {
    return {Kind::Constant, value};
  }
  /// The first or the last element.
  [[nodiscard]] static constexpr Edge nearest() noexcept { return {Kind::Nearest}; }
  /// As if the vector went round.
  [[nodiscard]] static constexpr Edge wrap() noexcept { return {Kind::Wrap}; }
};

/// The elements [begin, end) of a result, and the arrays that they are made of, on the host.
template <Element T>
struct ElementBlock {
  const T* const* operands = nullptr;  ///< one array for each operand
  Index begin = 0;                     ///< the first element
  Index end = 0;                       ///< behind the last one
  Index size = 0;                      ///< elements of each array
  Index columns = 1;                   ///< of a row; see `SkeletonOperands`
  Edge edge = {};                      ///< of operands that are looked at from nearby
};

/// A user's function of one element of each operand, for the host and to be recorded. The object
/// is the user's, and const for everybody.
template <Element T>
struct UserFunction {
  const void* object = nullptr;  ///< what the other members call
  /// Computes the elements of a block, the first of them to `out`.
  void (*map)(const void* object, const ElementBlock<T>& block, T* out) = nullptr;
  /// Computes the element in that row and column from one value of each operand. Null for a
  /// function that looks at neighbours, which cannot write what it reads.
  T (*at)(const void* object, Index row, Index column, const T* values) = nullptr;
  /// Records it. Does not throw: see `RecordedFunction::problem`.
  void (*record)(const void* object, RecordedFunction& function) = nullptr;
  bool by_place = false;  ///< depends on where the element is
  bool same = false;      ///< its result is its one operand
};

/// Runs that a scan's block is cut into, which are computed side by side: an element waits for the
/// one before it, but not for those of other runs.
inline constexpr Index scan_runs = 8;

/// A fold of each run, in double as numbers pass.
using RunFolds = std::array<double, scan_runs>;

/// The operations of `fold` that a backend has loops of its own for.
enum class KnownFold : std::uint8_t { None, Plus, Times, Min, Max };

/// A user's operation that makes one number of two, for folding. Numbers pass as double, which
/// holds any float. It must be associative up to rounding.
template <Element T>
struct UserFold {
  const void* object = nullptr;       ///< what the other members call
  double identity = 0;                ///< changes nothing on either side
  bool in_double = false;             ///< folds in double where that exists, and not in T
  KnownFold known = KnownFold::None;  ///< which of the library's it is
  /// The fold of n numbers, which takes them in an order that depends on n alone.
  double (*fold)(const void* object, const T* values, Index n) = nullptr;
  /// The same in their order, for operations that are not commutative.
  double (*fold_in_order)(const void* object, const T* values, Index n) = nullptr;
  /// The folds of `scan_runs` runs of n / scan_runs numbers; what is left over is not folded.
  RunFolds (*fold_runs)(const void* object, const T* values, Index n) = nullptr;
  /// The prefixes of n numbers: those of each run begin with what `before` says, and those of what
  /// is left over go on from the last run. `out` may be `values`.
  void (*scan)(const void* object, const RunFolds& before, const T* values, Index n,
               T* out) = nullptr;
  /// The operation itself.
  double (*combine)(const void* object, double a, double b) = nullptr;
  /// Records it, computing in double or in T. Does not throw.
  void (*record)(const void* object, bool in_double, RecordedFunction& function) = nullptr;
};

/// Most operands of a skeleton.
inline constexpr std::size_t most_operands = 8;

/// What a skeleton reads: arrays of `size` elements in the executor's space. Those of several
/// columns are row-major.
template <Element T>
struct SkeletonOperands {
  UserFunction<T> function;                 ///< of one element of each array
  std::span<const Array<T>* const> arrays;  ///< at most `most_operands`
  Index size = 0;                           ///< of each
  Index columns = 1;                        ///< in each row; 1 or more
  Edge edge = {};                           ///< see `ElementBlock`
  /// On a device, the function as recorded. Null on the host.
  const RecordedFunction* recorded = nullptr;
};

/// The skeletons of one backend. Each returns when the result is known, or earlier where a device
/// is yet to write an array (see `Executor::finish`). They throw `Error`, and what they write is
/// then undefined. The same call gives the same bits, on the host with any number of threads.
template <Element T>
struct SkeletonOperations {
  /// out = function(operands), element by element. `out` may be one of the arrays, unless the
  /// function looks at neighbours.
  void (*map)(Executor& executor, const SkeletonOperands<T>& operands, Array<T>& out);
  /// The fold of function(operands) over all elements. The operation must be commutative, too.
  double (*reduce)(Executor& executor, const SkeletonOperands<T>& operands, const UserFold<T>& fold,
                   const RecordedFunction* recorded_fold);
  /// out_i = in_0 op ... op in_i. `out` may be `in`.
  void (*scan)(Executor& executor, const UserFold<T>& fold, const RecordedFunction* recorded_fold,
               const Array<T>& in, Array<T>& out);
};

/// The skeletons of that backend.
template <Element T>
[[nodiscard]] const SkeletonOperations<T>& skeleton_operations(Backend backend);

}  // namespace switchyard
