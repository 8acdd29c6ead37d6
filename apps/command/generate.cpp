// `switchyard generate`: a Matrix Market file with a real problem's structure.
#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/containers/matrix_market.hpp>

#include "activity.hpp"
#include "command.hpp"
#include "matrix_argument.hpp"
#include "plan_json.hpp"
#include "table.hpp"
#include "values.hpp"
#include "vector_file.hpp"

namespace switchyard::command {
namespace {

struct GenerateRequest {
  GenerateOptions matrix{.density = {}};
  Index seed = 1;
  // Digits enough for either type: a file written for doubles serves both.
  Precision precision = Precision::Double;
  std::string output;
};

/// A matrix that was written, and its text where standard output is to hold it.
struct Generated {
  Structure structure;
  std::string text = {};
};

template <Element T>
Generated write_generated(const GenerateRequest& request, Activity& activity) {
  activity.now("generating the matrix");
  const Storage<T> matrix = generate_matrix<T>(request.matrix);
  activity.now("writing " + request.output);
  Generated generated{exact_structure(matrix)};
  if (request.output == standard_stream) {
    generated.text = format_matrix_market<T>(matrix);
  } else {
    write_matrix_market<T>(matrix, request.output);
  }
  return generated;
}

std::string report(const GenerateRequest& request, const Structure& structure, bool as_json) {
  if (!as_json) return "wrote " + request.output + ": " + format_shape(structure) + "\n";
  return json_text({{"matrix", matrix_json(structure)},
                    {"kind", name(request.matrix.kind)},
                    {"precision", name(request.precision)},
                    {"seed", request.seed},
                    {"output", request.output}});
}

Outcome generate_file(GenerateRequest request, const CommonOptions& common) {
  check_output(request.output, common);
  request.matrix.seed = static_cast<std::uint64_t>(request.seed);
  Activity activity(!common.quiet);
  Generated generated = with_precision(
      request.precision, [&]<Element T>() { return write_generated<T>(request, activity); });
  return outcome_with(report(request, generated.structure, common.json), request.output,
                      std::move(generated.text), common);
}

}  // namespace

Action add_generate(CLI::App& app) {
  const auto request = std::make_shared<GenerateRequest>();
  GenerateOptions& matrix = request->matrix;
  app.add_option_function<std::string>(
         "KIND", [&matrix](const std::string& text) { matrix.kind = parse_kind(text, "KIND"); },
         "uniform, banded, poisson2d, poisson3d, powerlaw or pruned")
      ->type_name("")
      ->required();
  add_index(app, "--rows", matrix.rows, 1,
            "rows, as in 10000, 10k or 1e4; rounded down to a square or cube for grids")
      ->required();
  add_index(app, "--cols", matrix.cols, 1, "columns (default: the number of rows)");
  app.add_option_function<std::string>(
         "--density",
         [&matrix](const std::string& text) { matrix.density = parse_density(text, "--density"); },
         "stored nonzeros over rows x columns, for banded matrices over the elements of the band;\n"
         "above 0 and at most 1 (default: depends on KIND)")
      ->type_name("D");
  add_index(app, "--bandwidth", matrix.bandwidth, 1,
            "diagonals on either side of the main one, for banded matrices");
  add_index(app, "--seed", request->seed, 0,
            "seed of the random numbers; the same seed gives the same matrix (default 1)");
  add_precision(app, request->precision, double_for_files);
  app.add_option(
         "--output", request->output,
         "the Matrix Market file to write; gzipped if its name ends in .gz; - for standard\n"
         "output, the report then going to standard error")
      ->type_name("FILE")
      ->required();
  return [request](const CommonOptions& common) { return generate_file(*request, common); };
}

}  // namespace switchyard::command
