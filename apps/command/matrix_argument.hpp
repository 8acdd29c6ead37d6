// The matrix that a command is given: FILE, - for standard input, or KIND:ROWS[:DENSITY] to be
// generated in memory.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/matrix_file.hpp>

namespace switchyard::command {

struct MatrixArgument {
  std::string text;                          ///< as it stands on the command line
  std::optional<GenerateOptions> generated;  ///< absent: `text` is a file
  ReadOptions reading = {};
};

/// A word that begins with a kind and a colon is one to generate; a file of such a name can be
/// given as ./NAME. Throws `UsageError` where the word can be neither.
[[nodiscard]] MatrixArgument parse_matrix_argument(const std::string& text);

/// "reading a.mtx" or "generating uniform:1000", for progress.
[[nodiscard]] std::string loading_words(const MatrixArgument& matrix);

/// What stands for standard input and output.
inline constexpr auto standard_stream = "-";

/// Reads a file of any kind, or Matrix Market text, plain or gzipped, from standard input. Throws
/// what `read_matrix` throws.
template <Element T>
[[nodiscard]] Storage<T> read_file(const std::string& name, const ReadOptions& options = {});

/// Declares the required positional MATRIX, and --lenient.
void add_matrix(CLI::App& app, MatrixArgument& matrix);

/// The kind of that name. Throws `UsageError`, naming all kinds.
[[nodiscard]] MatrixKind parse_kind(const std::string& text, const std::string& where);

/// The generated matrix. Throws `UsageError` for options that make no sense together.
template <Element T>
[[nodiscard]] Csr<T> generate_matrix(const GenerateOptions& options);

/// Reads or generates it. Throws what `read_matrix` and `generate_matrix` throw.
template <Element T>
[[nodiscard]] Storage<T> load_matrix(const MatrixArgument& matrix);

/// All nonzeros counted.
template <Element T>
[[nodiscard]] Structure exact_structure(const Storage<T>& storage);

/// Calls `work.template operator()<T>()` with the element type of that precision.
template <class Work>
auto with_precision(Precision precision, Work&& work) {
  if (precision == Precision::Float) return work.template operator()<float>();
  return work.template operator()<double>();
}

}  // namespace switchyard::command
