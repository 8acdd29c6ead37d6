// Dividing the processors and devices of a machine by its ranks.
#include "shares.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard::petsc {
namespace {

using Mask = std::array<std::uint64_t, CPU_SETSIZE / 64>;

Mask affinity() noexcept {
  Mask mask{};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return mask;
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) mask[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return mask;
}

int count(const Mask& mask) noexcept {
  int processors = 0;
  for (const std::uint64_t word : mask) processors += __builtin_popcountll(word);
  return std::max(processors, 1);
}

/// The positions of the devices that do not compute on the ranks' own processors.
std::vector<int> devices_to_share() {
  std::vector<int> positions;
  const auto devices = open_opencl_devices("all");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i]->facts().on_host_processors) positions.push_back(static_cast<int>(i));
  }
  return positions;
}

}  // namespace

PetscErrorCode find_ranks(Ranks& ranks) {
  MPI_Comm machine = MPI_COMM_NULL;
  PetscMPIInt rank = 0;
  PetscMPIInt local = 0;
  PetscMPIInt locals = 1;
  const Mask mine = affinity();
  Mask all{};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(
      MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
  PetscCallMPI(MPI_Comm_rank(machine, &local));
  PetscCallMPI(MPI_Comm_size(machine, &locals));
  PetscCallMPI(MPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T,
                             MPI_BOR, machine));
  PetscCallMPI(MPI_Comm_free(&machine));
  ranks = {rank, local, locals, count(all)};
  PetscFunctionReturn(0);
}

int share_of_threads(const Ranks& ranks, int offered) noexcept {
  return std::min(offered, std::max(ranks.processors / ranks.locals, 1));
}

DeviceShare share_of_devices(const Ranks& ranks, const std::vector<int>& positions) {
  if (positions.empty()) return {"none", 1};
  const int devices = static_cast<int>(positions.size());
  const int turn = ranks.local % devices;
  const int sharers = ranks.locals / devices + (turn < ranks.locals % devices ? 1 : 0);
  return {std::to_string(positions[static_cast<std::size_t>(turn)]), sharers};
}

RuntimeOptions options_for(Session& session) {
  RuntimeOptions options = RuntimeOptions::from_environment();
  if (session.threads > 0) options.threads = static_cast<int>(session.threads);
  if (options.threads == 0) {
    options.threads = share_of_threads(session.ranks, host_threads());
  }
  // The machine was calibrated as a whole.
  options.profile_threads = session.ranks.processors;
  if (!session.devices.empty()) {
    options.devices = session.devices;
    session.device_sharers = session.ranks.locals;
  } else if (options.devices == "all" && session.ranks.locals > 1) {
    const DeviceShare share = share_of_devices(session.ranks, devices_to_share());
    options.devices = share.selection;
    session.device_sharers = share.sharers;
  }
  options.trace = session.trace;
  return options;
}

}  // namespace switchyard::petsc
