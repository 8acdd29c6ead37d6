// A file written aside and renamed when it is complete.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace switchyard {

/// Writes to a new file beside `file` and puts it in its place at `commit`; without that, nothing
/// has changed. What is no regular file (a pipe, a device) is written to directly. All members
/// throw `Error(IoError)`. One thread at a time.
class OutputFile {
 public:
  /// Opens the new file.
  explicit OutputFile(const std::filesystem::path& file);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Adds to what was written before.
  void write(std::string_view bytes);
  /// Nothing may be written afterwards.
  void commit();

 private:
  void open_aside();
  [[noreturn]] void fail(const char* what, int reason) const;

  std::filesystem::path file_;
  std::filesystem::path aside_;  // empty when written to directly, and after `commit`
  int descriptor_ = -1;
};

/// `bytes` as one member of a gzip file; members may be put one after the other.
[[nodiscard]] std::string gzip_member(std::string_view bytes);

}  // namespace switchyard
