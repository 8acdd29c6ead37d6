// The matrices that calibration measures on.
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments.hpp"

namespace switchyard {
namespace {

TEST(ExperimentMatrix, AHubIsAFullRowAndTheOthersStayAsTheyWere) {
  MatrixExperiment experiment;
  experiment.matrix = {.kind = MatrixKind::Uniform, .rows = 101, .density = 0.1, .seed = 3};
  const auto plain = matrix_of<double>(experiment);
  experiment.hub = true;
  const auto with_hub = matrix_of<double>(experiment);
  constexpr Index hub = 50;
  ASSERT_EQ(with_hub.rows, plain.rows);
  ASSERT_EQ(with_hub.values.size(), with_hub.nnz);
  ASSERT_EQ(with_hub.offset(101), with_hub.nnz);
  for (Index i = 0; i < plain.rows; ++i) {
    const Index length = with_hub.offset(i + 1) - with_hub.offset(i);
    if (i == hub) {
      ASSERT_EQ(length, plain.cols);
      for (Index j = 0; j < length; ++j) EXPECT_EQ(with_hub.columns[with_hub.offset(i) + j], j);
      continue;
    }
    ASSERT_EQ(length, plain.offset(i + 1) - plain.offset(i)) << i;
    for (Index k = 0; k < length; ++k) {
      EXPECT_EQ(with_hub.columns[with_hub.offset(i) + k], plain.columns[plain.offset(i) + k]);
      EXPECT_EQ(with_hub.values[with_hub.offset(i) + k], plain.values[plain.offset(i) + k]);
    }
  }
}

TEST(ExperimentMatrix, SomeSparseExperimentsHaveAHub) {
  const auto experiments = matrix_experiments(Effort::Quick, 1e9);
  const auto hubs = std::ranges::count_if(experiments, &MatrixExperiment::hub);
  EXPECT_GT(hubs, 3);
  for (const auto& experiment : experiments) EXPECT_FALSE(experiment.hub && experiment.dense);
}

}  // namespace
}  // namespace switchyard
