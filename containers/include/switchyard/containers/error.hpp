// What went wrong, as a value with a code, the thing, the place and a hint.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace switchyard {

/// The kinds of failure a caller may want to tell apart.
enum class ErrorCode {
  InvalidArgument,
  DimensionMismatch,
  OutOfRange,
  ParseError,
  DataCorrupt,
  ProfileMismatch,
  OutOfMemory,
  DeviceUnavailable,
  DeviceOutOfMemory,
  DeviceLost,
  BuildFailed,
  IoError,
  Unsupported,
  Internal
};

/// The code as it stands in logs and JSON, e.g. "parse_error".
[[nodiscard]] std::string_view name(ErrorCode code) noexcept;

/// Every exception that leaves the library, but for the std::bad_alloc of functions that do nothing
/// but return a text. `what()` reads `WHAT (WHERE); HINT`, on one line,
/// WHERE and HINT being left out where there is none.
class Error : public std::runtime_error {
 public:
  /// Of WHAT, WHERE and HINT the last two may be empty.
  Error(ErrorCode code, const std::string& what, const std::string& where = {},
        const std::string& hint = {});

  /// The kind of failure, to branch on.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  /// The file, line, matrix or device that the failure belongs to; may be empty.
  [[nodiscard]] const std::string& where() const noexcept { return where_; }

 private:
  ErrorCode code_;
  std::string where_;
};

}  // namespace switchyard
