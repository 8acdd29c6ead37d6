// The library's exception: a code, what failed, where, and a hint.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <switchyard/containers/language.hpp>

namespace switchyard {

/// The kind of a failure, for callers that handle some kinds differently.
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

/// The name of the code in logs and JSON, e.g. "parse_error".
[[nodiscard]] std::string_view name(ErrorCode code) noexcept;

/// The only exception that the library throws, except for std::bad_alloc from functions that only
/// return a text. `what()` is one line, `WHAT (WHERE); HINT`. An empty WHERE or HINT is left out.
class Error : public std::runtime_error {
 public:
  /// `where` and `hint` may be empty.
  Error(ErrorCode code, const std::string& what, const std::string& where = {},
        const std::string& hint = {});

  /// The kind of failure.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  /// The file, line, matrix or device of the failure. May be empty.
  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  /// What to do about it. May be empty.
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  std::string where_;
  std::string hint_;
};

}  // namespace switchyard
