// Parsing words strictly: all of a word, or an error that names the option.
#include "values.hpp"

#include <charconv>
#include <cmath>

namespace switchyard::command {
namespace {

template <class Number>
bool parse_all(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

}  // namespace

Index parse_index(const std::string& text, const std::string& where, Index lowest) {
  Index value = 0;
  if (!parse_all(text, value)) throw UsageError("'" + text + "' is not an integer", where);
  if (value < lowest) {
    throw UsageError("'" + text + "' is less than " + std::to_string(lowest), where);
  }
  return value;
}

double parse_real(const std::string& text, const std::string& where) {
  double value = 0;
  if (!parse_all(text, value) || !std::isfinite(value)) {
    throw UsageError("'" + text + "' is not a number", where);
  }
  return value;
}

double parse_density(const std::string& text, const std::string& where) {
  const double value = parse_real(text, where);
  if (value > 0 && value <= 1) return value;
  throw UsageError("the density '" + text + "' is not above 0 and at most 1", where);
}

State parse_state_word(const std::string& text, const std::string& where) {
  if (const auto state = parse_state(text)) return *state;
  throw UsageError("'" + text + "' is no state", where, "states are like csr@host, dense@device0");
}

CLI::Option* add_index(CLI::App& app, const std::string& name, Index& value, Index lowest,
                       const std::string& what) {
  const auto parse = [&value, name, lowest](const std::string& text) {
    value = parse_index(text, name, lowest);
  };
  return app.add_option_function<std::string>(name, parse, what)->type_name("N");
}

CLI::Option* add_precision(CLI::App& app, Precision& precision) {
  const auto parse = [&precision](const std::string& text) {
    if (text != "float" && text != "double") {
      throw UsageError("'" + text + "' is no precision", "--precision", "use float or double");
    }
    precision = text == "float" ? Precision::Float : Precision::Double;
  };
  return app
      .add_option_function<std::string>(
          "--precision", parse, "float or double (default " + std::string(name(precision)) + ")")
      ->type_name("TYPE");
}

CLI::Option* add_device(CLI::App& app, std::optional<Space>& device, const std::string& what) {
  const auto parse = [&device](const std::string& text) {
    const Index number = parse_index(text, "--device", 0);
    device = parse_space("device" + std::to_string(number));
    if (!device) throw UsageError("'" + text + "' is too high a device number", "--device");
  };
  return app.add_option_function<std::string>("--device", parse, what)->type_name("N");
}

CLI::Option* add_trace(CLI::App& app, std::optional<std::filesystem::path>& file,
                       const std::string& what) {
  return app.add_option("--trace", file, what)->type_name("FILE");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

}  // namespace switchyard::command
