// Which threads and devices of a machine each of its ranks uses.
#pragma once

#include <string>
#include <switchyard/core/options.hpp>
#include <vector>

#include "session.hpp"

namespace switchyard::petsc {

/// Finds the ranks on this machine and the processors that they may run on together. Collective on
/// PETSC_COMM_WORLD.
PetscErrorCode find_ranks(Ranks& ranks);

/// The number of threads for a rank to which `host_threads` offers so many: at most an equal part
/// of the processors that all local ranks may run on.
[[nodiscard]] int share_of_threads(const Ranks& ranks, int offered) noexcept;

/// The devices of a rank, as a selection for `RuntimeOptions::devices`.
struct DeviceShare {
  std::string selection;  ///< "none" where there is nothing to share
  int sharers = 1;        ///< ranks of this machine with the same device
};
/// Hands out `positions`, the devices with processors of their own, in turn.
[[nodiscard]] DeviceShare share_of_devices(const Ranks& ranks, const std::vector<int>& positions);

/// What the environment, the options and the ranks say. Opens the devices to count them where
/// several ranks share them. `sharers` is set.
[[nodiscard]] RuntimeOptions options_for(Session& session);

}  // namespace switchyard::petsc
