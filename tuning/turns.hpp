// Which formats are measured on which matrix of a calibration.
#pragma once

#include <switchyard/containers/formats.hpp>
#include <vector>

#include "experiments.hpp"

namespace switchyard {

/// Formats that are measured on the same matrix, and how its values are coded in some of them.
struct Turn {
  std::vector<Format> formats;
  ValueCoding coding = ValueCoding::Plain;
};

/// The number of turns that formats made by conversion take: after so many matrices each was
/// measured on one, if it fits. Few are measured on each matrix, so that a calibration
/// takes about as long with twenty formats as with three.
[[nodiscard]] std::size_t turns_of_formats();
/// Whose turn it is on the matrix of an experiment. Where it would be that of formats that are not
/// measured on such a matrix, it is that of others that are: few matrices suit diagonals or blocks.
/// REQUIRES: the experiments' seeds ascend from 1 on.
[[nodiscard]] Turn turn_of(const MatrixExperiment& experiment, const Structure& structure,
                           Precision precision);
/// The experiment with values that the formats whose turn it is can hold.
[[nodiscard]] MatrixExperiment with_values_for_turn(MatrixExperiment experiment);

}  // namespace switchyard
