// From CSR on the host to the first product on a device: what each way there takes.
//
// first_product ROWS PER_ROW DISTINCT REPETITIONS STATE...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <switchyard/switchyard.hpp>
#include <vector>

using namespace switchyard;

namespace {

/// Of one repetition, in seconds.
struct Times {
  double whole = 0;
  double converting = 0;
  double sending = 0;
};

/// A band of `per_row` elements in each row, of that many distinct values.
template <Element T>
Storage<T> band(Index rows, Index per_row, int distinct) {
  std::vector<Index> offsets{0};
  std::vector<Column> columns;
  std::vector<T> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < per_row; ++k) {
      const Index column = i + 2 * k - per_row;
      if (column < 0 || column >= rows) continue;
      columns.push_back(static_cast<Column>(column));
      values.push_back(static_cast<T>((i + 7 * k) % distinct + 1));
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  return csr_from_arrays<T>(rows, rows, offsets, std::move(columns), std::move(values));
}

/// One product with a matrix that is new to the runtime.
template <Element T>
Times first_product(const Runtime& runtime, const Storage<T>& source, State state) {
  const std::vector<T> x(static_cast<std::size_t>(cols_of(source)), T{1});
  std::vector<T> y(static_cast<std::size_t>(rows_of(source)));
  const GMatrix<T> matrix = runtime.matrix(transferred(source, plain_host_memory()));
  matrix.pin(state);
  matrix.expect_calls(1);
  static_cast<void>(matrix.plan());
  const auto start = std::chrono::steady_clock::now();
  matrix.multiply(std::span<const T>(x), std::span<T>(y));
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  Times times{.whole = whole.count()};
  for (const Step& step : matrix.history()) {
    const double seconds = step.measured_seconds.value_or(0);
    if (step.kind == StepKind::Convert) times.converting += seconds;
    if (step.kind == StepKind::Transfer) times.sending += seconds;
  }
  return times;
}

double median(const std::vector<Times>& all, double Times::*member) {
  std::vector<double> values;
  for (const Times& times : all) values.push_back(times.*member);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The states take turns, so that what disturbs the machine disturbs all of them.
template <Element T>
void race(const Runtime& runtime, const Storage<T>& source, int repetitions,
          std::span<const State> states) {
  constexpr int unmeasured = 3;  // while kernels are built and buffers allocated
  std::vector<std::vector<Times>> times(states.size());
  for (int i = -unmeasured; i < repetitions; ++i) {
    for (std::size_t k = 0; k < states.size(); ++k) {
      const Times taken = first_product(runtime, source, states[k]);
      if (i >= 0) times[k].push_back(taken);
    }
  }
  for (std::size_t k = 0; k < states.size(); ++k) {
    std::printf("%-6s %-22s %8.3f ms, converting %8.3f, sending %8.3f\n",
                std::string(name(precision_of<T>)).c_str(), name(states[k]).c_str(),
                1e3 * median(times[k], &Times::whole), 1e3 * median(times[k], &Times::converting),
                1e3 * median(times[k], &Times::sending));
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const std::span words(arguments, static_cast<std::size_t>(count));
  if (words.size() < 6) {
    std::fprintf(stderr, "first_product ROWS PER_ROW DISTINCT REPETITIONS STATE...\n");
    return EXIT_FAILURE;
  }
  const auto number = [&](std::size_t i) { return std::max(std::atoi(words[i]), 1); };
  std::vector<State> states;
  for (const char* const word : words.subspan(5)) {
    const auto state = parse_state(word);
    if (!state) throw Error(ErrorCode::InvalidArgument, "there is no such state", word);
    states.push_back(*state);
  }
  const Runtime runtime(RuntimeOptions::from_environment());
  race<float>(runtime, band<float>(number(1), number(2), number(3)), number(4), states);
  race<double>(runtime, band<double>(number(1), number(2), number(3)), number(4), states);
  return EXIT_SUCCESS;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return EXIT_FAILURE;
}
