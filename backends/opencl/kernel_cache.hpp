// The kernels of one device, built when first asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/numbers.hpp>
#include <vector>

#include "binary_cache.hpp"
#include "cl.hpp"
#include "program_options.hpp"
#include "recorded_programs.hpp"

namespace switchyard::opencl {

/// An argument as it was last set: at most 8 bytes.
struct KernelArgument {
  std::uint64_t bits = 0;
  std::size_t bytes = 0;
  bool operator==(const KernelArgument&) const = default;
};

/// One kernel, with the lock that setting its arguments and enqueuing it needs: the arguments
/// belong to the kernel object, so two threads that share it would mix theirs.
struct Kernel {
  cl::Kernel kernel;
  std::string name;
  Index group = 0;  ///< items of its work-groups, as its source requires
  /// What its arguments are, so that they need not be set again: a call in a loop changes none.
  std::vector<KernelArgument> arguments;
  std::uint64_t arguments_set_after = 0;  ///< releases of buffers (`DeviceMemory::releases`)
  std::mutex mutex;
};

/// Files outside that building uses; empty for none.
struct BuildFiles {
  std::filesystem::path binaries;  ///< the folder of a `BinaryCache`
  std::filesystem::path lock;      ///< the file of a `BuildLock`
};

/// Builds programs lazily and keeps them. All members may be called from any thread; a build holds
/// up only those who want the same program.
class KernelCache {
 public:
  /// The work-groups in `tuning` are made smaller where the device requires it.
  KernelCache(cl::Context context, cl::Device device, const Tuning& tuning,
              const BuildFiles& files);

  /// The kernel `name` of a program, built now if need be. Throws cl::Error, or
  /// `Error(BuildFailed)`: the same again, without another attempt, for a program that did not
  /// compile before; `Error(Internal)` for a name that does not exist.
  [[nodiscard]] Kernel& kernel(const ProgramKey& key, std::string_view name);
  /// Builds a program now, unless it is. Throws as above.
  void build(const ProgramKey& key) { (void)built_program(key); }
  [[nodiscard]] bool built(const ProgramKey& key) const;
  /// Why a program did not compile, for offsets of either width; empty where none has failed.
  [[nodiscard]] std::string problem(std::string_view stem, Precision precision) const;

  /// Programs made of recorded functions; their names are stems of keys, too.
  [[nodiscard]] RecordedPrograms& recorded() noexcept { return recorded_; }

  /// Builds nothing more, and returns when no thread builds or launches.
  void end() noexcept;
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }

  /// Whether the device is driven by NVIDIA's own driver.
  [[nodiscard]] bool is_nvidia() const noexcept { return target_.is_nvidia; }
  /// Whether the device multiplies tiles of matrices in double at once (MULTIPLIES_DOUBLES in
  /// dense_doubles.cl).
  [[nodiscard]] bool multiplies_doubles() const noexcept { return target_.multiplies_doubles; }

 private:
  /// A program, or why there is none.
  struct Program {
    std::mutex building;
    std::vector<std::unique_ptr<Kernel>> kernels;  // empty until built
    std::optional<Error> failure;
    std::atomic<bool> failed{false};  // once set, `failure` stays as it is
  };

  [[nodiscard]] Program& slot(const ProgramKey& key);
  [[nodiscard]] Program& built_program(const ProgramKey& key);
  [[nodiscard]] cl::Program compiled(const ProgramKey& key) const;
  /// What a program is compiled from, and with which definitions beside those of its key.
  struct Source {
    std::string text;
    std::string definitions;
  };
  [[nodiscard]] Source source_text(const ProgramKey& key) const;
  [[nodiscard]] cl::Program compiled_from_source(const std::string& text,
                                                 const std::string& flags) const;
  [[nodiscard]] std::string binary_key(std::string_view text, std::string_view options) const;

  cl::Context context_;
  cl::Device device_;
  BinaryCache binaries_;
  std::filesystem::path lock_;
  std::string name_;
  BuildTarget target_;
  std::string recorded_flags_;  // of programs made of recorded functions
  RecordedPrograms recorded_;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;      // guards the map, not what is in it
  mutable std::mutex compiling_;  // where there is a lock file: it keeps threads apart as well
  std::map<ProgramKey, std::unique_ptr<Program>> programs_;
};

}  // namespace switchyard::opencl
