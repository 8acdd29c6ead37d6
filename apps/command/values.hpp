// Words of the command line as values; whatever is off with one is a `UsageError`.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/request.hpp>
#include <switchyard/containers/state.hpp>
#include <vector>

#include "command.hpp"

namespace switchyard::command {

/// A whole number of at least `lowest`: decimal digits, "1e6", or with k, M, G or T for powers of
/// 1000 ("10k"). `where` names the option in the error.
[[nodiscard]] Index parse_index(const std::string& text, const std::string& where, Index lowest);

/// A finite decimal number.
[[nodiscard]] double parse_real(const std::string& text, const std::string& where);

/// A density, in (0, 1].
[[nodiscard]] double parse_density(const std::string& text, const std::string& where);

/// "csr@device0" and the like.
[[nodiscard]] State parse_state_word(const std::string& text, const std::string& where);

// Options whose values are parsed as above. CLI11's own number parsing would read 010 as eight.
CLI::Option* add_index(CLI::App& app, const std::string& name, Index& value, Index lowest,
                       const std::string& what);
/// Why float, or double, is a command's default; one of them for `add_precision`.
inline constexpr auto float_by_default = ": half the bytes of double per call";
inline constexpr auto double_by_default = ": most solvers need its accuracy";
inline constexpr auto double_for_files = ": enough digits for both types";

/// `why` follows the default: ": the cheaper, ...".
CLI::Option* add_precision(CLI::App& app, Precision& precision, const std::string& why);
CLI::Option* add_device(CLI::App& app, std::optional<Space>& device, const std::string& what);

/// "--state auto|STATE"; nothing for auto.
CLI::Option* add_state(CLI::App& app, std::optional<State>& state, const std::string& what);
/// "--from STATE[,STATE...]", which may be repeated.
CLI::Option* add_from(CLI::App& app, std::vector<State>& from);
CLI::Option* add_profile(CLI::App& app, std::optional<std::filesystem::path>& profile,
                         const std::string& what);

/// "--columns K" and "--transposed": what is asked of the matrix.
void add_request(CLI::App& app, Request& request);

CLI::Option* add_trace(CLI::App& app, std::optional<std::filesystem::path>& file,
                       const std::string& what);

/// The parts of `text` between commas.
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);

}  // namespace switchyard::command
