// Samples on disk while a calibration runs, so that an interruption costs nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint_line.hpp"

namespace switchyard {

/// A file of one line for the machine and one for each finished experiment, appended one at a time:
/// whenever the process ends, all lines but a torn last one are whole. While it is open the file is
/// locked, so that two processes never share one. With an empty path it does nothing.
class Checkpoint {
 public:
  /// Begins the file anew, or goes on with it if `resume` and it is of this machine; nothing that
  /// is whole in it is written again. Throws `Error(IoError)` where it cannot be written, is no
  /// ordinary file, or is in another process's use.
  Checkpoint(std::filesystem::path file, const Fingerprint& fingerprint, bool resume);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  [[nodiscard]] const FinishedExperiments& finished() const noexcept { return finished_; }
  /// Throws `Error(IoError)` where the line cannot be written; those before it stay.
  void add(const std::string& experiment, const std::vector<KeyedSample>& samples);
  /// Removes the file: it is not needed any more.
  void remove();

 private:
  void open_locked();
  [[nodiscard]] std::string contents() const;
  /// Takes over what is whole in the file, and returns how many bytes of it to keep.
  std::size_t take_over(const Fingerprint& fingerprint);
  void append(std::string_view text);
  void shorten_to(std::size_t size);
  [[noreturn]] void fail(std::string_view what, int error) const;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::size_t size_ = 0;  ///< of the lines that are whole
  FinishedExperiments finished_;
};

}  // namespace switchyard
