// What the spaces of a machine can do with a matrix, as the planner wants to know it.
#pragma once

#include <switchyard/backends/operations.hpp>
#include <switchyard/core/planner.hpp>

namespace switchyard {

/// The space of an executor, with the kernels and conversions that the tables have for it, which of
/// them are suited for a matrix of this structure, and which programs are still to be built. Its
/// capacity is the budget of its memory.
[[nodiscard]] SpaceOutlook outlook_of(const Executor& executor, Precision precision,
                                      const Structure& structure);

/// The spaces of the machine that a profile was measured on, without having it: every device
/// usable, every kernel suited and built, memory without end.
[[nodiscard]] std::vector<SpaceOutlook> outlook_of(const Profile& profile, Precision precision);

}  // namespace switchyard
