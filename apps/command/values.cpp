// Parsing words strictly: all of a word, or an error that names the option.
#include "values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace switchyard::command {
namespace {

template <class Number>
bool parse_all(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

constexpr auto decimal_digits = "0123456789";

/// Parses a power of ten. One that does not fit is as good as any that is beyond all integers.
bool parse_power(std::string_view text, Index& power) {
  constexpr Index beyond = 1000;
  const bool is_number = !text.empty() && text.find_first_not_of(decimal_digits) == text.npos;
  if (!parse_all(std::string(text), power)) power = beyond;
  const bool is_parsed = power != beyond || is_number;
  power = std::clamp(power, -beyond, beyond);
  return is_parsed;
}

/// "1e6", "2.5e3", "10k", "1.5M": digits, at most one point among them, and a power of ten that
/// makes a whole number of them. Nothing where the text is none of these or does not fit, of which
/// `is_too_large` tells the latter.
std::optional<Index> parse_scaled(std::string_view text, bool& is_too_large) {
  constexpr std::string_view units = "kMGT";
  Index power = 0;
  if (const auto unit = text.empty() ? text.npos : units.find(text.back()); unit != text.npos) {
    power = 3 * (static_cast<Index>(unit) + 1);
    text.remove_suffix(1);
  } else if (const auto e = text.find_first_of("eE"); e != text.npos) {
    if (!parse_power(text.substr(e + 1), power)) return {};
    text = text.substr(0, e);
  } else if (text.find_first_not_of(decimal_digits) != text.npos) {
    return {};
  }
  std::string digits(text);
  if (const auto point = digits.find('.'); point != std::string::npos) {
    power -= std::ssize(digits) - static_cast<Index>(point) - 1;
    digits.erase(point, 1);
  }
  if (digits.empty() || digits.back() < '0' || digits.back() > '9') return {};
  for (; power < 0 && digits.size() > 1 && digits.back() == '0'; ++power) digits.pop_back();
  if (power < 0) return {};
  const bool is_number = digits.find_first_not_of(decimal_digits) == std::string::npos;
  constexpr Index most_digits = std::numeric_limits<Index>::digits10 + 1;
  digits.append(static_cast<std::size_t>(std::min(power, most_digits)), '0');
  Index value = 0;
  if (parse_all(digits, value)) return value;
  is_too_large = is_number;
  return {};
}

/// A space alone is the likeliest slip: states are then named in full.
std::string hint_for_state(const std::string& text) {
  if (parse_space(text)) {
    return "a state is a format and a space: write csr@" + text + " or dense@" + text;
  }
  return "states are like csr@host, dense@device0";
}

}  // namespace

Index parse_index(const std::string& text, const std::string& where, Index lowest) {
  Index value = 0;
  if (!parse_all(text, value)) {
    bool is_too_large = false;
    const auto scaled = parse_scaled(text, is_too_large);
    if (!scaled) {
      const auto problem = is_too_large ? "is larger than 2^63-1" : "is not an integer";
      throw UsageError("'" + text + "' " + problem, where);
    }
    value = *scaled;
  }
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
  throw UsageError("'" + text + "' is no state", where, hint_for_state(text));
}

CLI::Option* add_index(CLI::App& app, const std::string& name, Index& value, Index lowest,
                       const std::string& what) {
  const auto parse = [&value, name, lowest](const std::string& text) {
    value = parse_index(text, name, lowest);
  };
  return app.add_option_function<std::string>(name, parse, what)->type_name("N");
}

CLI::Option* add_precision(CLI::App& app, Precision& precision, const std::string& why) {
  const auto parse = [&precision](const std::string& text) {
    if (text != "float" && text != "double") {
      throw UsageError("'" + text + "' is no precision", "--precision", "use float or double");
    }
    precision = text == "float" ? Precision::Float : Precision::Double;
  };
  return app
      .add_option_function<std::string>(
          "--precision", parse,
          "float or double (default " + std::string(name(precision)) + why + ")")
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

CLI::Option* add_state(CLI::App& app, std::optional<State>& state, const std::string& what) {
  const auto parse = [&state](const std::string& text) {
    state.reset();
    if (text != "auto") state = parse_state_word(text, "--state");
  };
  return app.add_option_function<std::string>("--state", parse, what)->type_name("STATE");
}

CLI::Option* add_from(CLI::App& app, std::vector<State>& from) {
  const auto parse = [&from](const std::vector<std::string>& words) {
    for (const std::string& word : words) from.push_back(parse_state_word(word, "--from"));
  };
  return app
      .add_option_function<std::vector<std::string>>(
          "--from", parse,
          "the states that hold the matrix before the first call, repeated or with commas\n"
          "(default: the file's format, on the host)")
      ->type_name("STATE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_profile(CLI::App& app, std::optional<std::filesystem::path>& profile,
                         const std::string& what) {
  return app.add_option("--profile", profile, what)->type_name("FILE");
}

void add_request(CLI::App& app, Request& request) {
  add_index(app, "--columns", request.columns, 1,
            "the number of columns of x and y, multiplied at once (default 1)");
  app.add_flag_callback(
      "--transposed", [&request] { request.operand = Operand::Transpose; },
      "multiply with the transpose of the matrix");
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
