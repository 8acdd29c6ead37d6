// What the matrices of one process share: the runtime, and this rank's part of the machine.
#pragma once

#include <memory>
#include <string>
#include <switchyard/core/runtime.hpp>
#include <switchyard/core/trace.hpp>

#include "petsc.hpp"

namespace switchyard::petsc {

/// The ranks on this machine, and what this one may use.
struct Ranks {
  int rank = 0;        ///< of PETSC_COMM_WORLD
  int local = 0;       ///< among those on this machine
  int locals = 1;      ///< their number
  int processors = 1;  ///< that they may run on, all together
};

/// The runtime of this process and what it was opened with.
struct Session {
  Ranks ranks;                       ///< who shares the machine
  std::string devices;               ///< -mat_switchyard_devices; empty: not given
  PetscInt threads = 0;              ///< -mat_switchyard_threads; 0: not given
  std::string trace_file;            ///< -mat_switchyard_trace; empty: none
  std::shared_ptr<Trace> trace;      ///< null: none
  std::unique_ptr<Runtime> runtime;  ///< null until a matrix needs it
  int device_sharers = 1;            ///< ranks of this machine on this rank's device
};

/// Finds out about the ranks and reads the options of the process. Collective on PETSC_COMM_WORLD.
PetscErrorCode open_session();
/// Writes the trace, and closes the runtime. Collective on PETSC_COMM_WORLD.
PetscErrorCode close_session();
/// REQUIRES: between `open_session` and `close_session`.
[[nodiscard]] Session& session();
/// The runtime, opened at the first call. Throws what `Runtime` throws.
[[nodiscard]] Runtime& runtime();
/// The rank, threads and devices as one line without its end.
[[nodiscard]] std::string session_text();

}  // namespace switchyard::petsc
