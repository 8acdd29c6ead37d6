// The matrices that are measured: generated ones, awkward shapes, files.
#pragma once

#include <functional>
#include <string>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/generate.hpp>
#include <vector>

#include "options.hpp"

namespace switchyard::command::bench {

/// A matrix to be made when its turn comes.
struct Subject {
  std::string name;
  std::string family;  ///< for the summary: "uniform", "stencil", "tiny", "file", ...
  std::function<Csr<float>()> make_float;
  std::function<Csr<double>()> make_double;

  template <Element T>
  [[nodiscard]] Csr<T> make() const {
    if constexpr (std::same_as<T, float>) return make_float();
    if constexpr (std::same_as<T, double>) return make_double();
  }
};

/// Those asked for: the given matrices and the folder's files, or else the built-in list. Throws
/// `UsageError` for a word that can be no matrix, `Error(IoError)` for a folder that cannot be
/// read.
[[nodiscard]] std::vector<Subject> subjects_for(const BenchOptions& options);

/// The densities that the benchmarks go through.
[[nodiscard]] const std::vector<double>& bench_densities();

/// The matrix of that recipe, named KIND:ROWS[:DENSITY].
[[nodiscard]] Subject generated_subject(const GenerateOptions& recipe);

/// Every position with that probability, `rows` x `cols`.
[[nodiscard]] Subject uniform_subject(Index rows, Index cols, double density,
                                      const std::string& family = "uniform");

/// Shapes and row lengths that break naive kernels.
[[nodiscard]] std::vector<Subject> awkward_subjects(bool quick);

}  // namespace switchyard::command::bench
