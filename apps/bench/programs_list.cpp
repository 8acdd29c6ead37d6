// The list of programs.
#include "programs_make.hpp"

namespace switchyard::command::bench {
namespace {

Subject matrix(MatrixKind kind, Index rows, std::optional<double> density = {}) {
  return generated_subject({.kind = kind, .rows = rows, .density = density, .seed = 20'240'229});
}

/// Three layers, as pruned as in the example `pruned_inference`.
std::vector<Subject> layers(Index rows) {
  std::vector<Subject> stack;
  for (const double density : {0.5, 0.2, 0.05}) {
    stack.push_back(matrix(MatrixKind::Pruned, rows, density));
  }
  return stack;
}

}  // namespace

std::vector<ProgramRecipe> default_programs(bool quick) {
  using enum MatrixKind;
  // The best state takes tens of milliseconds: choosing is then worth something, and a handful of
  // rounds no minute.
  if (quick) {
    return {{Method::Cg, {matrix(Poisson2d, 90'000)}, 150},
            {Method::Gmres, {matrix(Poisson2d, 40'000)}, 90, true},
            {Method::Bicgstab, {matrix(Banded, 5000)}, 120, true},
            {Method::Power, {matrix(Uniform, 2000, 0.3)}, 200},
            {Method::Pagerank, {matrix(PowerLaw, 40'000)}, 100},
            {{}, layers(1024), 250},
            {{}, {matrix(Uniform, 3000, 0.02)}, 60, false, Work::LeastSquares},
            {{}, {matrix(PowerLaw, 20'000)}, 20, false, Work::SingularValues, 16},
            {{}, layers(512), 20, false, Work::Training, 32}};
  }
  return {{Method::Cg, {matrix(Poisson2d, 250'000)}, 400},
          {Method::Cg, {matrix(Poisson3d, 125'000)}, 400},
          {Method::Gmres, {matrix(Poisson2d, 90'000)}, 120, true},
          {Method::Gmres, {matrix(Banded, 10'000)}, 120, true},
          {Method::Bicgstab, {matrix(Poisson2d, 250'000)}, 150, true},
          {Method::Bicgstab, {matrix(Banded, 10'000)}, 150, true},
          {Method::Power, {matrix(Uniform, 2500, 0.1)}, 300},
          {Method::Power, {matrix(Uniform, 3000, 0.5)}, 200},
          {Method::Power, {matrix(Uniform, 3000, 1)}, 200},
          {Method::Pagerank, {matrix(PowerLaw, 200'000)}, 100},
          {{}, layers(1024), 400},
          {{}, layers(2048), 200},
          {{}, {matrix(Uniform, 10'000, 0.01)}, 100, false, Work::LeastSquares},
          {{}, {matrix(PowerLaw, 100'000)}, 20, false, Work::SingularValues, 16},
          {{}, {matrix(Uniform, 3000, 0.2)}, 20, false, Work::SingularValues, 16},
          {{}, layers(1024), 30, false, Work::Training, 64}};
}

}  // namespace switchyard::command::bench
