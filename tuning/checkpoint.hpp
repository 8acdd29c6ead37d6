// Samples on disk while a calibration runs, so that an interruption costs nothing.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "measure.hpp"

namespace switchyard {

/// The samples of finished experiments, by the experiment's name.
using FinishedExperiments = std::map<std::string, std::vector<KeyedSample>>;

/// A file of one line for the machine and one for each finished experiment, written line by line.
/// With an empty path it does nothing.
class Checkpoint {
 public:
  /// Begins the file anew, or goes on with it if `resume` and it is of this machine. Throws
  /// `Error(IoError)` where it cannot be written.
  Checkpoint(std::filesystem::path file, const Fingerprint& fingerprint, bool resume);

  [[nodiscard]] const FinishedExperiments& finished() const noexcept { return finished_; }
  /// Throws `Error(IoError)` where the line cannot be written.
  void add(const std::string& experiment, const std::vector<KeyedSample>& samples);
  /// Removes the file: it is not needed any more.
  void remove();

 private:
  std::filesystem::path file_;
  std::ofstream out_;
  FinishedExperiments finished_;
};

}  // namespace switchyard
