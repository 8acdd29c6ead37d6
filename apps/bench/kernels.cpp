// Going through matrices, precisions and states.
#include "kernels.hpp"

#include <fmt/format.h>

#include "command/run.hpp"
#include "state_race.hpp"

namespace switchyard::command::bench {
namespace {

/// All states of one matrix in one precision.
template <Element T>
class MatrixBench {
 public:
  MatrixBench(Laboratory& lab, const Subject& subject, std::vector<KernelCase>& cases)
      : lab_(lab), subject_(subject), cases_(cases) {}

  void run() {
    Executor& host = *lab_.runtime.executors().front();
    RaceMatrix<T> matrix{
        .subject = subject_, .forms = {host, subject_.make<T>()}, .x = {}, .expected = {}};
    const Request& request = lab_.options.request;
    const Structure& structure = matrix.forms.structure();
    check_columns(request, structure.rows, structure.cols);
    matrix.x = test_vector<T>(x_size(request, structure.rows, structure.cols));
    matrix.expected =
        reference_multiply<T>(matrix.forms.in(Format::Csr), T{1}, matrix.x, T{0}, {}, request);
    for (const auto& executor : lab_.runtime.executors()) {
      if (!executor->supports(precision_of<T>)) continue;
      for (const FormatFacts& facts : format_table) run_state(matrix, *executor, facts.format);
    }
  }

 private:
  void run_state(RaceMatrix<T>& matrix, Executor& executor, Format format) {
    const State state{executor.space(), format};
    if (!lab_.options.wants(state)) return;
    const auto reason =
        why_not_held(executor, format, matrix.forms.structure(), precision_of<T>, lab_.options);
    if (!reason.empty()) return note(state, reason);
    try {
      for (KernelCase& entry : race_state<T>(lab_, matrix, executor, format)) {
        if (!entry.right()) fail(entry);
        cases_.push_back(std::move(entry));
      }
    } catch (const std::exception& error) {
      note(state, error.what());
    }
  }

  void note(State state, const std::string& what) {
    lab_.notes.push_back(fmt::format("{} is left out on {} ({}): {}", switchyard::name(state),
                                     subject_.name, switchyard::name(precision_of<T>), what));
  }

  void fail(const KernelCase& entry) {
    const std::string what =
        entry.failure.empty()
            ? fmt::format("an error of {:.3g} times what rounding allows", entry.max_error)
            : entry.failure;
    lab_.failures.push_back(fmt::format("{}, {} in {} with {}: {}", entry.matrix,
                                        switchyard::name(entry.precision),
                                        switchyard::name(entry.state), entry.variant, what));
  }

  Laboratory& lab_;
  const Subject& subject_;
  std::vector<KernelCase>& cases_;
};

}  // namespace

std::vector<KernelCase> bench_kernels(Laboratory& lab, const std::vector<Subject>& subjects) {
  std::vector<KernelCase> cases;
  const auto work = [&]<Element T>(std::size_t i) {
    if (!lab.options.wants(precision_of<T>)) return;
    lab.show_progress(i, subjects.size(), "products with " + subjects[i].name);
    lab.attempt(subjects[i].name, [&] { MatrixBench<T>(lab, subjects[i], cases).run(); });
  };
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    work.template operator()<float>(i);
    work.template operator()<double>(i);
  }
  return cases;
}

}  // namespace switchyard::command::bench
