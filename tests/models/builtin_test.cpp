// The models that serve without calibration.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/models/builtin.hpp>

#include "models/synthetic.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_host;
using testing::dense_host;

std::vector<SpaceFigures> figures() {
  SpaceFigures host{1e10, 1e8, 1e-6, 1e10, 1e-5, 0};
  SpaceFigures device{1e12, 1e9, 1e-5, 2e10, 2e-5, 0.5};
  return {host, device};
}

Features features(double bytes, double gathered) {
  Features made;
  made[Quantity::Bytes] = bytes;
  made[Quantity::Gathered] = gathered;
  return made;
}

double predicted(const ModelKey& key, const Features& at) {
  const Profile profile = builtin_profile({}, {key}, figures());
  const CostModel* model = profile.find(key);
  return model ? model->predict(at).seconds : -1;
}

TEST(Builtin, ARowThatOneItemWalksTakesItsSteps) {
  const std::vector<SpaceFigures> gpu{SpaceFigures{}, SpaceFigures{.row_step_seconds = 3e-7}};
  const auto added = [&](Format format) {
    const ModelKey key = multiply_key({Space::device(0), format}, Precision::Float, "any");
    const Profile profile = builtin_profile({}, {key}, gpu);
    Features long_row = features(1e6, 1e4);
    long_row[Quantity::Longest] = 1000;
    const CostModel& model = *profile.find(key);
    return model.predict(long_row).seconds - model.predict(features(1e6, 1e4)).seconds;
  };
  EXPECT_NEAR(added(Format::Sell8), 3e-4, 1e-12);
  EXPECT_NEAR(added(Format::Sell32), 3e-4, 1e-12);
  EXPECT_EQ(added(Format::Csr), 0);
}

TEST(Builtin, ProductIsLaunchPlusBytesPlusGathers) {
  EXPECT_DOUBLE_EQ(predicted(multiply_key(csr_host, Precision::Float, "any"), features(1e6, 1e4)),
                   1e-6 + 1e-4 + 1e-4);
  EXPECT_DOUBLE_EQ(predicted(multiply_key(dense_host, Precision::Float, "any"), features(1e6, 1e4)),
                   1e-6 + 1e-4);
}

// Where nothing was measured, ELLPACK must not win by the few bytes that it has less.
TEST(Builtin, APaddedFormatCountsATenthMoreForItsBytes) {
  const ModelKey ell = multiply_key({Space::host(), Format::Ell}, Precision::Float, "any");
  EXPECT_NEAR(predicted(ell, features(1e6, 0)), 1e-6 + 1.1e-4, 1e-12);
}

// Decoding takes longer than reading from a cache; a GPU decodes while it waits for memory.
TEST(Builtin, AProcessorPaysForDecoding) {
  const auto seconds = [](Space space, Format format) {
    return predicted(multiply_key({space, format}, Precision::Float, "any"), features(1e8, 0));
  };
  const auto slower = [&](Format format) {
    return (seconds(Space::host(), format) - 1e-6) / (seconds(Space::device(0), format) - 1e-5);
  };
  const double csr = slower(Format::Csr);
  const std::pair<Format, double> factors[] = {{Format::CsrConst, 1},      {Format::Csr16, 1.05},
                                               {Format::Csr16Const, 1.05}, {Format::CsrDict8, 2},
                                               {Format::Csr8, 4},          {Format::Csr8Dict8, 8}};
  for (const auto& [format, factor] : factors) {
    EXPECT_NEAR(slower(format) / csr, factor, 1e-9) << name(format);
  }
}

TEST(Builtin, AProcessorGathersForPacketsAsForCsr) {
  Features at = features(1e6, 0);
  at[Quantity::Nonzeros] = 1e4;
  const ModelKey packets = multiply_key({Space::host(), Format::Packet}, Precision::Float, "any");
  EXPECT_NEAR(predicted(packets, at), 1e-6 + 2e-4 + 1e-4, 1e-12);
}

TEST(Builtin, WhatFitsIntoCachesIsFaster) {
  SpaceFigures host = figures().front();
  host.cache_bytes = 1e6;
  host.cached_bytes_per_second = 4e10;
  host.cached_gathers_per_second = 5e8;
  const auto seconds = [&](const ModelKey& key, double bytes) {
    return builtin_profile({}, {key}, {host}).find(key)->predict(features(bytes, 1e4)).seconds;
  };
  const ModelKey product = multiply_key(csr_host, Precision::Float, "any");
  EXPECT_DOUBLE_EQ(seconds(product, 1e6), 1e-6 + 2.5e-5 + 2e-5);
  EXPECT_DOUBLE_EQ(seconds(product, 2e6), 1e-6 + 2e-4 + 1e-4);
  const ModelKey conversion =
      convert_key(Format::Dense, Format::Csr, Space::host(), Precision::Float);
  EXPECT_DOUBLE_EQ(seconds(conversion, 1e6), 4e-6 + 2e-4) << "it writes memory that is new";
}

/// With four columns in double, on a processor that reads 4e10 bytes and 5e8 lines of x a second
/// from its caches.
double of_four_columns(Format format) {
  SpaceFigures host = figures().front();
  host.cache_bytes = 1e9;
  host.cached_bytes_per_second = 4e10;
  host.cached_gathers_per_second = 5e8;
  Features at = features(1e6, 0);
  at[Quantity::Nonzeros] = at[Quantity::Stored] = 4 * 1e5;
  const ModelKey key =
      multiply_key({Space::host(), format}, Request{.columns = 4}, Precision::Double, "any");
  return builtin_profile({}, {key}, {host}).find(key)->predict(at).seconds;
}

TEST(Builtin, WithManyColumnsEachNonzeroReadsALineOfX) {
  const double csr = 2.5e-5 + 4e5 * 8 / 64 / 5e8;
  EXPECT_NEAR(of_four_columns(Format::Csr), 1e-6 + csr, 1e-12);
  EXPECT_NEAR(of_four_columns(Format::Csr16), 1e-6 + 1.5 * csr, 1e-12);
  for (const Format decoded : {Format::Csr8, Format::Ell, Format::Bsr2, Format::Packet}) {
    EXPECT_NEAR(of_four_columns(decoded), 1e-6 + 2.2 * csr, 1e-12) << name(decoded);
  }
  EXPECT_NEAR(of_four_columns(Format::Dense), 1e-6 + 2.5e-5, 1e-12);
}

TEST(Builtin, TransferIsTheDevicesLinkBothWays) {
  const auto up = transfer_key(Space::host(), Space::device(0));
  const auto down = transfer_key(Space::device(0), Space::host());
  EXPECT_DOUBLE_EQ(predicted(up, transfer_features(2e10)), 1 + 2e-5);
  EXPECT_DOUBLE_EQ(predicted(down, transfer_features(2e10)), 1 + 2e-5);
}

TEST(Builtin, ConversionReadsTwiceAndABuildIsConstant) {
  EXPECT_DOUBLE_EQ(
      predicted(convert_key(Format::Dense, Format::Csr, Space::device(0), Precision::Float),
                features(1e12, 0)),
      2 + 4e-5);
  EXPECT_DOUBLE_EQ(
      predicted(build_key(Space::device(0), Precision::Float, "csr"), build_features()), 0.5);
}

TEST(Builtin, SaysThatNobodyMeasured) {
  const auto key = multiply_key(csr_host, Precision::Double, "any");
  const Profile profile = builtin_profile(synthetic::fingerprint(), {key, key}, {});
  EXPECT_FALSE(profile.calibrated);
  EXPECT_EQ(profile.fingerprint(), synthetic::fingerprint());
  ASSERT_EQ(profile.models().size(), 1U);
  EXPECT_EQ(profile.models()[0].predict(features(100, 0)).relative_error, 1.0);
  EXPECT_FALSE(profile.models()[0].predict(features(1e15, 0)).extrapolated);
}

TEST(Builtin, FiguresWithoutSenseAreReplaced) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    const SpaceFigures figures{bad, bad, bad, bad, bad, bad};
    const auto key = multiply_key(csr_host, Precision::Float, "any");
    const Profile given = builtin_profile({}, {key}, {figures});
    const Profile assumed = builtin_profile({}, {key}, {});
    EXPECT_EQ(given.models()[0].predict(features(1e6, 1e3)).seconds,
              assumed.models()[0].predict(features(1e6, 1e3)).seconds);
  }
}

TEST(Builtin, CompletesAProfileAndIsMarked) {
  const auto fitted = synthetic::csr_key();
  const auto missing = multiply_key(dense_host, Precision::Double, "any");
  Profile calibrated = synthetic::small_profile();
  calibrated.file = "somewhere";
  const Profile builtin = builtin_profile({}, {fitted, missing}, figures());
  const Profile completed = completed_with_builtin(calibrated, builtin);
  EXPECT_EQ(completed.models().size(), calibrated.models().size() + 1);
  ASSERT_NE(completed.find(fitted), nullptr);
  ASSERT_NE(completed.find(missing), nullptr);
  EXPECT_FALSE(completed.find(fitted)->built_in);
  EXPECT_FALSE(completed.find(fitted)->predict(features(1e6, 1e4)).built_in);
  EXPECT_TRUE(completed.find(missing)->built_in);
  EXPECT_TRUE(completed.find(missing)->predict(features(1e6, 1e4)).built_in);
  EXPECT_EQ(completed.find(fitted)->predict(features(1e6, 1e4)).seconds,
            calibrated.find(fitted)->predict(features(1e6, 1e4)).seconds);
  EXPECT_TRUE(completed.calibrated);
  EXPECT_EQ(completed.fingerprint(), calibrated.fingerprint());
  EXPECT_EQ(completed.created, calibrated.created);
  EXPECT_EQ(completed.calibration_seconds, calibrated.calibration_seconds);
  EXPECT_EQ(completed.file, "somewhere");
  EXPECT_EQ(completed_with_builtin(calibrated, calibrated).models().size(),
            calibrated.models().size());
}

TEST(Builtin, CompletingAProfileKeepsToItsBandwidth) {
  // 1e9 bytes a second in a cache of a megabyte and half of that beyond; built in are 1e10.
  CostModel measured;
  measured.key = multiply_key(csr_host, Precision::Float, "any");
  const auto tier = [](double begin, double end, double per_byte) {
    ModelTier made{end, {{Term::of({Quantity::Bytes}, per_byte)}}, {}, {}, 0, per_byte};
    made.lowest[Quantity::Bytes] = begin;
    made.highest[Quantity::Bytes] = std::min(end, 1e8);
    return made;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  measured.tiers = {tier(0, 1e6, 1e-9), tier(1e6, infinity, 2e-9)};
  const auto missing = multiply_key(dense_host, Precision::Float, "any");
  const auto elsewhere = multiply_key({Space::device(0), Format::Dense}, Precision::Float, "any");
  const Profile completed = completed_with_builtin(
      Profile({}, {measured}), builtin_profile({}, {missing, elsewhere}, figures()));
  const auto seconds = [&](const ModelKey& key, double bytes) {
    return completed.find(key)->predict(features(bytes, 0)).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(missing, 5e5), 5e-4);
  EXPECT_DOUBLE_EQ(seconds(missing, 1e7), 2e-2);
  EXPECT_DOUBLE_EQ(seconds(missing, 1e9), 2);
  EXPECT_FALSE(completed.find(missing)->predict(features(1e9, 0)).extrapolated);
  EXPECT_DOUBLE_EQ(seconds(elsewhere, 1e9), 1e-5 + 1e-3);  // nothing was measured there
}

TEST(Builtin, IsStoredAndReadBack) {
  const auto key = multiply_key(csr_host, Precision::Float, "any");
  const Profile profile = builtin_profile({}, {key}, figures());
  const Profile back = profile_from_json(profile_to_json(profile), "here");
  EXPECT_FALSE(back.calibrated);
  ASSERT_NE(back.find(key), nullptr);
  EXPECT_EQ(back.find(key)->predict(features(1e6, 1e3)).seconds,
            profile.find(key)->predict(features(1e6, 1e3)).seconds);
}

}  // namespace
}  // namespace switchyard
