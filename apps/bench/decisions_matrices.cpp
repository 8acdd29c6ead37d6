// The list of matrices that decisions are made about.
#include "decisions.hpp"

namespace switchyard::command::bench {

std::vector<Subject> decision_subjects(const BenchOptions& options) {
  if (!options.specs.empty() || !options.folder.empty()) return subjects_for(options);
  std::vector<GenerateOptions> recipes;
  const auto add = [&](MatrixKind kind, Index rows, std::optional<double> density = {}) {
    // Calibration counts its seeds from 1 and from 1000 on.
    recipes.push_back({.kind = kind, .rows = rows, .density = density, .seed = 20'240'229});
  };
  add(MatrixKind::Uniform, 100, 0.5);
  add(MatrixKind::Uniform, 300, 0.05);
  add(MatrixKind::Uniform, 1000, 0.3);
  add(MatrixKind::PowerLaw, 3000);
  add(MatrixKind::Uniform, 3000, 0.02);
  add(MatrixKind::Pruned, 2048, 0.2);
  add(MatrixKind::Poisson2d, 40'000);
  if (!options.quick) {
    add(MatrixKind::Banded, 20'000);
    add(MatrixKind::Uniform, 3500, 0.6);
    add(MatrixKind::Uniform, 5000, 0.15);
    add(MatrixKind::PowerLaw, 200'000);
    add(MatrixKind::Poisson2d, 500'000);
  }
  std::vector<Subject> subjects;
  for (const GenerateOptions& recipe : recipes) subjects.push_back(generated_subject(recipe));
  return subjects;
}

}  // namespace switchyard::command::bench
