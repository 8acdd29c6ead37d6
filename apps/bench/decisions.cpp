// Going through matrices and precisions.
#include "decisions.hpp"

#include <switchyard/backends/operations.hpp>
#include <switchyard/backends/vector_operations.hpp>

#include "command/machine.hpp"
#include "command/run.hpp"
#include "decisions_matrix.hpp"

namespace switchyard::command::bench {
namespace {

/// Builds every kernel that may be needed, so that no workload pays for another's.
template <Element T>
void build_kernels(Laboratory& lab, std::vector<KernelBuild>& builds) {
  if (!lab.options.wants(precision_of<T>)) return;
  const auto build = [&](Executor& executor, const auto& operations) {
    for (const auto& operation : operations) {
      const bool here = operation.backend == executor.backend() && !operation.program.empty();
      if (!here || executor.built(operation.program, precision_of<T>)) continue;
      const double seconds =
          seconds_of([&] { executor.build(operation.program, precision_of<T>); });
      builds.push_back(
          {executor.space(), precision_of<T>, std::string(operation.program), seconds});
    }
  };
  for (const auto& executor : lab.runtime.executors()) {
    if (!executor->supports(precision_of<T>) || !lab.options.wants(executor->space())) continue;
    build(*executor, multiply_operations<T>());
    build(*executor, convert_operations<T>());
    build(*executor, elementwise_operations<T>());
    build(*executor, reduce_operations<T>());
  }
}

/// Without models of a space nothing is planned there.
void keep_wanted_spaces(Laboratory& lab) {
  if (lab.options.states.empty()) return;
  std::vector<Space> spaces;
  for (const State state : lab.options.states) spaces.push_back(state.space);
  lab.runtime.use_profile(only_spaces(*lab.runtime.profile(), spaces));
}

void decide_about_all(Laboratory& lab, DecisionResults& results) {
  const auto subjects = decision_subjects(lab.options);
  const auto work = [&]<Element T>(std::size_t i) {
    if (!lab.options.wants(precision_of<T>)) return;
    lab.show_progress(2 * i + sizeof(T) / sizeof(double), 2 * subjects.size(),
                      "decisions about " + subjects[i].name);
    lab.attempt(subjects[i].name, [&] { decide_about<T>(lab, subjects[i], results); });
  };
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    work.template operator()<float>(i);
    work.template operator()<double>(i);
  }
}

}  // namespace

State careful_state(const Structure& structure, Precision precision, Space device) {
  const Format format = structure.density() >= 0.2 ? Format::Dense : Format::Csr;
  const bool large = bytes_in(format, structure, size_of(precision)) > 1e6;
  return {large ? device : Space::host(), format};
}

std::vector<Index> decision_calls(const BenchOptions& options) {
  return options.calls.empty() ? std::vector<Index>{1, 3, 10, 30, 100, 1000} : options.calls;
}

DecisionResults bench_decisions(Laboratory& lab) {
  DecisionResults results;
  keep_wanted_spaces(lab);
  build_kernels<float>(lab, results.builds);
  build_kernels<double>(lab, results.builds);
  if (lab.options.wants("decisions") && lab.options.request != Request{}) {
    results.mixes = bench_mixes(lab);
    return results;
  }
  if (lab.options.wants("decisions")) decide_about_all(lab, results);
  // A program makes as many calls as it makes: whoever asks for workloads of some calls has no use
  // for it.
  if (lab.options.calls.empty() || lab.options.wants("programs")) {
    results.programs = bench_programs(lab);
  }
  return results;
}

}  // namespace switchyard::command::bench
