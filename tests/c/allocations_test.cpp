// Every function of the C interface with each of its allocations failing in turn.
#include <gtest/gtest.h>
#include <switchyard.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <switchyard/containers/error.hpp>

#include "core/allocations/failing_allocations.hpp"
#include "core/allocations/sweep.hpp"

namespace switchyard::testing {
namespace {

constexpr std::array<std::int32_t, 4> offsets{0, 2, 2, 4};
constexpr std::array<std::int64_t, 4> wide_columns{1, 3, 2, 4};
constexpr std::array<std::int64_t, 4> wide_offsets{1, 3, 3, 5};
constexpr std::array<std::int32_t, 4> columns{0, 2, 1, 3};
constexpr std::array<double, 4> values{1, 2, 3, 4};
constexpr std::array<double, 12> dense{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 4};
constexpr sy_csr plain{3, 4, 4, offsets.data(), columns.data(), 32, 32, 0};
constexpr std::array<std::int32_t, 4> row_of{2, 0, 2, 0};
constexpr std::array<std::int32_t, 4> col_of{3, 2, 1, 0};
constexpr std::array<double, 4> in_places{4, 2, 3, 1};
constexpr sy_triplets places{3, 4, 4, row_of.data(), col_of.data(), 32, 0};
constexpr sy_csr to_convert{3, 4, 4, wide_offsets.data(), wide_columns.data(), 64, 64, 1};

/// A status as the exception that the sweep expects.
void must(sy_status status) {
  if (status == SY_OK) return;
  stop_failing();
  throw Error(static_cast<ErrorCode>(status - 1), sy_last_error());
}

sy_options quiet() {
  sy_options options{};
  options.devices = "none";
  options.reproducible = 1;
  // A calibrated profile of this machine has hundreds of models, each of which allocates.
  options.profile = "/dev/null";
  return options;
}

/// The runtime of all matrices: making one takes most of a trial's time.
sy_runtime* shared_runtime() {
  struct Shared {
    Shared() {
      const sy_options options = quiet();
      must(sy_runtime_create(&options, &runtime));
    }
    ~Shared() { sy_runtime_free(runtime); }
    sy_runtime* runtime = nullptr;
  };
  static const Shared shared;
  return shared.runtime;
}

/// A matrix, and what a call returns.
struct Made {
  explicit Made(bool is_dense = false) {
    must(is_dense ? sy_matrix_dense_f64(runtime, 3, 4, dense.data(), SY_COPY, &matrix)
                  : sy_matrix_csr_f64(runtime, &plain, values.data(), SY_BORROW, &matrix));
  }
  ~Made() {
    sy_free(text);
    sy_matrix_free(result);
    sy_matrix_free(matrix);
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  void expect_product(const sy_matrix* of, double factor = 1) const {
    ASSERT_NE(of, nullptr);
    const std::array<double, 4> x{1, 2, 3, 4};
    std::array<double, 3> product{};
    EXPECT_EQ(sy_multiply_f64(of, nullptr, 1, x.data(), 4, 0, product.data(), 3), SY_OK);
    EXPECT_EQ(product, (std::array<double, 3>{7 * factor, 0, 22 * factor}));
  }

  sy_runtime* runtime = shared_runtime();
  sy_matrix* matrix = nullptr;
  sy_matrix* result = nullptr;
  char* text = nullptr;
};

using Call = std::function<sy_status(Made&)>;

/// A call that makes `result`, or nothing.
void sweep_making(const std::string& name, const Call& call) {
  sweep(name, [&]() -> Trial {
    const auto made = std::make_shared<Made>();
    return {.call = [made, &call] { must(call(*made)); },
            .unchanged = [made] { EXPECT_EQ(made->result, nullptr); },
            .done = [made] { made->expect_product(made->result); }};
  });
}

/// A call after which the matrix is what it was, times `factor` if the call is done.
void sweep_using(const std::string& name, const Call& call, bool allocates = true,
                 double factor = 1, bool is_dense = false) {
  sweep(
      name,
      [&]() -> Trial {
        const auto made = std::make_shared<Made>(is_dense);
        return {.call = [made, &call] { must(call(*made)); },
                .unchanged = [made] { made->expect_product(made->matrix); },
                .done = [made, factor] { made->expect_product(made->matrix, factor); }};
      },
      allocates);
}

TEST(CAllocations, Runtimes) {
  sweep("sy_runtime_create", []() -> Trial {
    const auto runtime = std::make_shared<sy_runtime*>(nullptr);
    return {.call =
                [runtime] {
                  const sy_options options = quiet();
                  must(sy_runtime_create(&options, runtime.get()));
                },
            .unchanged = [runtime] { EXPECT_EQ(*runtime, nullptr); },
            .done =
                [runtime] {
                  EXPECT_NE(*runtime, nullptr);
                  sy_runtime_free(*runtime);
                }};
  });
  sweep_using("sy_runtime_counters", [](Made& made) {
    sy_counters counters;
    return sy_runtime_counters(made.runtime, &counters);
  });
}

TEST(CAllocations, Making) {
  for (const int memory : {SY_COPY, SY_BORROW}) {
    sweep_making("sy_matrix_dense_f64", [memory](Made& made) {
      return sy_matrix_dense_f64(made.runtime, 3, 4, dense.data(), memory, &made.result);
    });
    for (const sy_csr& pattern : {plain, to_convert}) {
      sweep_making("sy_matrix_csr_f64", [&pattern, memory](Made& made) {
        return sy_matrix_csr_f64(made.runtime, &pattern, values.data(), memory, &made.result);
      });
    }
  }
}

TEST(CAllocations, Triplets) {
  sweep_making("sy_matrix_triplets_f64", [](Made& made) {
    return sy_matrix_triplets_f64(made.runtime, &places, in_places.data(), &made.result);
  });
  sweep_using("sy_assign_triplets_f64", [](Made& made) {
    return sy_assign_triplets_f64(made.matrix, &places, in_places.data());
  });
}

TEST(CAllocations, Products) {
  for (const char* const state : {"csr@host", "dense@host"}) {
    for (const sy_request request : {sy_request{1, 0}, sy_request{2, 0}, sy_request{2, 1}}) {
      sweep(std::string("sy_multiply_f64 in ") + state, [&]() -> Trial {
        const auto made = std::make_shared<Made>();
        const auto y = std::make_shared<std::array<double, 8>>();
        y->fill(5);
        must(sy_pin(made->matrix, state));
        return {.call =
                    [made, y, &request] {
                      const std::array<double, 8> x{1, 1, 1, 1, 1, 1, 1, 1};
                      const std::int64_t k = request.columns;
                      const std::int64_t x_size = k * (request.transposed ? 3 : 4);
                      const std::int64_t y_size = k * (request.transposed ? 4 : 3);
                      must(sy_multiply_f64(made->matrix, &request, 2, x.data(), x_size, 1,
                                           y->data(), y_size));
                    },
                .unchanged = [y] { EXPECT_EQ(std::ranges::count(*y, 5.0), 8); },
                .done = [y, &request] { EXPECT_EQ((*y)[0], request.transposed ? 7 : 11); }};
      });
    }
  }
}

TEST(CAllocations, Writing) {
  constexpr std::array<double, 4> twice{2, 4, 6, 8};
  for (const bool is_dense : {false, true}) {
    sweep_using(
        "sy_set_values_f64",
        [&](Made& made) { return sy_set_values_f64(made.matrix, twice.data(), 4); }, true, 2,
        is_dense);
  }
  sweep_using("sy_assign_dense_f64", [](Made& made) {
    return sy_assign_dense_f64(made.matrix, 3, 4, dense.data(), SY_COPY);
  });
  sweep_using(
      "sy_assign_csr_f64",
      [&](Made& made) {
        return sy_assign_csr_f64(made.matrix, &to_convert, twice.data(), SY_COPY);
      },
      true, 2);
}

TEST(CAllocations, States) {
  sweep_using("sy_bring_to", [](Made& made) { return sy_bring_to(made.matrix, "ell@host"); });
  sweep_using(
      "sy_evict", [](Made& made) { return sy_evict(made.matrix, "csr@host", nullptr); }, false);
  sweep_using(
      "sy_pin", [](Made& made) { return sy_pin(made.matrix, "csr@host"); }, false);
  sweep_using("sy_pin_request", [](Made& made) {
    const sy_request transpose{1, 1};
    return sy_pin_request(made.matrix, &transpose, "csc@host");
  });
  sweep_using(
      "sy_unpin", [](Made& made) { return sy_unpin(made.matrix); }, false);
  sweep_using(
      "sy_expect_calls", [](Made& made) { return sy_expect_calls(made.matrix, nullptr, 9); },
      false);
  sweep_using("an unknown state", [](Made& made) {
    const sy_status status = sy_pin(made.matrix, "a state that is not known");
    return status == SY_INVALID_ARGUMENT ? SY_OK : status;
  });
}

/// A function that gives a text of a request: the transpose, which has the fewest states to
/// explain.
void sweep_text(const std::string& name,
                sy_status (*function)(const sy_matrix*, const sy_request*, char**)) {
  sweep_using(name, [=](Made& made) {
    const sy_request transpose{1, 1};
    return function(made.matrix, &transpose, &made.text);
  });
}

TEST(CAllocations, PlanAsJson) { sweep_text("sy_plan_json", sy_plan_json); }
TEST(CAllocations, ExplanationAsJson) { sweep_text("sy_explain_json", sy_explain_json); }
TEST(CAllocations, ExplanationAsText) { sweep_text("sy_explain", sy_explain); }

TEST(CAllocations, Looks) {
  sweep_using("sy_states", [](Made& made) { return sy_states(made.matrix, &made.text); });
  sweep_using(
      "sy_matrix_info",
      [](Made& made) {
        sy_info info;
        return sy_matrix_info(made.matrix, &info);
      },
      false);
  sweep_using(
      "sy_matrix_counters",
      [](Made& made) {
        sy_counters counters;
        return sy_matrix_counters(made.matrix, &counters);
      },
      false);
}

}  // namespace
}  // namespace switchyard::testing
