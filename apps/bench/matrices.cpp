// The list of matrices.
#include "matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>

#include "command/command.hpp"
#include "command/matrix_argument.hpp"

namespace switchyard::command::bench {
namespace {

namespace fs = std::filesystem;

/// Whatever format a file is in, as CSR.
template <Element T>
Csr<T> as_csr(Storage<T> storage) {
  if (auto* const csr = std::get_if<Csr<T>>(&storage)) return std::move(*csr);
  const auto* const way = find_convert<T>(format_of(storage), Format::Csr, Backend::OpenMP);
  return std::get<Csr<T>>(way->run(*make_host_executor(), storage));
}

std::string family_of(MatrixKind kind) {
  const bool stencil = kind == MatrixKind::Poisson2d || kind == MatrixKind::Poisson3d;
  return stencil ? "stencil" : std::string(switchyard::name(kind));
}

Subject generated(std::string name, const GenerateOptions& recipe) {
  return {std::move(name), family_of(recipe.kind),
          [recipe] { return generate_matrix<float>(recipe); },
          [recipe] { return generate_matrix<double>(recipe); }};
}

Subject from_argument(const MatrixArgument& argument) {
  if (argument.generated) return generated(argument.text, *argument.generated);
  if (argument.text == standard_stream) {
    throw UsageError("standard input can be read only once", "--matrix", "give a file");
  }
  return {fs::path(argument.text).filename().string(), "file",
          [argument] { return as_csr(load_matrix<float>(argument)); },
          [argument] { return as_csr(load_matrix<double>(argument)); }};
}

bool is_matrix_file(const fs::path& file) {
  return file.extension() == ".mtx" || file.string().ends_with(".mtx.gz");
}

std::vector<Subject> files_in(const std::string& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (is_matrix_file(entry.path())) files.push_back(entry.path());
  }
  if (failure) throw Error(ErrorCode::IoError, "cannot read the folder", folder);
  if (files.empty()) throw Error(ErrorCode::IoError, "there is no .mtx or .mtx.gz file", folder);
  std::ranges::sort(files);
  std::vector<Subject> subjects;
  for (const fs::path& file : files) {
    subjects.push_back(from_argument({.text = file.string(), .generated = {}}));
  }
  return subjects;
}

std::vector<Subject> builtin_subjects(bool quick) {
  std::vector<Subject> subjects;
  const Index side = quick ? 4096 : 8192;
  const Index rows = quick ? 250'000 : 1'000'000;
  for (const double density : bench_densities()) {
    subjects.push_back(uniform_subject(side, side, density));
  }
  const auto add = [&](const std::string& name, const GenerateOptions& recipe) {
    subjects.push_back(generated(name, recipe));
  };
  add(fmt::format("banded:{}/17", rows),
      {.kind = MatrixKind::Banded, .rows = rows, .density = {}, .bandwidth = 8});
  add(fmt::format("poisson2d:{}", 4 * rows),
      {.kind = MatrixKind::Poisson2d, .rows = 4 * rows, .density = {}});
  add(fmt::format("poisson3d:{}", 2 * rows),
      {.kind = MatrixKind::Poisson3d, .rows = 2 * rows, .density = {}});
  add(fmt::format("powerlaw:{}", rows),
      {.kind = MatrixKind::PowerLaw, .rows = rows, .density = {}});
  add(fmt::format("pruned:{}", side), {.kind = MatrixKind::Pruned, .rows = side, .density = {}});
  std::ranges::move(awkward_subjects(quick), std::back_inserter(subjects));
  return subjects;
}

}  // namespace

Subject generated_subject(const GenerateOptions& recipe) {
  std::string name = fmt::format("{}:{}", switchyard::name(recipe.kind), recipe.rows);
  if (recipe.density) name += fmt::format(":{}", *recipe.density);
  return generated(std::move(name), recipe);
}

const std::vector<double>& bench_densities() {
  static const std::vector<double> densities{1,   0.9,  0.75, 0.5,  0.3,   0.2,
                                             0.1, 0.05, 0.02, 0.01, 0.003, 0.001};
  return densities;
}

Subject uniform_subject(Index rows, Index cols, double density, const std::string& family) {
  const std::string shape =
      rows == cols ? fmt::format("{}", rows) : fmt::format("{}x{}", rows, cols);
  Subject subject =
      generated(fmt::format("uniform:{}:{}", shape, density),
                {.kind = MatrixKind::Uniform, .rows = rows, .cols = cols, .density = density});
  subject.family = family;
  return subject;
}

std::vector<Subject> subjects_for(const BenchOptions& options) {
  std::vector<Subject> subjects;
  for (const std::string& text : options.specs) {
    subjects.push_back(from_argument(parse_matrix_argument(text)));
  }
  if (!options.folder.empty()) {
    std::ranges::move(files_in(options.folder), std::back_inserter(subjects));
  }
  return subjects.empty() ? builtin_subjects(options.quick) : subjects;
}

}  // namespace switchyard::command::bench
