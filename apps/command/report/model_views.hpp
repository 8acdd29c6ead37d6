// Each model beside its samples.
#pragma once

#include <switchyard/models/profile.hpp>

#include "report_grid.hpp"

namespace switchyard::command::report {

/// `bytes`: for each multiply and conversion, by format and precision, what it reads and writes in
/// each cell. `linear`: the axes of the second, linear grid, `elements` and the share of `zeros`.
/// `models`: each calibrated one as `calibrate --json` has it, and
/// - `of`, `tiers` in words;
/// - `points`: elements, density, bytes, seconds, predicted seconds of each sample, null where not
///   known. A product with a dense matrix does not depend on the density and keeps none: it is
///   taken from the conversions of the same matrix;
/// - multiply and convert: `seconds` in each cell, `linear_seconds`, `beyond` (as in the state
///   map), and `bytes_of`, the key in `bytes`;
/// - transfer: `line`, pairs of bytes and seconds.
/// Of many samples, evenly chosen ones are shown, `most_points` in all models together.
[[nodiscard]] Json model_views(const Profile& profile, const Grid& grid, std::size_t most_points);

}  // namespace switchyard::command::report
