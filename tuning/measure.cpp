// From operations to samples.
#include "measure.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/log.hpp>

#include "conversion_walk.hpp"
#include "turns.hpp"

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

/// Whether the error says that something is too large, and nothing else.
bool is_too_large(const Error& error) {
  return error.code() == ErrorCode::OutOfMemory || error.code() == ErrorCode::OutOfRange;
}

/// One matrix in every format of one space, and what is measured on it.
template <Element T>
class SpaceExperiment {
 public:
  SpaceExperiment(const Bench& bench, Executor& executor, const MatrixExperiment& experiment,
                  const Structure& structure, WantedKeys wanted)
      : bench_(bench),
        executor_(executor),
        experiment_(experiment),
        structure_(structure),
        turn_(turn_of(experiment, structure, precision_of<T>)),
        wanted_(wanted) {}

  std::vector<KeyedSample> run(const Storage<T>& csr) {
    forms_.emplace(Format::Csr, transferred(csr, executor_.memory()));
    walk_conversions<T>(convert_operations<T>(), executor_.backend(),
                        [this](const ConvertOperation<T>& operation) {
                          return unless_too_large([&] { return convert(operation); });
                        });
    for (const Operand operand : {Operand::Matrix, Operand::Transpose}) multiply_by(operand);
    return std::move(samples_);
  }

 private:
  /// What `action` answers; false where it does not fit into the memory.
  template <class Action>
  bool unless_too_large(Action&& action) {
    try {
      return action();
    } catch (const Error& error) {
      if (!is_too_large(error)) throw;
      return false;
    }
  }

  [[nodiscard]] bool is_wanted(const ModelKey& key) const {
    return !wanted_ || wanted_->contains(key);
  }

  /// Of the formats that are made by conversion, few are measured on each matrix.
  [[nodiscard]] bool is_its_turn(Format format) const {
    return is_given(format) || std::ranges::find(turn_.formats, format) != turn_.formats.end();
  }

  /// Whether its turn has come, or other formats are made from it.
  [[nodiscard]] bool is_needed(Format format) const {
    return is_its_turn(format) ||
           std::ranges::any_of(convert_operations<T>(), [&](const ConvertOperation<T>& operation) {
             return operation.backend == executor_.backend() && operation.from == format &&
                    !is_given(operation.to);
           });
  }

  /// Half of what is left, as a conversion needs room for its own work too.
  [[nodiscard]] bool is_worth_having(Format format) const {
    const double bytes = bytes_in(format, structure_, size_of(precision_of<T>));
    const auto left = static_cast<double>(executor_.memory()->available());
    return fits(experiment_, format, structure_, precision_of<T>) && bytes <= left / 2;
  }

  /// Whether the matrix is in the target format afterwards.
  bool convert(const ConvertOperation<T>& operation) {
    const Storage<T>& from = forms_.find(operation.from)->second;
    if (!forms_.contains(operation.to)) {
      if (!is_needed(operation.to) || !is_worth_having(operation.to)) return false;
      forms_.emplace(operation.to, operation.run(executor_, from));
    }
    const ModelKey key =
        convert_key(operation.from, operation.to, executor_.space(), precision_of<T>);
    if (!is_wanted(key) || !is_its_turn(operation.from) || !is_its_turn(operation.to)) return true;
    // Few repetitions: each allocates its result anew, as a conversion in a plan does.
    const Timing timing = typical_seconds(
        bench_.instruments, few_and_single.hurried(bench_.patience),
        [&] {
          const Storage<T> made = operation.run(executor_, from);
          executor_.finish();
        },
        [] {});
    add(key, convert_features(operation.from, operation.to, structure_, precision_of<T>), timing);
    return true;
  }

  void multiply_by(Operand operand) {
    std::vector<const MultiplyOperation<T>*> operations;
    for (const MultiplyOperation<T>& operation : multiply_operations<T>()) {
      const bool possible =
          operation.operand == operand && operation.backend == executor_.backend() &&
          forms_.contains(operation.format) && operation.suited(executor_.facts(), structure_);
      if (possible) operations.push_back(&operation);
    }
    if (operations.empty()) return;
    const Request request{.operand = operand};
    const auto x =
        test_vector<T>(x_rows(request, structure_.rows, structure_.cols), executor_.memory());
    auto y = test_vector<T>(y_rows(request, structure_.rows, structure_.cols), executor_.memory());
    for (const auto* const operation : operations) {
      unless_too_large([&] {
        multiply(*operation, x, y);
        return true;
      });
    }
  }

  void multiply(const MultiplyOperation<T>& operation, const Array<T>& x, Array<T>& y) {
    const Storage<T>& matrix = forms_.find(operation.format)->second;
    const State state{executor_.space(), operation.format};
    const ModelKey key =
        multiply_key(state, {operation.operand, 1}, precision_of<T>, operation.variant);
    if (!is_wanted(key) || !is_its_turn(operation.format)) return;
    // Long batches: a device may take turns between a quick and a slow way of starting short work
    // (on PoCL, 6 and 28 us), and a program that multiplies in a loop gets the mean of them.
    Patience patience{.batch_seconds = executor_.space().is_host() ? 2e-4 : 1e-3};
    patience.slow_seconds = far_from_best * fastest_;
    Timing timing = typical_seconds(
        bench_.instruments, patience.hurried(bench_.patience),
        [&] {
          operation.run({executor_, matrix, T{1}, x, T{0}, y});
        },
        [&] { executor_.finish(); });
    // Several threads are never that much slower than one on a machine of their own.
    if (operation.threads == Threads::One) one_thread_[operation.format] = timing.seconds;
    const auto one_thread = one_thread_.find(operation.format);
    timing.disturbed |= timing.waited && operation.threads != Threads::One &&
                        one_thread != one_thread_.end() &&
                        timing.seconds > impossible_slowdown * one_thread->second;
    if (timing.seconds > 0) fastest_ = std::min(fastest_, timing.seconds);
    add(key, multiply_features(state.format, structure_, precision_of<T>), timing);
  }

  void add(const ModelKey& key, const Features& features, const Timing& timing) {
    samples_.push_back({key, {features, timing.seconds}, timing.disturbed});
  }

  /// A kernel that is slower than the fastest one by this factor need not be known well.
  static constexpr double far_from_best = 4;
  /// Waking threads takes some microseconds, and some more where they sleep.
  static constexpr double impossible_slowdown = 3;

  const Bench& bench_;
  Executor& executor_;
  const MatrixExperiment& experiment_;
  const Structure& structure_;
  Turn turn_;
  WantedKeys wanted_;
  double fastest_ = std::numeric_limits<double>::infinity();  // multiply on this matrix here
  std::map<Format, double> one_thread_;  // seconds of the multiply of one thread
  std::vector<KeyedSample> samples_;
  std::map<Format, Storage<T>> forms_;
};

/// A small matrix of one value in every format that the host can make of CSR, in `memory`.
template <Element T>
std::map<Format, Storage<T>> small_forms(Executor& host,
                                         const std::shared_ptr<MemorySpace>& memory) {
  std::map<Format, Storage<T>> forms;
  forms.emplace(
      Format::Csr,
      generate<T>(
          {.kind = MatrixKind::Uniform, .rows = small_size, .density = 0.2, .distinct_values = 1}));
  walk_conversions<T>(convert_operations<T>(), host.backend(),
                      [&](const ConvertOperation<T>& operation) {
                        const Storage<T>& from = forms.find(operation.from)->second;
                        if (!forms.contains(operation.to)) {
                          forms.emplace(operation.to, operation.run(host, from));
                        }
                        return true;
                      });
  for (auto& [format, form] : forms) form = transferred(form, memory);
  return forms;
}

void warn(const Executor& executor, const Error& error) {
  log(LogLevel::Warning, "calibrating " + name(executor.space()) + ": " + error.what());
}

}  // namespace

template <Element T>
std::vector<KeyedSample> measure_matrix(const Bench& bench, const MatrixExperiment& planned,
                                        WantedKeys wanted) {
  const MatrixExperiment experiment = with_values_for_turn(planned);
  std::vector<KeyedSample> samples;
  const Storage<T> csr = matrix_of<T>(experiment);
  const Structure structure = structure_of(std::get<Csr<T>>(csr));
  for (const auto& executor : bench.executors) {
    if (!executor->supports(precision_of<T>)) continue;
    if (experiment.for_gpus && !executor->facts().is_gpu) continue;
    try {
      const auto added =
          SpaceExperiment<T>(bench, *executor, experiment, structure, wanted).run(csr);
      samples.insert(samples.end(), added.begin(), added.end());
    } catch (const Error& error) {
      warn(*executor, error);
    }
  }
  return samples;
}

std::vector<KeyedSample> measure_transfers(const Bench& bench, Executor& device, Index bytes,
                                           WantedKeys wanted) {
  std::vector<KeyedSample> samples;
  const auto here = test_vector<float>(std::max<Index>(bytes / 4, 1), plain_host_memory());
  Array<float> back(here.size());
  const auto size = static_cast<double>(here.bytes());
  const Patience patience{
      .least_repetitions = 3, .most_repetitions = 25, .seconds = 0.04, .batch_seconds = 0};
  const auto take = [&](const ModelKey& key, const Patience& usual,
                        const std::function<void()>& transfer) {
    if (wanted && !wanted->contains(key)) return;
    const Timing timing =
        typical_seconds(bench.instruments, usual.hurried(bench.patience), transfer, [] {});
    samples.push_back({key, {transfer_features(size), timing.seconds}, timing.disturbed});
  };
  const auto sample = [&](Space from, Space to, const std::function<void()>& transfer) {
    take(transfer_key(from, to), patience, transfer);
  };
  const auto sample_new = [&](Space from, Space to, const std::function<void()>& transfer) {
    take(transfer_key(from, to, new_memory), few_and_single, transfer);
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
    const auto form = forms.find(operation.format);
    if (form == forms.end()) continue;
    first_calls[std::string(operation.program)].push_back([&, form] {
      operation.run({fresh_device, form->second, T{1}, x, T{0}, y});
    });
  }
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != fresh_device.backend()) continue;
    const auto form = forms.find(operation.from);
    if (form == forms.end()) continue;
    first_calls[std::string(operation.program)].push_back(
        [&, form] { static_cast<void>(operation.run(fresh_device, form->second)); });
  }
  for (const auto& entry : first_calls) {
    const std::string& program = entry.first;
    const auto& calls = entry.second;
    if (bench.begins) {
      bench.begins("building " + program + ", " + std::string(name(precision_of<T>)));
    }
    const Timing timing = seconds_of_one(bench.instruments, [&] {
      for (const auto& call : calls) call();
      fresh_device.finish();
    });
    samples.push_back({build_key(fresh_device.space(), precision_of<T>, program),
                       {Features{}, timing.seconds},
                       timing.disturbed});
  }
  return samples;
}

template std::vector<KeyedSample> measure_matrix<float>(const Bench&, const MatrixExperiment&,
                                                        WantedKeys);
template std::vector<KeyedSample> measure_matrix<double>(const Bench&, const MatrixExperiment&,
                                                         WantedKeys);
template std::vector<KeyedSample> measure_builds<float>(const Bench&, Executor&);
template std::vector<KeyedSample> measure_builds<double>(const Bench&, Executor&);

}  // namespace switchyard
