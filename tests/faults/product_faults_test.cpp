// Products of which one OpenCL call after another fails: y is right all the same.
#include "faults/faulty_device.hpp"

namespace switchyard::testing {
namespace {

class ProductFaults : public OnFaultyDevice {};

/// What drivers say of commands that went wrong after they had been accepted; -9999 is NVIDIA's.
const std::vector<cl_int> late_codes{CL_OUT_OF_RESOURCES,
                                     CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                     CL_INVALID_COMMAND_QUEUE, -9999};
constexpr Disguise gpu{.discrete_gpu = true};

TEST_F(ProductFaults, WhileTheRuntimeStarts) {
  const Problem<float> problem;
  for (const Disguise& disguise : {Disguise{}, gpu}) {
    const auto start = [&](Injection& injection) {
      injection.arm();
      const Runtime runtime = runtime_preferring(csr_device);
      const auto matrix = runtime.matrix(problem.storage(Format::Csr));
      expect_right(injection, matrix, problem);
    };
    sweep("start", start, {.disguise = disguise});
  }
}

/// Each product is counted once, however often it was begun, and what the host made good is known.
template <Element T>
void expect_counted(const Runtime& runtime, const GMatrix<T>& matrix, Index products) {
  const Counters counters = matrix.counters();
  EXPECT_EQ(counters.calls, products);
  EXPECT_LE(counters.completed_after_failure, std::min(counters.device_failures, products));
  if (runtime.set_aside_reason(Space::device(0)).empty()) return;
  EXPECT_GE(counters.device_failures, 1);
  EXPECT_GE(counters.completed_after_failure, 1);
}

/// Two products on spans, of a matrix that is in `from`, and in `to` is best.
template <Element T>
Scenario two_products(const Problem<T>& problem, State from, State to,
                      std::string_view variant = {}) {
  return [&problem, from, to, variant](Injection& injection) {
    const Runtime runtime = runtime_preferring(to, variant);
    const auto matrix = runtime.matrix(problem.storage(from.format));
    matrix.bring_to(from);
    injection.arm();
    expect_right(injection, matrix, problem);
    expect_right(injection, matrix, problem);
    expect_counted(runtime, matrix, 2);
  };
}

TEST_F(ProductFaults, OnSpansWhereverTheMatrixIsAndGoes) {
  for (const float beta : {0.0F, 0.5F}) {
    const Problem<float> problem(23, 17, beta);
    for (const State from : {dense_host, csr_host, dense_device, csr_device}) {
      for (const State to : {dense_device, csr_device}) {
        const std::string route = name(from) + " to " + name(to);
        const auto products = two_products(problem, from, to);
        sweep("product " + route, products);
        sweep("product " + route + ", late", products, {.codes = late_codes, .late = true});
      }
    }
  }
}

/// Milliseconds being to come, the first products are timed by the device's clock.
TEST_F(ProductFaults, WhereProductsAreTimed) {
  const Problem<float> problem;
  const auto products = [&](Injection& injection) {
    Runtime runtime{RuntimeOptions{}};
    runtime.use_profile(preferring(runtime.fingerprint(), csr_device));
    const auto matrix = runtime.matrix(problem.storage(Format::Csr));
    matrix.bring_to(csr_device);
    matrix.expect_calls(1'000'000);
    injection.arm();
    for (int i = 0; i < 5; ++i) expect_right(injection, matrix, problem);
    expect_counted(runtime, matrix, 5);
  };
  sweep("timed products", products, {.timed = true});
  sweep("timed products, late", products, {.codes = late_codes, .late = true, .timed = true});
}

TEST_F(ProductFaults, OnADeviceAcrossALink) {
  for (const double beta : {0.0, 0.5}) {
    const Problem<double> problem(23, 17, beta);
    for (const State to : {dense_device, csr_device}) {
      for (const Format from : {Format::Dense, Format::Csr}) {
        const auto products = two_products(problem, {Space::host(), from}, to);
        const std::string route = std::string(name(from)) + " to " + name(to);
        sweep("product across a link " + route, products, {.disguise = gpu});
        sweep("product across a link " + route + ", late", products,
              {.codes = late_codes, .late = true, .disguise = gpu});
      }
    }
  }
}

TEST_F(ProductFaults, InSeveralLaunches) {
  // Few long rows are cut between work-groups, and one long row among short ones between tiles.
  const Problem<float> wide(4, 4500, 0.5F, 0.9);
  sweep("product of few long rows", two_products(wide, dense_host, dense_device, "group"),
        {.disguise = gpu});
  const Problem<float> uneven(401, 4000, 0.5F, 0.001);
  const auto merge = two_products(uneven, csr_host, csr_device, "merge");
  sweep("product of uneven rows", merge, {.disguise = gpu});
  sweep("product of uneven rows, late", merge,
        {.codes = late_codes, .late = true, .disguise = gpu});
  const auto binned = two_products(uneven, csr_host, csr_device, "binned");
  sweep("product of rows in bins", binned, {.disguise = gpu});
  sweep("product of rows in bins, late", binned,
        {.codes = late_codes, .late = true, .disguise = gpu});
}

TEST_F(ProductFaults, WhereYComesBackInPieces) {
  // 84 KB, which pass through pinned memory.
  const Problem<float> tall(21000, 2, 0.5F);
  const auto products = two_products(tall, csr_host, csr_device);
  sweep("product with a long y", products, {.disguise = gpu});
  sweep("product with a long y, late", products,
        {.codes = late_codes, .late = true, .disguise = gpu});
}

/// A device that fails half-way leaves some of the new y among the old, which beta y needs.
TEST_F(ProductFaults, WhereSomeOfYHasComeBack) {
  const Problem<float> tall(1200000, 1, 0.5F);
  sweep("product with y in pieces", two_products(tall, csr_host, csr_device),
        {.codes = late_codes, .only = "clWaitForEvents", .disguise = gpu});
}

/// The same where nothing else has the matrix, so that the product is not done at all.
TEST_F(ProductFaults, WhereSomeOfYHasComeBackForNothing) {
  const Problem<float> tall(1200000, 1);
  const auto product = [&](Injection& injection) {
    const Runtime runtime = runtime_preferring(csr_device);
    auto matrix = runtime.matrix(tall.storage(Format::Csr));
    matrix.bring_to(csr_device);
    matrix.evict(csr_host);
    injection.arm();
    std::vector<float> y = tall.y;
    const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
      matrix.multiply(tall.alpha, std::span<const float>(tall.x), 0.0F, std::span<float>(y));
    });
    if (done) injection.right();
    EXPECT_TRUE(done || y == tall.y) << "a failing call leaves y as it was";
  };
  sweep("product with y in pieces, of what only the device has", product,
        {.codes = late_codes, .only = "clWaitForEvents", .disguise = gpu});
}

/// What a device says that is lost is also what it says that is full.
TEST_F(ProductFaults, ADeviceThatGoesOnFailingIsSetAside) {
  const Problem<float> problem;
  for (const cl_int code : {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE}) {
    const Runtime runtime = runtime_preferring(csr_device);
    const auto matrix = runtime.matrix(problem.storage(Format::Csr));
    fault_layer()->set_plan({.nth = 1, .code = code, .for_ever = true});
    Injection none({});
    expect_right(none, matrix, problem);
    EXPECT_NE(runtime.set_aside_reason(Space::device(0)), "");
    const std::int64_t calls = fault_layer()->faults();
    EXPECT_GT(calls, 0);
    expect_right(none, matrix, problem);
    EXPECT_EQ(fault_layer()->faults(), calls) << "nothing is asked of it any more";
    fault_layer()->set_plan({});
  }
}

TEST_F(ProductFaults, WhereAPinHolds) {
  const Problem<float> problem(23, 17, 0.5F);
  for (const State pin : {dense_device, csr_device}) {
    sweep("product pinned to " + name(pin), [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(csr_host);
      const auto matrix = runtime.matrix(problem.storage(Format::Csr));
      matrix.pin(pin);
      injection.arm();
      expect_right(injection, matrix, problem);
      expect_right(injection, matrix, problem);
    });
  }
}

TEST_F(ProductFaults, WhereOnlyTheDeviceHasTheMatrix) {
  const Problem<float> problem(23, 17, 0.5F);
  for (const State only : {dense_device, csr_device}) {
    for (const bool late : {false, true}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(only);
        auto matrix = runtime.matrix(problem.storage(only.format));
        matrix.bring_to(only);
        matrix.evict({Space::host(), only.format});
        ASSERT_EQ(matrix.states(), std::vector{only});
        injection.arm();
        std::vector<float> y = problem.y;
        const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
          matrix.multiply(problem.alpha, std::span<const float>(problem.x), problem.beta,
                          std::span<float>(y));
        });
        if (done) {
          problem.expect_product(y);
          injection.right();
        } else {
          EXPECT_EQ(y, problem.y) << "a failing call leaves y as it was";
          EXPECT_TRUE(matrix.states().empty());
          EXPECT_THROW(static_cast<void>(matrix.copy_out(Format::Csr)), Error);
          EXPECT_NO_THROW(static_cast<void>(matrix.history()));
        }
        matrix.assign(problem.storage(Format::Dense));
        expect_right(injection, matrix, problem);
      };
      const std::string name_of_it = "product of what is only in " + name(only);
      if (late) {
        sweep(name_of_it + ", late", scenario, {.codes = late_codes, .late = true});
      } else {
        sweep(name_of_it, scenario);
      }
    }
  }
}

/// y = A x, then x = A y, by vectors that stay where products are.
TEST_F(ProductFaults, OnVectorsThatStayOnTheDevice) {
  const Problem<float> problem(23, 23);
  for (const bool late : {false, true}) {
    for (const State to : {dense_device, csr_device}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(to);
        const auto matrix = runtime.matrix(problem.storage(Format::Csr));
        const Vector<float> x{std::span<const float>(problem.x)};
        Vector<float> y{std::span<const float>(problem.y)};
        Vector<float> z(23);
        injection.arm();
        const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
          matrix.multiply(problem.alpha, x, problem.beta, y);
          matrix.multiply(problem.alpha, y, problem.beta, z);
          problem.expect_product(copied(y));
          problem.expect_product_with(copied(y), copied(z));
        });
        if (done) injection.right();
        EXPECT_EQ(copied(x), problem.x);
        // Read again, y is lost for good or right, if a product was ever told to write it.
        if (!done && !y.valid_in(Space::host())) {
          injection.try_or({ErrorCode::DeviceLost}, [&] { problem.expect_product(copied(y)); });
        }
        expect_right(injection, matrix, problem);
        // What went with the device is a vector again once a product has written it.
        injection.try_or({ErrorCode::DeviceLost}, [&] {
          matrix.multiply(problem.alpha, x, 0.0F, y);
          problem.expect_product(copied(y));
          injection.right();
        });
      };
      const std::string name_of_it = "products on vectors in " + name(to);
      if (late) {
        sweep(name_of_it + ", late", scenario, {.codes = late_codes, .late = true});
      } else {
        sweep(name_of_it, scenario);
      }
    }
  }
}

/// A y that is only on a device goes with it, but of what is written anew nothing is missed.
TEST_F(ProductFaults, WhereAYThatIsNotNeededIsLost) {
  const Problem<float> problem;
  for (const State to : {dense_device, csr_device}) {
    const Runtime runtime = runtime_preferring(to);
    const auto matrix = runtime.matrix(problem.storage(Format::Csr));
    const Vector<float> x{std::span<const float>(problem.x)};
    Vector<float> y{std::span<const float>(problem.y)};
    ASSERT_FALSE(on_device(runtime, y).valid_in(Space::host()));
    fault_layer()->set_plan({.nth = 1, .code = CL_INVALID_COMMAND_QUEUE, .for_ever = true});
    EXPECT_NO_THROW(matrix.multiply(problem.alpha, x, 0.0F, y));
    fault_layer()->set_plan({});
    problem.expect_product(copied(y));
  }
}

/// y = y + A x with a y that is only on the device: right, or lost, but never half of both.
TEST_F(ProductFaults, WhereTheOldYIsOnlyOnTheDevice) {
  const Problem<float> uneven(401, 4000, 0.5F, 0.001);
  for (const bool late : {false, true}) {
    for (const Disguise& disguise : {Disguise{}, gpu}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(csr_device, "merge");
        const auto matrix = runtime.matrix(uneven.storage(Format::Csr));
        const Vector<float> x{std::span<const float>(uneven.x)};
        Vector<float> y{std::span<const float>(uneven.y)};
        add_scalar(runtime, 0, on_device(runtime, y));
        ASSERT_FALSE(y.valid_in(Space::host()));
        injection.arm();
        const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
          matrix.multiply(uneven.alpha, x, uneven.beta, y);
          uneven.expect_product(copied(y));
        });
        if (done) injection.right();
        expect_right(injection, matrix, uneven);
      };
      Sweep how{.late = late, .disguise = disguise};
      if (late) how.codes = late_codes;
      sweep(std::string("product on the device's old y") + (late ? ", late" : ""), scenario, how);
    }
  }
}

/// Y = Y + A X with several equal columns and a Y that is only on the device, by kernels that are
/// launched several times: right, or lost, but never half of both.
TEST_F(ProductFaults, WhereSeveralColumnsAreOnlyOnTheDevice) {
  constexpr Index columns = 3;
  const Problem<float> problem(61, 700, 0.5F, 0.05);
  const auto repeated = [](const std::vector<float>& column) {
    MultiVector<float> all(std::ssize(column), columns);
    for (Index c = 0; c < columns; ++c) all.set_column(c, column);
    return all;
  };
  for (const Format format : {Format::Ell, Format::Csr}) {
    const State state{Space::device(0), format};
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(state);
      auto matrix = runtime.matrix(problem.storage(Format::Csr));
      matrix.bring_to(state);
      matrix.pin(state);
      const MultiVector<float> x = repeated(problem.x);
      MultiVector<float> y = repeated(problem.y);
      add_scalar(runtime, 0, on_device(runtime, y.elements()));
      ASSERT_FALSE(y.elements().valid_in(Space::host()));
      injection.arm();
      const bool done = injection.try_or(
          {ErrorCode::DeviceLost, ErrorCode::DeviceOutOfMemory, ErrorCode::DeviceUnavailable,
           ErrorCode::OutOfMemory, ErrorCode::Unsupported},
          [&] {
            matrix.multiply(problem.alpha, x, problem.beta, y);
            for (Index c = 0; c < columns; ++c) problem.expect_product(copied(y.column(c)));
          });
      if (done) injection.right();
    };
    for (const Disguise& disguise : {Disguise{}, gpu}) {
      sweep("columns on the device's old y in " + name(state), scenario, {.disguise = disguise});
    }
  }
}

}  // namespace
}  // namespace switchyard::testing
