// Where skeletons on matrices are computed, what is brought there, and what stays there.
#include <gtest/gtest.h>

#include <switchyard/containers/log.hpp>
#include <switchyard/core/trace.hpp>
#include <switchyard/switchyard.hpp>

#include "core/on_fast_device.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::least_sum;
using testing::random_dense;
using testing::random_vector;

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;
using testing::dense_host;

class SkeletonPlaces : public testing::OnFastDevice {};

constexpr auto upper = [](auto i, auto j, auto a) { return where(i <= j, a, 0.0F); };

/// What a program does between products is done where they are: nothing but a number comes home.
TEST_F(SkeletonPlaces, NothingOfAChainOnADeviceComesHome) {
  GMatrix<float> matrix = runtime_.matrix(random_dense<float>(300, 300, 0.1, 1));
  matrix.expect_calls(1000);
  const Vector<float> x = on_device(300, 2);
  Vector<float> y = on_device(300, 3);
  matrix.multiply(x, y);
  const State there = matrix.history().back().to;
  ASSERT_FALSE(there.space.is_host());
  matrix.bring_to(csr_device);
  const Counters before = runtime_.counters();

  scale(matrix, 0.5F);
  threshold(matrix, 0.2F);
  EXPECT_TRUE(std::ranges::none_of(matrix.states(), [](State s) { return s.space.is_host(); }));
  matrix.multiply(x, y);
  Vector<float> z = on_device(300, 4);
  map_rows(z, least_sum, fold::min, matrix, y);
  map(matrix, upper);
  const float found = norm(matrix);

  const Counters after = runtime_.counters();
  EXPECT_EQ(after.transfers, before.transfers);
  EXPECT_EQ(after.transferred_bytes, before.transferred_bytes);
  EXPECT_EQ(after.vector_bytes, before.vector_bytes);
  EXPECT_EQ(after.maps - before.maps, 3);
  EXPECT_EQ(after.row_folds - before.row_folds, 1);
  EXPECT_EQ(after.folds - before.folds, 1);
  for (const Vector<float>* const vector :
       {&x, static_cast<const Vector<float>*>(&y), static_cast<const Vector<float>*>(&z)}) {
    EXPECT_TRUE(vector->valid_in(Space::device(0)));
    EXPECT_FALSE(vector->valid_in(Space::host()));
  }
  EXPECT_TRUE(std::ranges::none_of(matrix.states(), [](State s) { return s.space.is_host(); }));

  // The same on the host.
  const Runtime host(testing::host_only());
  GMatrix<float> other = host.matrix(random_dense<float>(300, 300, 0.1, 1));
  const Vector<float> other_x{std::span<const float>(random_vector<float>(300, 2))};
  Vector<float> other_y(300);
  Vector<float> other_z(300);
  scale(other, 0.5F);
  threshold(other, 0.2F);
  other.multiply(other_x, other_y);
  map_rows(other_z, least_sum, fold::min, other, other_y);
  map(other, upper);
  EXPECT_NEAR(found, norm(other), 1e-5);
  for (Index i = 0; i < 300; ++i) {
    if (std::isinf(other_z[i])) {
      EXPECT_EQ(z[i], other_z[i]);
    } else {
      EXPECT_NEAR(z[i], other_z[i], 1e-5);
    }
  }
}

/// The transpose, too, is made where the matrix is, and changed with vectors that are there.
TEST_F(SkeletonPlaces, NothingOfAChainOnATransposeComesHome) {
  const auto on_host = [](const auto& held) {
    return std::ranges::any_of(held.states(), [](State s) { return s.space.is_host(); });
  };
  for (const Format format : {Format::Csr, Format::Csc, Format::Dense, Format::Ell}) {
    SCOPED_TRACE(name(format));
    const bool by_columns = format == Format::Csc;
    GMatrix<float> matrix = matrix_on_device(format);
    const Vector<float> rows = on_device(300, 2);
    const Vector<float> columns = on_device(300, 3);
    const Vector<float> x = on_device(300, 4);
    Vector<float> y = on_device(300, 5);
    const Counters before = runtime_.counters();
    GMatrix<float> other = matrix.transposed();
    scale_rows(other, rows);
    scale_columns(other, columns);
    threshold(other, 0.05F);
    const std::vector<State> there = other.states();
    ASSERT_EQ(there.size(), 1U);
    other.pin(there.front());
    other.multiply(x, y);
    const float found = norm(other);
    const Counters after = runtime_.counters();
    EXPECT_EQ(after.transfers, before.transfers);
    EXPECT_EQ(after.transferred_bytes, before.transferred_bytes);
    EXPECT_EQ(after.vector_bytes, before.vector_bytes);
    EXPECT_EQ(after.maps - before.maps, 4);
    EXPECT_EQ(after.folds - before.folds, 1);
    EXPECT_FALSE(on_host(matrix));
    EXPECT_FALSE(on_host(other));
    EXPECT_EQ(there.front().format, by_columns                ? Format::Csr
                                    : format == Format::Dense ? Format::Dense
                                                              : Format::Csc);
    for (const Vector<float>* const vector :
         {&rows, &columns, &x, static_cast<const Vector<float>*>(&y)}) {
      EXPECT_FALSE(vector->valid_in(Space::host()));
    }

    // The same on the host.
    const Runtime host(testing::host_only());
    GMatrix<float> same = host.matrix(random_dense<float>(300, 300, 0.1, 1)).transposed();
    scale_rows(same, Vector<float>{std::span<const float>(random_vector<float>(300, 2))});
    scale_columns(same, Vector<float>{std::span<const float>(random_vector<float>(300, 3))});
    threshold(same, 0.05F);
    Vector<float> same_y(300);
    same.multiply(Vector<float>{std::span<const float>(random_vector<float>(300, 4))}, same_y);
    EXPECT_NEAR(found, norm(same), 1e-5);
    for (Index i = 0; i < 300; ++i) ASSERT_NEAR(y[i], same_y[i], 1e-5);
  }
}

/// Where CSR is worth it for the calls to come, CSC is converted on the device.
TEST_F(SkeletonPlaces, TheTransposeIsConvertedWhereItIs) {
  const GMatrix<float> matrix = matrix_on_device(Format::Csr);
  const GMatrix<float> other = matrix.transposed();
  const Vector<float> x = on_device(300, 2);
  Vector<float> y = on_device(300, 3);
  const Counters before = runtime_.counters();
  map_rows(y, least_sum, fold::min, other, x);
  other.pin(csr_device);
  other.multiply(x, y);
  const Counters after = runtime_.counters();
  EXPECT_EQ(after.transfers, before.transfers);
  EXPECT_EQ(after.conversions - before.conversions, 1);
  EXPECT_TRUE(std::ranges::none_of(other.states(), [](State s) { return s.space.is_host(); }));
  Vector<float> wanted(300);
  matrix.multiply_transposed(x, wanted);
  for (Index i = 0; i < 300; ++i) ASSERT_NEAR(y[i], wanted[i], 1e-5);
}

TEST_F(SkeletonPlaces, TheTransposeIsInItsHistory) {
  const GMatrix<float> matrix = matrix_on_device(Format::Csr);
  const GMatrix<float> other = matrix.transposed();
  ASSERT_EQ(other.history().size(), 1U);
  EXPECT_EQ(other.history().front().kind, StepKind::Map);
  EXPECT_EQ(other.history().front().to, (State{Space::device(0), Format::Csc}));
  EXPECT_EQ(other.structure().nnz, matrix.structure().nnz);
  EXPECT_NE(other.explain().find("skeletons  map in csc@device0, once: predicted "),
            std::string::npos)
      << other.explain();
  EXPECT_EQ(trace_->events().back().kind, TraceEvent::Kind::Map);
}

/// Different patterns are merged where the matrices are.
TEST_F(SkeletonPlaces, SparseMatricesOfADeviceMakeOneThere) {
  const GMatrix<float> a = matrix_on_device(Format::Csr, 0.02);
  const GMatrix<float> b = matrix_on_device(Format::Csr, 0.01);
  GMatrix<float> out = runtime_.matrix(random_dense<float>(1, 1, 1, 1));
  const auto difference = [](auto p, auto q) { return p - q; };
  const Counters before = runtime_.counters();
  map(out, difference, a, b);
  const float found = norm(out);
  const Counters after = runtime_.counters();
  EXPECT_EQ(after.transfers, before.transfers);
  EXPECT_EQ(after.maps - before.maps, 1);
  EXPECT_EQ(out.states(), std::vector{csr_device});
  EXPECT_EQ(a.states(), std::vector{csr_device});
  EXPECT_EQ(out.history().front().kind, StepKind::Map);
  EXPECT_GT(out.history().front().predicted_seconds, 0);
  const Index stored = out.structure().nnz;

  const Runtime host(testing::host_only());
  GMatrix<float> same = host.matrix(random_dense<float>(1, 1, 1, 1));
  map(same, difference, host.matrix(random_dense<float>(300, 300, 0.02, 1)),
      host.matrix(random_dense<float>(300, 300, 0.01, 1)));
  EXPECT_NEAR(found, norm(same), 1e-5);
  same.bring_to(csr_host);
  EXPECT_EQ(stored, same.structure().nnz);
}

/// An operand that is elsewhere is brought where that takes less than bringing the others home.
TEST_F(SkeletonPlaces, OperandsAreBroughtTogether) {
  const GMatrix<float> large = matrix_on_device(Format::Csr, 0.3);
  GMatrix<float> small = runtime_.matrix(random_dense<float>(300, 300, 0.001, 1));
  small.bring_to(csr_host);
  small.evict(dense_host);
  GMatrix<float> out = runtime_.matrix(random_dense<float>(1, 1, 1, 1));
  map(
      out, [](auto p, auto q) { return p + q; }, large, small);
  EXPECT_FALSE(out.states().front().space.is_host());
  EXPECT_EQ(large.counters().transfers, 1) << "that to the device before";
  EXPECT_EQ(small.counters().transfers, 1);
}

TEST_F(SkeletonPlaces, WindowsAreComputedWhereTheMatrixIs) {
  const GMatrix<float> matrix = matrix_on_device(Format::Dense, 1);
  GMatrix<float> out = runtime_.matrix(random_dense<float>(1, 1, 1, 1));
  const Counters before = runtime_.counters();
  map_overlap(
      out, [](auto w) { return w(-1, 0) + w(0, 1); }, Edge::wrap(), matrix);
  EXPECT_EQ(runtime_.counters().transfers, before.transfers);
  EXPECT_EQ(out.states(), std::vector{dense_device});
  const auto values = random_dense<float>(300, 300, 1, 1);
  const Storage<float> copy = out.copy_out(Format::Dense);
  EXPECT_EQ(values_of(copy)[0], values.values[299 * 300] + values.values[1]);
  EXPECT_EQ(values_of(copy)[301], values.values[1] + values.values[302]);
}

TEST_F(SkeletonPlaces, RowsAreFoldedWhereMatrixAndVectorsAre) {
  const GMatrix<float> matrix = matrix_on_device(Format::Dense);
  const Vector<float> x = on_device(300, 2);
  Vector<float> y(300);
  map_rows(y, least_sum, fold::min, matrix, x);
  EXPECT_EQ(matrix.history().back().to, dense_device);
  EXPECT_FALSE(y.valid_in(Space::host()));
  EXPECT_EQ(matrix.states(), std::vector{dense_device});
}

TEST_F(SkeletonPlaces, RowsThatAreFoldedAgainAndAgainAreBroughtToTheDevice) {
  const GMatrix<float> matrix = runtime_.matrix(random_dense<float>(300, 300, 0.1, 1));
  matrix.bring_to(csr_host);
  matrix.evict(dense_host);
  runtime_.use_profile(testing::fast_device(runtime_.fingerprint(), 1e-8));
  const Vector<float> x(300, 1.0F);
  Vector<float> y(300);
  std::vector<State> used;
  for (int i = 0; i < 100; ++i) {
    map_rows(y, least_sum, fold::min, matrix, x);
    if (used.empty() || used.back() != matrix.history().back().to) {
      used.push_back(matrix.history().back().to);
    }
  }
  EXPECT_EQ(used, (std::vector{csr_host, csr_device}));
  EXPECT_EQ(matrix.counters().transfers, 1);
}

TEST_F(SkeletonPlaces, APinIsKept) {
  const GMatrix<float> matrix = runtime_.matrix(random_dense<float>(300, 300, 0.1, 1));
  const Vector<float> x(300, 1.0F);
  Vector<float> y(300);
  for (const State state : {csr_host, dense_device, dense_host, csr_device}) {
    matrix.pin(state);
    map_rows(y, least_sum, fold::min, matrix, x);
    EXPECT_EQ(matrix.history().back().kind, StepKind::MapRows);
    EXPECT_EQ(matrix.history().back().to, state);
  }
}

TEST_F(SkeletonPlaces, WhatIsNotRecordedIsDoneOnTheHost) {
  const GMatrix<float> matrix = matrix_on_device(Format::Csr);
  const auto branches = [](auto a, auto x) -> float {
    if (a > 0) return a * x;
    return x;
  };
  const auto larger = fold::by([](auto a, auto b) { return a < b ? b : a; }, -1e30F);
  const Vector<float> x = on_device(300, 2);
  Vector<float> y(300);
  std::vector<std::string> lines;
  set_log_level(LogLevel::Debug);
  set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  map_rows(y, branches, fold::plus, matrix, x);
  EXPECT_TRUE(matrix.history().back().to.space.is_host());
  EXPECT_NE(lines.front().find("host only: it branches on a value"), std::string::npos);
  const GMatrix<float> other = matrix_on_device(Format::Csr);
  map_rows(y, least_sum, larger, other, x);
  EXPECT_TRUE(other.history().back().to.space.is_host());
}

TEST_F(SkeletonPlaces, FunctionsOfPlacesStayOnTheDevice) {
  for (const Format format : {Format::Csr, Format::Dense}) {
    GMatrix<float> matrix = matrix_on_device(format);
    map(matrix, upper);
    static_cast<void>(map_reduce(matrix, upper, fold::plus));
    EXPECT_EQ(matrix.states(), (std::vector{State{Space::device(0), format}}));
    EXPECT_EQ(matrix.counters().maps, 1);
  }
}

TEST_F(SkeletonPlaces, SeveralDenseMatricesOfADeviceMakeOneThere) {
  const GMatrix<float> a = matrix_on_device(Format::Dense);
  const GMatrix<float> b = matrix_on_device(Format::Dense, 0.5);
  GMatrix<float> out = runtime_.matrix(random_dense<float>(1, 1, 1, 1));
  const auto difference = [](auto i, auto, auto p, auto q) { return p - q + as<float>(i); };
  map(out, difference, a, b);
  EXPECT_EQ(out.states(), std::vector{dense_device});
  EXPECT_EQ(out.history().back().kind, StepKind::Map);
  EXPECT_EQ(out.counters().maps, 1);
  EXPECT_EQ(a.states(), std::vector{dense_device});
  EXPECT_EQ(b.states(), std::vector{dense_device});
  const auto values = [](const GMatrix<float>& matrix) {
    const Storage<float> copy = matrix.copy_out(Format::Dense);
    const auto elements = values_of(copy).span();
    return std::vector<float>(elements.begin(), elements.end());
  };
  const auto as = values(a);
  const auto bs = values(b);
  const auto outs = values(out);
  ASSERT_EQ(outs.size(), as.size());
  for (std::size_t k = 0; k < as.size(); ++k) {
    ASSERT_EQ(outs[k], difference(static_cast<Index>(k) / 300, Index{0}, as[k], bs[k]));
  }
  // An operand may be the result.
  GMatrix<float> both = matrix_on_device(Format::Dense);
  map(
      both, [](auto p, auto q) { return p * q; }, both, b);
  EXPECT_EQ(both.states(), std::vector{dense_device});
  EXPECT_EQ(values(both)[7], as[7] * bs[7]);
}

TEST_F(SkeletonPlaces, AMatrixWithItselfStaysAsItIs) {
  for (const Format format : {Format::Csr, Format::Sell32, Format::Dense}) {
    GMatrix<float> matrix = matrix_on_device(format);
    map(
        matrix, [](auto p, auto q) { return p - 3 * q; }, matrix, matrix);
    EXPECT_EQ(matrix.states(), (std::vector{State{Space::device(0), format}}));
    const Storage<float> copy = matrix.copy_out(Format::Dense);
    const auto dense = random_dense<float>(300, 300, 0.1, 1);
    EXPECT_EQ(values_of(copy)[700], dense.values[700] - 3 * dense.values[700]);
  }
}

TEST_F(SkeletonPlaces, OneThatADeviceCannotRecordIsMadeOnTheHost) {
  const GMatrix<float> a = matrix_on_device(Format::Dense);
  GMatrix<float> out = runtime_.matrix(random_dense<float>(1, 1, 1, 1));
  map(
      out, [](float p, float q) { return p + q; }, a, a);
  EXPECT_TRUE(out.states().front().space.is_host());
}

}  // namespace
}  // namespace switchyard
