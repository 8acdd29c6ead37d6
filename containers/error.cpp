// Names of error codes and the one-line message.
#include <array>
#include <switchyard/containers/out_of_memory.hpp>

namespace switchyard {
namespace {

constexpr std::array<std::string_view, 14> names{"invalid_argument",     "dimension_mismatch",
                                                 "out_of_range",         "parse_error",
                                                 "data_corrupt",         "profile_mismatch",
                                                 "out_of_memory",        "device_unavailable",
                                                 "device_out_of_memory", "device_lost",
                                                 "build_failed",         "io_error",
                                                 "unsupported",          "internal"};

std::string one_line(const std::string& what, const std::string& where, const std::string& hint) {
  std::string line = what;
  if (!where.empty()) line += " (" + where + ")";
  if (!hint.empty()) line += "; " + hint;
  // Compilers' and drivers' texts come in several lines, and a log entry is one; what a file's name
  // or a profile holds must not move a terminal's cursor.
  constexpr char last_control = '\x7f';
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == last_control) c = ' ';
  }
  return line;
}

const Error& prepared_out_of_memory() {
  static const Error error(ErrorCode::OutOfMemory, "there is not enough host memory");
  return error;
}
/// Made when the library is loaded; copying it allocates nothing.
[[maybe_unused]] const Error& at_load = prepared_out_of_memory();

}  // namespace

std::string_view name(ErrorCode code) noexcept { return names[static_cast<std::size_t>(code)]; }

Error::Error(ErrorCode code, const std::string& what, const std::string& where,
             const std::string& hint)
    : std::runtime_error(one_line(what, where, hint)), code_(code), where_(where), hint_(hint) {}

void throw_out_of_memory() { throw Error(prepared_out_of_memory()); }

}  // namespace switchyard
