// What the spaces of a machine can do with a matrix, in the form that the planner needs.
#pragma once

#include <switchyard/backends/operations.hpp>
#include <switchyard/core/planner.hpp>

namespace switchyard {

/// The space of an executor: its kernels and conversions in the tables, which of them suit a matrix
/// of this structure, and which programs are still to be built. Its capacity is the budget of its
/// memory.
[[nodiscard]] SpaceOutlook outlook_of(const Executor& executor, Precision precision,
                                      const Structure& structure);

/// The spaces of the machine that a profile was measured on. That machine is not needed: every
/// device counts as usable, every kernel as suited and built, and memory as unlimited.
[[nodiscard]] std::vector<SpaceOutlook> outlook_of(const Profile& profile, Precision precision);

/// Whether it has a model of any multiplication: with a profile that has none nothing can be
/// planned.
[[nodiscard]] bool knows_products(const Profile& profile) noexcept;

}  // namespace switchyard
