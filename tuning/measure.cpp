// From operations to samples.
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/log.hpp>
#include <thread>

namespace switchyard {
namespace {

constexpr Index small_size = 64;

/// For what allocates its result anew, as a move or a conversion in a plan does: memory that was
/// used before where the process keeps some of that size, as one that has run for a while does.
constexpr Patience few_and_single{
    .least_repetitions = 3, .most_repetitions = 9, .seconds = 0.02, .batch_seconds = 0};

/// A vector of numbers that are not constant, as products on constants can be faster.
template <Element T>
Array<T> test_vector(Index size, const std::shared_ptr<MemorySpace>& memory) {
  Array<T> values(size);
  for (Index i = 0; i < size; ++i) values[i] = static_cast<T>(1 + (i * 37 % 101)) / T{64};
  return transferred(values, memory);
}

/// One matrix in every format of one space, and what is measured on it.
template <Element T>
class SpaceExperiment {
 public:
  SpaceExperiment(const Bench& bench, Executor& executor, const Structure& structure,
                  std::vector<KeyedSample>& samples)
      : bench_(bench), executor_(executor), structure_(structure), samples_(samples) {}

  void run(const Storage<T>& csr, bool dense) {
    // OpenMP's threads spin for a few milliseconds after their last work; a device that computes on
    // the same processors would be measured without them.
    if (!executor_.space().is_host()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    forms_.emplace(Format::Csr, transferred(csr, executor_.memory()));
    if (dense) {
      for (const auto& operation : convert_operations<T>()) convert(operation);
    }
    const auto x = test_vector<T>(structure_.cols, executor_.memory());
    auto y = test_vector<T>(structure_.rows, executor_.memory());
    for (const auto& operation : multiply_operations<T>()) multiply(operation, x, y);
  }

 private:
  /// Conversions out of the forms that are there; the table is gone through in its order until
  /// nothing new can be reached, so that a format that is two steps away is reached as well.
  void convert(const ConvertOperation<T>& operation) {
    if (operation.backend != executor_.backend()) return;
    if (!forms_.contains(operation.from)) {
      const auto* const way = find_convert<T>(Format::Csr, operation.from, executor_.backend());
      if (!way) return;
      forms_.emplace(operation.from, way->run(executor_, forms_.at(Format::Csr)));
    }
    const Storage<T>& from = forms_.at(operation.from);
    // Few repetitions: each allocates its result anew, as a conversion in a plan does.
    const double seconds = typical_seconds(
        bench_.clock, few_and_single.hurried(bench_.patience),
        [&] {
          const Storage<T> made = operation.run(executor_, from);
          executor_.finish();
        },
        [] {});
    samples_.push_back(
        {convert_key(operation.from, operation.to, executor_.space(), precision_of<T>),
         {convert_features(operation.from, operation.to, structure_, precision_of<T>), seconds}});
  }

  void multiply(const MultiplyOperation<T>& operation, const Array<T>& x, Array<T>& y) {
    if (operation.backend != executor_.backend() || !forms_.contains(operation.format)) return;
    if (!operation.suited(executor_.facts(), structure_)) return;
    const Storage<T>& matrix = forms_.at(operation.format);
    // Long batches: a device may take turns between a quick and a slow way of starting short work
    // (on PoCL, 6 and 28 us), and a program that multiplies in a loop gets the mean of them.
    const Patience patience{.batch_seconds = executor_.space().is_host() ? 2e-4 : 1e-3};
    const double seconds = typical_seconds(
        bench_.clock, patience.hurried(bench_.patience),
        [&] {
          operation.run({executor_, matrix, T{1}, x, T{0}, y});
        },
        [&] { executor_.finish(); });
    const State state{executor_.space(), operation.format};
    samples_.push_back({multiply_key(state, precision_of<T>, operation.variant),
                        {multiply_features(state.format, structure_, precision_of<T>), seconds}});
  }

  const Bench& bench_;
  Executor& executor_;
  const Structure& structure_;
  std::vector<KeyedSample>& samples_;
  std::map<Format, Storage<T>> forms_;
};

/// A small matrix in every format that the host can make of CSR, in `memory`.
template <Element T>
std::map<Format, Storage<T>> small_forms(Executor& host,
                                         const std::shared_ptr<MemorySpace>& memory) {
  const Storage<T> csr =
      generate<T>({.kind = MatrixKind::Uniform, .rows = small_size, .density = 0.2});
  std::map<Format, Storage<T>> forms;
  forms.emplace(Format::Csr, transferred(csr, memory));
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != host.backend() || operation.from != Format::Csr) continue;
    forms.emplace(operation.to, transferred(operation.run(host, csr), memory));
  }
  return forms;
}

void warn(const Executor& executor, const Error& error) {
  log(LogLevel::Warning, "calibrating " + name(executor.space()) + ": " + error.what());
}

}  // namespace

template <Element T>
std::vector<KeyedSample> measure_matrix(const Bench& bench, const MatrixExperiment& experiment) {
  std::vector<KeyedSample> samples;
  const Storage<T> csr = matrix_of<T>(experiment);
  const Structure structure = structure_of(std::get<Csr<T>>(csr));
  for (const auto& executor : bench.executors) {
    if (!executor->supports(precision_of<T>)) continue;
    if (experiment.for_gpus && !executor->facts().is_gpu) continue;
    try {
      SpaceExperiment<T>(bench, *executor, structure, samples).run(csr, experiment.dense);
    } catch (const Error& error) {
      warn(*executor, error);
    }
  }
  return samples;
}

std::vector<KeyedSample> measure_transfers(const Bench& bench, Executor& device, Index bytes) {
  std::vector<KeyedSample> samples;
  const auto here = test_vector<float>(std::max<Index>(bytes / 4, 1), plain_host_memory());
  Array<float> back(here.size());
  const auto size = static_cast<double>(here.bytes());
  const Patience patience{
      .least_repetitions = 5, .most_repetitions = 25, .seconds = 0.04, .batch_seconds = 0};
  const auto sample = [&](Space from, Space to, const std::function<void()>& transfer) {
    const double seconds =
        typical_seconds(bench.clock, patience.hurried(bench.patience), transfer, [] {});
    samples.push_back({transfer_key(from, to), {transfer_features(size), seconds}});
  };
  const auto sample_new = [&](Space from, Space to, const std::function<void()>& transfer) {
    const double seconds =
        typical_seconds(bench.clock, few_and_single.hurried(bench.patience), transfer, [] {});
    samples.push_back({transfer_key(from, to, new_memory), {transfer_features(size), seconds}});
  };
  MemorySpace& memory = *device.memory();
  try {
    const auto there = transferred(here, device.memory());
    sample(Space::host(), device.space(), [&] {
      memory.copy_in(there.handle(), 0, here.handle(), here.bytes());
      device.finish();
    });
    sample(device.space(), Space::host(),
           [&] { memory.copy_out(back.handle(), there.handle(), 0, there.bytes()); });
    const auto& host = bench.executors.front()->memory();
    sample_new(host->space(), device.space(), [&] {
      static_cast<void>(transferred(here, device.memory()));
      device.finish();
    });
    sample_new(device.space(), host->space(), [&] { static_cast<void>(transferred(there, host)); });
  } catch (const Error& error) {
    warn(device, error);
  }
  return samples;
}

template <Element T>
std::vector<KeyedSample> measure_builds(const Bench& bench, Executor& fresh_device) {
  std::vector<KeyedSample> samples;
  if (!fresh_device.supports(precision_of<T>)) return samples;
  const auto& memory = fresh_device.memory();
  const auto forms = small_forms<T>(*bench.executors.front(), memory);
  const auto x = test_vector<T>(small_size, memory);
  auto y = test_vector<T>(small_size, memory);

  // Whatever suits the easiest of all matrices may be wanted some day.
  const Structure diagonal{
      .rows = small_size, .cols = small_size, .nnz = small_size, .longest_row = 1};
  std::map<std::string, std::vector<std::function<void()>>, std::less<>> first_calls;
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != fresh_device.backend()) continue;
    if (!operation.suited(fresh_device.facts(), diagonal)) continue;
    first_calls[std::string(operation.program)].push_back([&] {
      operation.run({fresh_device, forms.at(operation.format), T{1}, x, T{0}, y});
    });
  }
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != fresh_device.backend()) continue;
    first_calls[std::string(operation.program)].push_back(
        [&] { static_cast<void>(operation.run(fresh_device, forms.at(operation.from))); });
  }
  for (const auto& [program, calls] : first_calls) {
    const double start = bench.clock();
    for (const auto& call : calls) call();
    fresh_device.finish();
    samples.push_back({build_key(fresh_device.space(), precision_of<T>, program),
                       {Features{}, bench.clock() - start}});
  }
  return samples;
}

template std::vector<KeyedSample> measure_matrix<float>(const Bench&, const MatrixExperiment&);
template std::vector<KeyedSample> measure_matrix<double>(const Bench&, const MatrixExperiment&);
template std::vector<KeyedSample> measure_builds<float>(const Bench&, Executor&);
template std::vector<KeyedSample> measure_builds<double>(const Bench&, Executor&);

}  // namespace switchyard
