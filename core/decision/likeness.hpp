// What measured states say of those that were not measured.
#pragma once

#include <span>
#include <switchyard/core/planner.hpp>

namespace switchyard {

/// Where measured products of this matrix took longer than the models predicted, those of states in
/// the same space that were not measured are expected to take longer, too: the matrix may gather
/// badly in every format. About half of the logarithm of a model's error is common to a matrix's
/// states, so that of the mean error of n measured states n/(n+1) is expected of another (decisions
/// replayed over recorded costs of the real matrices, ten states: regret with a hint 1.042 so and
/// by half of the error, 1.050 without, 1.045 by the whole error). A model that is more accurate
/// than those of the measured states is expected to share less of their error.
void expect_alike(Yard& yard);

/// A state that only a built-in model knows is expected to be no faster than the fastest that
/// calibration measured in the same space: assumed figures are often too low, and what calibration
/// left out for want of time would be chosen for it. Where only dense was measured, no faster for
/// each byte: a sparse format leaves out most of its work (CSR on an H100, of a matrix of 0.1 %,
/// takes 22 us where dense takes 581). Where a device that is the host's own
/// processors has none, no faster than on the host: calibration leaves out most requests there.
/// Without calibration all prices in a space are assumed, and one state that was measured holds no
/// other back: the calls would stay in the first state for good.
void doubt_built_in(Yard& yard, std::span<const SpaceOutlook> spaces);

}  // namespace switchyard
