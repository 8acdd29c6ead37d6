// Which formats are measured on which matrix of a calibration.
#pragma once

#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/request.hpp>
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
/// takes about as long with twenty formats as with three. `few_formats`: see `MatrixExperiment`.
[[nodiscard]] std::size_t turns_of_formats(bool few_formats = false);
/// Whose turn it is on the matrix of an experiment. On one that is `between`, bitmaps and all
/// formats of one value coding are measured. Where it would be that of formats that are not
/// measured on such a matrix, it is that of others that are: few matrices suit diagonals or blocks.
/// REQUIRES: the experiments' seeds ascend from 1 on.
[[nodiscard]] Turn turn_of(const MatrixExperiment& experiment, const Structure& structure,
                           Precision precision);
/// What products are measured on the matrix of an experiment: plain ones on each, those with the
/// transpose and with several columns on every third, and wherever it is the turn of CSC. No more
/// columns than keep the vectors small beside the matrix: a few sparse rows of millions would
/// otherwise take the time of a hundred other matrices.
[[nodiscard]] std::vector<Request> requests_on(const MatrixExperiment& experiment, const Turn& turn,
                                               const Structure& structure);
/// The experiment with a matrix that suits the formats whose turn it is, and values that they can
/// hold.
[[nodiscard]] MatrixExperiment made_for_turn(MatrixExperiment experiment);

}  // namespace switchyard
