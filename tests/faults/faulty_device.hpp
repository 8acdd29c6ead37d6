// What tests of a failing device share: steering the layer, sweeping over all calls, a small world.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <switchyard/backends/operations.hpp>
#include <switchyard/backends/reference.hpp>
#include <switchyard/switchyard.hpp>
#include <vector>

#include "core/fixtures.hpp"
#include "faults/fault_layer.hpp"
#include "states.hpp"

namespace switchyard::testing {

/// The layer that this program loads itself with. Null where the loader takes no layers.
[[nodiscard]] const FaultLayer* fault_layer();

/// What became of the operations of a scenario.
struct Outcomes {
  int right = 0;    ///< gave the right result
  int refused = 0;  ///< threw what was promised
};

/// The fault that one run of a scenario suffers.
class Injection {
 public:
  explicit Injection(FaultPlan plan) : plan_(plan) {}
  /// From here on calls are counted, and fail.
  void arm() const { fault_layer()->set_plan(plan_); }
  /// From here on no further call fails, unless for ever.
  [[nodiscard]] const FaultPlan& plan() const { return plan_; }
  [[nodiscard]] bool is_none() const { return plan_.nth == 0; }
  [[nodiscard]] std::string description() const;

  /// Runs what may throw an `Error` with one of `codes` where a fault is injected. Whether it
  /// threw none.
  bool try_or(std::initializer_list<ErrorCode> codes, const std::function<void()>& work);
  void right() { ++outcomes_.right; }
  [[nodiscard]] const Outcomes& outcomes() const { return outcomes_; }

 private:
  FaultPlan plan_;
  Outcomes outcomes_;
};

/// One run from nothing to nothing: it arms the fault where the calls to be tried begin, and checks
/// everything itself. Whatever it made is gone when it returns.
using Scenario = std::function<void(Injection&)>;

/// Which faults a sweep tries.
struct Sweep {
  std::vector<cl_int> codes = {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                               CL_OUT_OF_HOST_MEMORY, CL_INVALID_COMMAND_QUEUE};
  const char* only = nullptr;  ///< this entry point alone
  bool late = false;           ///< commands that fail when somebody waits
  Disguise disguise = {};
  /// The runtime decides by clocks: a run may end before the call that was to fail. Most may not.
  bool timed = false;
};

/// Runs `scenario` without a fault, then with each of its calls failing, once and for ever, with
/// each code, or where there are many calls with one of them, another at each. Expects that it
/// leaves no object behind and sets a device aside once at most. Prints a line of JSON with what
/// was tried.
void sweep(const std::string& name, const Scenario& scenario, const Sweep& sweep = {});

/// Where the loader takes no layers, or there is no device, there is nothing to try.
class OnFaultyDevice : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
};

/// A profile by which products are cheapest in `preferred`, by that variant if it is named, and
/// every switch costs next to nothing.
[[nodiscard]] Profile preferring(const Fingerprint& fingerprint, State preferred,
                                 std::string_view variant = {});

/// A runtime whose plans go to `preferred`.
[[nodiscard]] Runtime runtime_preferring(State preferred, std::string_view variant = {});

/// A random matrix with empty rows and one full row, vectors for it, and what their product is.
template <Element T>
struct Problem {
  explicit Problem(Index rows = 23, Index cols = 17, T beta = T{0}, double density = 0.3);

  Dense<T> dense;                    ///< of one value and zeros, so that every format can hold it
  std::vector<Triplet<T>> triplets;  ///< its elements that are not zero
  std::vector<T> x;
  std::vector<T> y;  ///< what is there before
  T alpha{2};
  T beta{0};
  std::vector<ReferenceRow> expected;

  /// The matrix in that format, in host memory.
  [[nodiscard]] Storage<T> storage(Format format) const;
  /// Expects `got` to be alpha A x + beta y.
  void expect_product(std::span<const T> got) const;
  /// The same of alpha A x for another x.
  void expect_product_with(std::span<const T> other_x, std::span<const T> got) const;
};

/// A product on the caller's memory, which nothing that happens to a device can keep from being
/// right.
template <Element T>
void expect_right(Injection& injection, const GMatrix<T>& matrix, const Problem<T>& problem) {
  std::vector<T> y = problem.y;
  matrix.multiply(problem.alpha, std::span<const T>(problem.x), problem.beta, std::span<T>(y));
  problem.expect_product(y);
  injection.right();
}

/// The same vector, with its only valid copy on the device.
template <Element T>
[[nodiscard]] Vector<T>& on_device(const Runtime& runtime, Vector<T>& vector) {
  static_cast<void>(vector.target_in(runtime.executor(Space::device(0))->memory(), true));
  vector.combined_in(Space::device(0));
  return vector;
}

template <Element T>
[[nodiscard]] std::vector<T> copied(const Vector<T>& vector) {
  const auto elements = vector.read();
  return {elements.begin(), elements.end()};
}

}  // namespace switchyard::testing
