// Bringing, reading, writing and dropping copies of a matrix while OpenCL calls fail.
#include "faults/faulty_device.hpp"

namespace switchyard::testing {
namespace {

class StateFaults : public OnFaultyDevice {};

/// What bringing a copy to a device that fails may say.
constexpr std::initializer_list<ErrorCode> not_there{
    ErrorCode::DeviceLost, ErrorCode::DeviceUnavailable, ErrorCode::DeviceOutOfMemory,
    ErrorCode::BuildFailed, ErrorCode::Internal};

template <Element T>
void expect_elements(const Storage<T>& got, const Problem<T>& problem) {
  const auto& values = std::get<Dense<T>>(got).values;
  EXPECT_TRUE(std::ranges::equal(values.span(), problem.dense.values.span()));
}

TEST_F(StateFaults, BringingAndReadingCopies) {
  const Problem<float> problem;
  for (const Disguise& disguise : {Disguise{}, Disguise{.discrete_gpu = true}}) {
    for (const State to : {dense_device, csr_device}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(dense_host);
        const auto matrix = runtime.matrix(problem.storage(Format::Dense));
        injection.arm();
        const bool there = injection.try_or(not_there, [&] { matrix.bring_to(to); });
        if (there) injection.right();
        EXPECT_EQ(matrix.states().front(), dense_host) << "the host's copy stays";
        matrix.evict(to);
        expect_elements(matrix.copy_out(Format::Dense), problem);
        expect_right(injection, matrix, problem);
        EXPECT_FALSE(matrix.explain().empty());
      };
      sweep("bring to " + name(to), scenario, {.disguise = disguise});
    }
  }
}

TEST_F(StateFaults, ReadingWhatOnlyTheDeviceHas) {
  const Problem<float> problem;
  for (const State only : {dense_device, csr_device}) {
    for (const bool late : {false, true}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(only);
        auto matrix = runtime.matrix(problem.storage(only.format));
        matrix.bring_to(only);
        matrix.evict({Space::host(), only.format});
        injection.arm();
        const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
          expect_elements(matrix.copy_out(Format::Dense), problem);
          injection.right();
          matrix.write_csr([](const Csr<float>&, std::span<float> values) {
            for (float& value : values) value *= 2;
          });
        });
        if (!done) matrix.assign(problem.storage(Format::Csr));
        // Twice the matrix by half of alpha is the same product, to the bit.
        std::vector<float> y = problem.y;
        matrix.multiply(done ? problem.alpha / 2 : problem.alpha, std::span<const float>(problem.x),
                        0.0F, std::span<float>(y));
        problem.expect_product(y);
        injection.right();
      };
      Sweep how{.late = late};
      if (late) how.codes = {CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE, -14, -9999};
      sweep("read what is only in " + name(only), scenario, how);
    }
  }
}

/// Elements that are changed on the device, whether or not the host has a copy too.
TEST_F(StateFaults, MapsAreDoneOnceOrRefused) {
  const Problem<float> problem;
  for (const State there : {dense_device, csr_device}) {
    for (const bool host_has_it : {false, true}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(there);
        auto matrix = runtime.matrix(problem.storage(there.format));
        matrix.bring_to(there);
        if (!host_has_it) matrix.evict({Space::host(), there.format});
        injection.arm();
        const auto change = [&] { scale(matrix, 2.0F); };
        bool done = true;
        if (host_has_it) {
          change();
        } else {
          done = injection.try_or({ErrorCode::DeviceLost}, change);
        }
        if (!done) matrix.assign(problem.storage(Format::Csr));
        std::vector<float> y = problem.y;
        const auto multiply = [&] {
          matrix.multiply(done ? problem.alpha / 2 : problem.alpha,
                          std::span<const float>(problem.x), 0.0F, std::span<float>(y));
          problem.expect_product(y);
        };
        if (injection.try_or({ErrorCode::DeviceLost}, multiply)) injection.right();
      };
      sweep("map in " + name(there) + (host_has_it ? ", and on the host" : ""), scenario, {});
    }
  }
}

/// Rows and places are folded where they are: right, or refused, with everything as it was.
TEST_F(StateFaults, FoldsAreRightOrRefused) {
  const Problem<float> problem;
  const auto product = [](auto a, auto x) { return a * x; };
  const auto even = [](auto, auto j, auto a) { return where(j % 2 == 0, a, 0.0F); };
  double evens = 0;
  for (Index k = 0; k < problem.dense.values.size(); ++k) {
    if (k % problem.dense.cols % 2 == 0) evens += double{problem.dense.values[k]};
  }
  for (const State there : {dense_device, csr_device}) {
    for (const bool host_has_it : {false, true}) {
      for (const Disguise& disguise : {Disguise{}, Disguise{.discrete_gpu = true}}) {
        const auto scenario = [&](Injection& injection) {
          const Runtime runtime = runtime_preferring(there);
          auto matrix = runtime.matrix(problem.storage(there.format));
          matrix.bring_to(there);
          matrix.pin(there);
          if (!host_has_it) matrix.evict({Space::host(), there.format});
          Vector<float> x{std::span<const float>(problem.x)};
          Vector<float> y(problem.dense.rows);
          injection.arm();
          const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
            map_rows(y, product, fold::plus, matrix, x);
            std::vector<float> found = copied(y);
            for (float& value : found) value *= problem.alpha;
            problem.expect_product(found);
            EXPECT_NEAR(map_reduce(matrix, even, fold::plus), evens, 1e-4);
          });
          if (done) injection.right();
          EXPECT_EQ(copied(x), problem.x);
          // What only the device had may go with it now.
          if (!done) matrix.assign(problem.storage(Format::Csr));
          const auto multiply = [&] { expect_right(injection, matrix, problem); };
          if (done && !host_has_it) {
            injection.try_or({ErrorCode::DeviceLost}, multiply);
          } else {
            multiply();
          }
        };
        sweep("folds in " + name(there) + (host_has_it ? ", and on the host" : ""), scenario,
              {.disguise = disguise});
      }
    }
  }
}

/// Elements by their places, on the device, whether or not the host has a copy too.
TEST_F(StateFaults, MapsByPlaceAreDoneOnceOrRefused) {
  const Problem<float> problem;
  const auto twice = [](auto i, auto j, auto a) { return where(i + j >= 0, 2 * a, 0.0F); };
  for (const bool host_has_it : {false, true}) {
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(csr_device);
      auto matrix = runtime.matrix(problem.storage(Format::Csr));
      matrix.bring_to(csr_device);
      if (!host_has_it) matrix.evict(csr_host);
      injection.arm();
      const auto change = [&] { map(matrix, twice); };
      bool done = true;
      if (host_has_it) {
        change();
      } else {
        done = injection.try_or({ErrorCode::DeviceLost}, change);
      }
      if (!done) matrix.assign(problem.storage(Format::Csr));
      std::vector<float> y = problem.y;
      const auto multiply = [&] {
        matrix.multiply(done ? problem.alpha / 2 : problem.alpha, std::span<const float>(problem.x),
                        0.0F, std::span<float>(y));
        problem.expect_product(y);
      };
      if (injection.try_or({ErrorCode::DeviceLost}, multiply)) injection.right();
    };
    sweep(std::string("map by place") + (host_has_it ? ", and on the host" : ""), scenario, {});
  }
}

/// Two matrices that the device has make a third, element by element or by merging their rows.
TEST_F(StateFaults, MapsOfTwoMatricesAreRightOrRefused) {
  const Problem<float> problem;
  for (const State there : {dense_device, csr_device}) {
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(there);
      auto a = runtime.matrix(problem.storage(there.format));
      auto b = runtime.matrix(problem.storage(there.format));
      a.bring_to(there);
      b.bring_to(there);
      auto out = runtime.matrix(problem.storage(there.format));
      injection.arm();
      map(
          out, [](auto p, auto q) { return 3 * p - 2 * q; }, a, b);
      std::vector<float> y = problem.y;
      const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
        out.multiply(problem.alpha, std::span<const float>(problem.x), 0.0F, std::span<float>(y));
        problem.expect_product(y);
      });
      if (done) injection.right();
      expect_right(injection, a, problem);
    };
    sweep("map of two matrices in " + name(there), scenario, {});
  }
}

/// The transpose is made where the matrix is, or at home; rows are scaled where they are, and the
/// elements are lost with the device.
TEST_F(StateFaults, TransposesAndScaledRowsAreRightOrRefused) {
  const Problem<float> problem;
  const std::vector<float> halves(static_cast<std::size_t>(problem.dense.rows), 0.5F);
  for (const State there : {dense_device, csr_device}) {
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(there);
      auto matrix = runtime.matrix(problem.storage(there.format));
      matrix.bring_to(there);
      matrix.evict({Space::host(), there.format});
      Vector<float> factors{std::span<const float>(halves)};
      static_cast<void>(on_device(runtime, factors));
      const auto expect_product_of = [&](const GMatrix<float>& other, float alpha, bool transpose) {
        std::vector<float> y = problem.y;
        const std::span<const float> x(problem.x);
        transpose ? other.multiply_transposed(alpha, x, 0.0F, std::span<float>(y))
                  : other.multiply(alpha, x, 0.0F, std::span<float>(y));
        problem.expect_product(y);
      };
      injection.arm();
      injection.try_or({ErrorCode::DeviceLost},
                       [&] { expect_product_of(matrix.transposed(), problem.alpha, true); });
      float alpha = 2 * problem.alpha;
      if (!injection.try_or({ErrorCode::DeviceLost}, [&] { scale_rows(matrix, factors); })) {
        // It may have been changed in part.
        matrix.assign(problem.storage(there.format));
        alpha = problem.alpha;
      }
      const auto multiply = [&] { expect_product_of(matrix, alpha, false); };
      if (injection.try_or({ErrorCode::DeviceLost}, multiply)) injection.right();
    };
    sweep("transpose and scaled rows of " + name(there), scenario, {});
  }
}

/// A device set aside by hand is well: what only it has comes back.
TEST_F(StateFaults, WhatIsOnADeviceThatWasSetAsideByHandIsNotLost) {
  const Problem<float> problem;
  const Runtime runtime = runtime_preferring(csr_device);
  const auto matrix = runtime.matrix(problem.storage(Format::Csr));
  matrix.bring_to(csr_device);
  matrix.evict(csr_host);
  Vector<float> x{std::span<const float>(problem.x)};
  static_cast<void>(on_device(runtime, x));
  runtime.set_aside(Space::device(0), "the test says so");
  Vector<float> y(problem.dense.rows);
  matrix.multiply(problem.alpha, x, 0.0F, y);
  problem.expect_product(copied(y));
  EXPECT_EQ(copied(x), problem.x);
}

/// One matrix loses its only copy, and with the device another one its own.
TEST_F(StateFaults, EveryMatrixOfALostDeviceSaysSo) {
  const Problem<float> problem;
  const Runtime runtime = runtime_preferring(csr_device);
  auto first = runtime.matrix(problem.storage(Format::Csr));
  auto second = runtime.matrix(problem.storage(Format::Csr));
  for (const auto* const matrix : {&first, &second}) {
    matrix->bring_to(csr_device);
    matrix->evict(csr_host);
  }
  fault_layer()->set_plan({.nth = 1, .code = CL_INVALID_COMMAND_QUEUE, .for_ever = true});
  std::vector<float> y = problem.y;
  for (int i = 0; i < 2; ++i) {
    for (const auto* const matrix : {&first, &second}) {
      try {
        matrix->multiply(std::span<const float>(problem.x), std::span<float>(y));
        ADD_FAILURE() << "there is nothing to compute with";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DeviceLost) << error.what();
      }
      EXPECT_EQ(y, problem.y);
      EXPECT_TRUE(matrix->states().empty());
    }
  }
  EXPECT_THROW(static_cast<void>(first.explain()), Error);
  first.assign(problem.storage(Format::Csr));
  Injection none({});
  expect_right(none, first, problem);
}

}  // namespace
}  // namespace switchyard::testing
