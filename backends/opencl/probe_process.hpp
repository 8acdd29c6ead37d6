// Runs the program that tries the OpenCL drivers.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::opencl {

/// How a run of the probe ended.
enum class ProbeEnd {
  Done,     ///< every platform that was not to be left alone has answered
  Crashed,  ///< a driver ended the process
  Hung,     ///< a driver did not answer in time
  NotRun    ///< the program could not be run, or was ended from outside: nothing is known
};

struct ProbeRun {
  ProbeEnd end = ProbeEnd::NotRun;
  std::string platform;            ///< that was asked last; empty while drivers were being loaded
  std::string how;                 ///< what a crash was: "Aborted"
  std::string words;               ///< the last line that a driver printed
  std::vector<std::string> files;  ///< what the drivers consist of, once done
};

struct ProbePatience {
  std::chrono::milliseconds silent = std::chrono::seconds(3);  ///< then the wait is logged
  std::chrono::milliseconds most = std::chrono::seconds(20);   ///< then the probe is ended
};

/// Runs `program` (see backends/programs/probe_opencl.cpp), which leaves the platforms named
/// `skipped` alone. The process is created by posix_spawn: nothing of this process is copied and no
/// handler of pthread_atfork runs, so that it is safe beside any threads. Throws nothing but
/// std::bad_alloc.
[[nodiscard]] ProbeRun run_probe(const std::filesystem::path& program,
                                 const std::vector<std::string>& skipped, ProbePatience patience);

/// What the probe printed, taken apart. For tests.
[[nodiscard]] ProbeRun parsed(std::string_view output);

/// The environment's variables that OpenCL loaders, drivers and the dynamic linker read, sorted.
[[nodiscard]] std::vector<std::string> driver_variables();

}  // namespace switchyard::opencl
