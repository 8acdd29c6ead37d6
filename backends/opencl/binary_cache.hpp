// Compiled kernels kept on disk, for drivers that do not keep them themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::opencl {

using Binary = std::vector<unsigned char>;

/// 64-bit FNV-1a (Fowler, Noll, Vo): names files and tells damaged ones, no more.
[[nodiscard]] std::uint64_t hash(std::string_view bytes) noexcept;

/// A folder of binaries by key. Whatever goes wrong, a binary is simply not there, or not kept.
///
/// A binary is code that the driver will run, so nothing is taken from a folder or file that
/// another user owns or can write to. May be used from any thread and any number of processes.
class BinaryCache {
 public:
  /// Keeps nothing where `folder` is empty.
  explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Whether `store` keeps anything.
  [[nodiscard]] bool keeps() const noexcept { return !folder_.empty(); }
  /// The binary stored under `key`, whole and undamaged.
  [[nodiscard]] std::optional<Binary> load(std::string_view key) const noexcept;
  /// Keeps `binary` under `key`; written aside and renamed.
  void store(std::string_view key, const Binary& binary) const noexcept;

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view key) const;

  std::filesystem::path folder_;
};

/// Why binaries are neither taken from that folder nor kept in it: it is no folder, or others may
/// write to it. Empty where they are, or where it is still to be made.
[[nodiscard]] std::string fault_of_folder(const std::filesystem::path& folder);

/// `$XDG_CACHE_HOME/switchyard/kernels`, or `~/.cache/switchyard/kernels`; empty where the
/// environment names neither absolutely. The one place where this module reads the environment.
[[nodiscard]] std::filesystem::path default_kernel_cache_folder();

}  // namespace switchyard::opencl
