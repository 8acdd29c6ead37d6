// A file written aside and renamed when it is complete.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace switchyard {

/// Writes a new file beside `file` and replaces `file` at `commit`. Without `commit` nothing
/// changes. A pipe or device is written to directly. All members throw `Error(IoError)`. Threads:
/// one at a time.
class OutputFile {
 public:
  /// Opens the new file.
  explicit OutputFile(const std::filesystem::path& file);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Appends `bytes`.
  void write(std::string_view bytes);
  /// Replaces the file. REQUIRES: no `write` afterwards.
  void commit();

 private:
  void open_aside();
  [[noreturn]] void fail(const char* what, int reason) const;

  std::filesystem::path file_;
  std::filesystem::path aside_;  // empty when written to directly, and after `commit`
  int descriptor_ = -1;
};

/// `bytes` as one member of a gzip file. Members may be concatenated.
[[nodiscard]] std::string gzip_member(std::string_view bytes);

}  // namespace switchyard
