// Vectors and a solver on a device of which one OpenCL call after another fails.
#include <cmath>

#include "faults/faulty_device.hpp"

namespace switchyard::testing {
namespace {

class VectorFaults : public OnFaultyDevice {};

constexpr Index size = 700;
constexpr double tolerance = 1e-4;

void expect_near(const std::vector<float>& got, const std::function<float(std::size_t)>& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected(i), tolerance) << i;
}

/// Vectors that the host has are never lost: every operation gives the right result.
TEST_F(VectorFaults, OperationsOnWhatTheHostHasToo) {
  const auto xs = random_vector<float>(size, 1);
  const auto ys = random_vector<float>(size, 2);
  for (const Disguise& disguise : {Disguise{}, Disguise{.discrete_gpu = true}}) {
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(csr_device);
      const auto& device = runtime.executor(Space::device(0))->memory();
      const Vector<float> x{std::span<const float>(xs)};
      const Vector<float> y{std::span<const float>(ys)};
      double expected = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) expected += double{xs[i]} * double{ys[i]};
      injection.arm();
      // A transfer that fails leaves the vector as it was.
      const bool there =
          injection.try_or({ErrorCode::DeviceLost, ErrorCode::DeviceOutOfMemory}, [&] {
            static_cast<void>(x.in(device));
            static_cast<void>(y.in(device));
          });
      EXPECT_NEAR(dot(runtime, x, y), expected, tolerance);
      EXPECT_EQ(copied(x), xs);
      EXPECT_EQ(copied(y), ys);
      if (there) injection.right();
    };
    sweep("dot of vectors that the host has", scenario, {.disguise = disguise});
  }
}

using Operation = std::function<void(const Runtime&, const Vector<float>& x, Vector<float>& z)>;
struct NamedOperation {
  const char* name;
  Operation run;
  std::function<float(float x, float z)> expected;
};
const std::vector<NamedOperation> operations{
    {"axpby", [](const Runtime& r, const auto& x, auto& z) { axpby(r, 2, x, 0.5, z); },
     [](float x, float z) { return 2 * x + 0.5F * z; }},
    {"scale", [](const Runtime& r, const auto&, auto& z) { scale(r, 3, z); },
     [](float, float z) { return 3 * z; }},
    {"fill", [](const Runtime& r, const auto&, auto& z) { fill(r, 3, z); },
     [](float, float) { return 3.0F; }},
    {"add", [](const Runtime& r, const auto&, auto& z) { add_scalar(r, 3, z); },
     [](float, float z) { return z + 3; }},
    {"relu", [](const Runtime& r, const auto&, auto& z) { relu(r, z); },
     [](float, float z) { return std::max(z, 0.0F); }},
    {"multiply", [](const Runtime& r, const auto& x, auto& z) { multiply_elements(r, x, z, z); },
     [](float x, float z) { return x * z; }},
    {"map",
     [](const Runtime& r, const auto& x, auto& z) {
       map(
           r, z, [](auto a, auto b) { return where(a > 0, a + b, b); }, x, z);
     },
     [](float x, float z) { return x > 0 ? x + z : z; }},
};

/// z is on the device alone: right, or lost with it, and never changed twice.
TEST_F(VectorFaults, OperationsOnWhatOnlyTheDeviceHas) {
  const auto xs = random_vector<float>(size, 1);
  const auto zs = random_vector<float>(size, 2);
  for (const NamedOperation& operation : operations) {
    for (const bool late : {false, true}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(csr_device);
        Vector<float> x{std::span<const float>(xs)};
        Vector<float> z{std::span<const float>(zs)};
        static_cast<void>(on_device(runtime, x));
        static_cast<void>(on_device(runtime, z));
        bool changed = false;
        injection.arm();
        const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
          operation.run(runtime, x, z);
          changed = true;
          expect_near(copied(z), [&](std::size_t i) { return operation.expected(xs[i], zs[i]); });
          expect_near(copied(x), [&](std::size_t i) { return xs[i]; });
        });
        if (done) injection.right();
        // Read again, it is right or lost for good.
        injection.try_or({ErrorCode::DeviceLost}, [&] {
          expect_near(copied(z), [&](std::size_t i) {
            return changed ? operation.expected(xs[i], zs[i]) : zs[i];
          });
        });
        // The runtime goes on with other vectors.
        Vector<float> other{std::span<const float>(zs)};
        scale(runtime, 2, other);
        expect_near(copied(other), [&](std::size_t i) { return 2 * zs[i]; });
      };
      Sweep how{.late = late};
      if (late) how.codes = {CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE, -14, -9999};
      sweep(std::string(operation.name) + (late ? ", late" : ""), scenario, how);
    }
  }
}

TEST_F(VectorFaults, SumsOfWhatOnlyTheDeviceHas) {
  const auto xs = random_vector<float>(size, 1);
  double expected = 0;
  for (const float x : xs) expected += double{x};
  for (const bool late : {false, true}) {
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(csr_device);
      Vector<float> x{std::span<const float>(xs)};
      static_cast<void>(on_device(runtime, x));
      injection.arm();
      const bool done = injection.try_or({ErrorCode::DeviceLost}, [&] {
        EXPECT_NEAR(sum(runtime, x), expected, tolerance);
        EXPECT_GE(norm(runtime, x), 0);
        EXPECT_NEAR(reduce(runtime, fold::plus, x), expected, tolerance);
        Vector<float> prefixes(size);
        scan(runtime, fold::plus, prefixes, x);
        EXPECT_NEAR(prefixes[size - 1], expected, tolerance);
      });
      if (done) injection.right();
      // Read again, it is what it was, or lost for good.
      injection.try_or({ErrorCode::DeviceLost}, [&] { EXPECT_EQ(copied(x), xs); });
    };
    Sweep how{.late = late};
    if (late) how.codes = {CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE, -14, -9999};
    sweep(std::string("sum and norm") + (late ? ", late" : ""), scenario, how);
  }
}

/// Conjugate gradients for a diagonally dominant matrix. Whether they converge to `solution`.
void solve(const Runtime& runtime, const GMatrix<double>& matrix, const Vector<double>& b,
           const std::vector<double>& solution) {
  Vector<double> x(b.size());
  Vector<double> r = b;
  Vector<double> p = b;
  Vector<double> q(b.size());
  double rho = dot(runtime, r, r);
  for (int i = 0; i < 6 && rho > 1e-20; ++i) {
    matrix.multiply(p, q);
    const double alpha = rho / dot(runtime, p, q);
    axpby(runtime, alpha, p, 1, x);
    axpby(runtime, -alpha, q, 1, r);
    const double next = dot(runtime, r, r);
    axpby(runtime, 1, r, next / rho, p);
    rho = next;
  }
  const auto got = x.read();
  for (std::size_t i = 0; i < solution.size(); ++i) ASSERT_NEAR(got[i], solution[i], 1e-6);
}

TEST_F(VectorFaults, ConjugateGradients) {
  constexpr Index rows = 12;
  std::vector<Triplet<double>> triplets;
  for (Index i = 0; i < rows; ++i) {
    triplets.push_back({i, i, 40.0 + static_cast<double>(i % 2)});
    if (i > 0) triplets.push_back({i, i - 1, -1});
    if (i + 1 < rows) triplets.push_back({i, i + 1, -1});
  }
  std::vector<double> solution(rows, 1.0);
  std::vector<double> right_side(rows);
  for (const auto& [i, j, value] : triplets) right_side[static_cast<std::size_t>(i)] += value;
  for (const bool late : {false, true}) {
    const auto scenario = [&](Injection& injection) {
      const Runtime runtime = runtime_preferring(csr_device);
      const auto matrix = runtime.matrix<double>(rows, rows, triplets);
      const Vector<double> b{std::span<const double>(right_side)};
      static_cast<void>(dot(runtime, b, b));
      injection.arm();
      const bool done =
          injection.try_or({ErrorCode::DeviceLost}, [&] { solve(runtime, matrix, b, solution); });
      // Begun again, it is solved on the host.
      if (!done) solve(runtime, matrix, b, solution);
      injection.right();
    };
    Sweep how{.late = late};
    if (late) how.codes = {CL_OUT_OF_RESOURCES, CL_INVALID_COMMAND_QUEUE, -14, -9999};
    sweep(std::string("conjugate gradients") + (late ? ", late" : ""), scenario, how);
  }
}

}  // namespace
}  // namespace switchyard::testing
