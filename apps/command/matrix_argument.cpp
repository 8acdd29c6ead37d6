// Telling files from matrices to generate, and getting hold of either.
#include "matrix_argument.hpp"

#include <unistd.h>

#include <filesystem>

#include "suggestion.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

constexpr auto kinds = "uniform, banded, poisson2d, poisson3d, powerlaw, pruned";

std::string hint_for(const std::string& kind) {
  std::vector<std::string> names;
  for (const std::string& word : split(kinds, ','))
    names.push_back(word.substr(word.find_first_not_of(' ')));
  const std::string hint = did_you_mean(kind, names);
  return (hint.empty() ? "" : hint + " ") + "kinds are " + kinds;
}

/// Whether the word can only have been meant as KIND:ROWS: a plain word before a colon, no file.
bool looks_generated(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  if (parse_matrix_kind(text.substr(0, colon))) return true;
  std::error_code ignored;
  return text.find_first_of("/.") > colon && !std::filesystem::exists(text, ignored);
}

}  // namespace

MatrixKind parse_kind(const std::string& text, const std::string& where) {
  if (const auto kind = parse_matrix_kind(text)) return *kind;
  throw UsageError("'" + text + "' is no kind of matrix", where, hint_for(text));
}

MatrixArgument parse_matrix_argument(const std::string& text) {
  if (!looks_generated(text)) return {.text = text, .generated = {}};
  const auto parts = split(text, ':');
  if (parts.size() > 3) {
    throw UsageError("'" + text + "' has too many parts", "MATRIX", "write KIND:ROWS[:DENSITY]");
  }
  GenerateOptions options{.kind = parse_kind(parts[0], "MATRIX"), .density = {}};
  options.rows = parse_index(parts[1], "MATRIX", 1);
  if (parts.size() == 3) options.density = parse_density(parts[2], "MATRIX");
  return {.text = text, .generated = options};
}

std::string loading_words(const MatrixArgument& matrix) {
  if (matrix.generated) return "generating " + matrix.text;
  return "reading " + (matrix.text == standard_stream ? "standard input" : matrix.text);
}

void add_matrix(CLI::App& app, MatrixArgument& matrix) {
  const auto parse = [&matrix](const std::string& text) {
    const ReadOptions reading = matrix.reading;  // whichever of the two comes first
    matrix = parse_matrix_argument(text);
    matrix.reading = reading;
  };
  const std::string what =
      std::string(
          "a file: Matrix Market (.mtx, .mtx.gz), SuiteSparse's .tar.gz, or SciPy's .npz;\n"
          "- for standard input; or KIND:ROWS[:DENSITY] to generate one in memory; KIND: ") +
      kinds;
  app.add_option_function<std::string>("MATRIX", parse, what)->type_name("")->required();
  app.add_flag("--lenient", matrix.reading.lenient,
               "accept a Matrix Market file that breaks small rules; a warning says which");
}

template <Element T>
Csr<T> generate_matrix(const GenerateOptions& options) {
  try {
    return generate<T>(options);
  } catch (const Error& error) {
    const bool off =
        error.code() == ErrorCode::InvalidArgument || error.code() == ErrorCode::OutOfRange;
    if (off) throw UsageError(error.what());
    throw;
  }
}

template <Element T>
Storage<T> load_matrix(const MatrixArgument& matrix) {
  if (matrix.generated) return generate_matrix<T>(*matrix.generated);
  return read_file<T>(matrix.text, matrix.reading);
}

template <Element T>
Storage<T> read_file(const std::string& name, const ReadOptions& options) {
  if (name != standard_stream) return read_matrix<T>(name, options);
  return read_matrix_market<T>(STDIN_FILENO, "standard input", options);
}

template <Element T>
Structure exact_structure(const Storage<T>& storage) {
  return structure_of(storage);
}

template Csr<float> generate_matrix(const GenerateOptions&);
template Csr<double> generate_matrix(const GenerateOptions&);
template Storage<float> read_file(const std::string&, const ReadOptions&);
template Storage<double> read_file(const std::string&, const ReadOptions&);
template Storage<float> load_matrix(const MatrixArgument&);
template Storage<double> load_matrix(const MatrixArgument&);
template Structure exact_structure(const Storage<float>&);
template Structure exact_structure(const Storage<double>&);

}  // namespace switchyard::command
