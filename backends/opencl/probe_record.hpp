// Remembering that drivers survived.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace switchyard::opencl {

/// Keeps on disk that the drivers survived the probe, in the folder of the kernel cache and by its
/// rules (see `BinaryCache`). A record holds only for the same environment, probe, start of the
/// system and registered drivers, and as long as none of the drivers' files has changed.
class ProbeRecord {
 public:
  /// Remembers nothing where `folder` is empty.
  ProbeRecord(std::filesystem::path folder, std::filesystem::path program);

  /// Whether drivers survived that are the same as now.
  [[nodiscard]] bool holds() const;
  /// Remembers that they did; `files` are what they consist of.
  void store(const std::vector<std::string>& files) const;

 private:
  [[nodiscard]] std::string text_for(const std::vector<std::string>& files) const;

  std::filesystem::path folder_;
  std::filesystem::path program_;
  std::string key_;
};

}  // namespace switchyard::opencl
