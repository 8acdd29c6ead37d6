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
#include "test_vector.hpp"
#include "turns.hpp"

namespace switchyard {
namespace {

/// What takes longer is timed a few times only: it averages over disturbances by itself, and the
/// largest matrices would otherwise take most of the time of a calibration. With all of the usual
/// time.
constexpr double long_seconds = 0.02;

/// For what allocates its result anew, as a move or a conversion in a plan does: memory that was
/// used before where the process keeps some of that size, as one that has run for a while does.
constexpr Patience few_and_single{.least_repetitions = 3,
                                  .most_repetitions = 9,
                                  .seconds = 0.02,
                                  .batch_seconds = 0,
                                  .slow_seconds = long_seconds};

/// Whether the error says that something is too large, and nothing else.
bool is_too_large(const Error& error) {
  return error.code() == ErrorCode::OutOfMemory || error.code() == ErrorCode::OutOfRange;
}

/// One matrix in several formats.
template <Element T>
using Forms = std::map<Format, Storage<T>>;

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

  /// `elsewhere`: the matrix in formats that may have no conversion here and are transferred.
  std::vector<KeyedSample> run(const Storage<T>& csr, const Forms<T>& elsewhere = {}) {
    forms_.emplace(Format::Csr, transferred(csr, executor_.memory()));
    walk_conversions<T>(convert_operations<T>(), executor_.backend(),
                        [this](const ConvertOperation<T>& operation) {
                          return unless_too_large([&] { return convert(operation); });
                        });
    for (const auto& form : elsewhere) {
      unless_too_large([&] { return transfer(form.first, form.second); });
    }
    for (const Request& request : requests_on(experiment_, turn_, structure_)) multiply_by(request);
    return std::move(samples_);
  }

  [[nodiscard]] Forms<T> forms() && { return std::move(forms_); }

  /// The time of the fastest product, for each column.
  [[nodiscard]] double fastest() const { return fastest_; }

  /// What is far slower than a product that takes so long, elsewhere, need not be known well.
  void compare_with(double seconds) { fastest_ = std::min(fastest_, seconds); }

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

  [[nodiscard]] bool is_built(std::string_view program) const {
    return program.empty() || !bench_.built ||
           bench_.built->contains(build_key(executor_.space(), precision_of<T>, program));
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
    if (!is_built(operation.program)) return false;
    const Storage<T>& from = forms_.find(operation.from)->second;
    Timing first;
    if (!forms_.contains(operation.to)) {
      if (!is_needed(operation.to) || !is_worth_having(operation.to)) return false;
      first = seconds_of_one(bench_.instruments, [&] {
        forms_.emplace(operation.to, operation.run(executor_, from));
        executor_.finish();
      });
    }
    const ModelKey key =
        convert_key(operation.from, operation.to, executor_.space(), precision_of<T>);
    if (!is_wanted(key) || !is_its_turn(operation.from) || !is_its_turn(operation.to)) return true;
    // Few repetitions: each allocates its result anew, as a conversion in a plan does.
    Timing timing = typical_seconds(
        bench_.instruments, few_and_single.hurried(bench_.patience),
        [&] {
          const Storage<T> made = operation.run(executor_, from);
          executor_.finish();
        },
        [] {});
    // A plan converts once, when threads sleep and memory is new. On a device the first time may
    // build the kernel.
    const bool counts = executor_.space().is_host() && !first.disturbed && !first.waited;
    if (counts) timing.seconds = std::max(timing.seconds, first.seconds);
    add(key, convert_features(operation.from, operation.to, structure_, precision_of<T>), timing);
    return true;
  }

  /// Whether the matrix is in that format afterwards, for products only.
  bool transfer(Format format, const Storage<T>& form) {
    const auto multiplies = [&](const MultiplyOperation<T>& operation) {
      return operation.format == format && operation.backend == executor_.backend() &&
             is_built(operation.program);
    };
    if (forms_.contains(format) || !is_its_turn(format) || !is_worth_having(format)) return false;
    if (std::ranges::none_of(multiply_operations<T>(), multiplies)) return false;
    forms_.emplace(format, transferred(form, executor_.memory()));
    return true;
  }

  /// What scatters and many columns are measured where the matrix may be given so, and of CSC.
  [[nodiscard]] static bool is_worth_measuring(const MultiplyOperation<T>& operation) {
    if (is_given(operation.format)) return true;
    const bool many_measured = operation.format == Format::Csc;
    return operation.operand == gathered_operand(operation.format) &&
           (!operation.many_columns || many_measured);
  }

  void multiply_by(const Request& request) {
    std::vector<const MultiplyOperation<T>*> operations;
    for (const MultiplyOperation<T>& operation : multiply_operations<T>()) {
      const bool possible = operation.computes(request) && is_worth_measuring(operation) &&
                            operation.backend == executor_.backend() &&
                            forms_.contains(operation.format) && is_built(operation.program) &&
                            operation.suited(executor_.facts(), structure_);
      if (possible) operations.push_back(&operation);
    }
    if (operations.empty()) return;
    unless_too_large([&] {
      const auto x =
          test_vector<T>(x_size(request, structure_.rows, structure_.cols), executor_.memory());
      auto y =
          test_vector<T>(y_size(request, structure_.rows, structure_.cols), executor_.memory());
      for (const auto* const operation : operations) {
        unless_too_large([&] {
          multiply(*operation, x, y, request);
          return true;
        });
      }
      return true;
    });
  }

  void multiply(const MultiplyOperation<T>& operation, const Array<T>& x, Array<T>& y,
                const Request& request) {
    const Storage<T>& matrix = forms_.find(operation.format)->second;
    const State state{executor_.space(), operation.format};
    const ModelKey key =
        multiply_key(state, operation.request(), precision_of<T>, operation.variant);
    if (!is_wanted(key) || !is_its_turn(operation.format)) return;
    // Long batches: a device may take turns between a quick and a slow way of starting short work
    // (on PoCL, 6 and 28 us), and a program that multiplies in a loop gets the mean of them.
    Patience patience{.batch_seconds = executor_.space().is_host() ? 2e-4 : 1e-3};
    const auto columns = static_cast<double>(request.columns);
    patience.slow_seconds =
        std::min(far_from_best * columns * fastest_, long_seconds * bench_.patience);
    Timing timing = typical_seconds(
        bench_.instruments, patience.hurried(bench_.patience),
        [&] {
          operation.run({executor_, matrix, T{1}, x, T{0}, y, Threads::All, request.columns});
        },
        [&] { executor_.finish(); });
    // Several threads are never that much slower than one on a machine of their own.
    const std::pair kind{operation.format, request};
    if (operation.threads == Threads::One) one_thread_[kind] = timing.seconds;
    const auto one_thread = one_thread_.find(kind);
    timing.disturbed |= timing.waited && operation.threads != Threads::One &&
                        one_thread != one_thread_.end() &&
                        timing.seconds > impossible_slowdown * one_thread->second;
    if (timing.seconds > 0) fastest_ = std::min(fastest_, timing.seconds / columns);
    add(key, multiply_features(state.format, structure_, precision_of<T>, request), timing);
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
  double fastest_ = std::numeric_limits<double>::infinity();  // multiply on this matrix
  std::map<std::pair<Format, Request>, double>
      one_thread_;  // seconds of the multiply of one thread
  std::vector<KeyedSample> samples_;
  Forms<T> forms_;
};

void warn(const Executor& executor, const Error& error) {
  log(LogLevel::Warning, "calibrating " + name(executor.space()) + ": " + error.what());
}

}  // namespace

template <Element T>
std::vector<KeyedSample> measure_matrix(const Bench& bench, const MatrixExperiment& experiment,
                                        WantedKeys wanted) {
  std::vector<KeyedSample> samples;
  const auto is_meant = [&](const auto& executor) {
    return executor->supports(precision_of<T>) &&
           (!experiment.for_gpus || executor->facts().is_gpu);
  };
  if (std::ranges::none_of(bench.executors, is_meant)) return samples;
  const Storage<T> csr = matrix_of<T>(experiment);
  const Structure structure = structure_of(std::get<Csr<T>>(csr));
  const std::set<ModelKey> nothing;
  Forms<T> on_host;
  double fastest_on_host = std::numeric_limits<double>::infinity();
  for (const auto& executor : bench.executors) {
    const bool is_host = executor->space().is_host();
    const bool is_measured = is_meant(executor);
    if (!is_measured && !is_host) continue;
    try {
      // On the host the formats are made for devices even where nothing is measured.
      SpaceExperiment<T> here(bench, *executor, experiment, structure,
                              is_measured ? wanted : &nothing);
      // Kernels for GPUs may take a hundred times as long on the host's own processors.
      if (!executor->facts().is_gpu) here.compare_with(fastest_on_host);
      const auto added = here.run(csr, on_host);
      samples.insert(samples.end(), added.begin(), added.end());
      if (!is_host) continue;
      fastest_on_host = here.fastest();
      on_host = std::move(here).forms();
    } catch (const Error& error) {
      if (is_measured) warn(*executor, error);
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

template std::vector<KeyedSample> measure_matrix<float>(const Bench&, const MatrixExperiment&,
                                                        WantedKeys);
template std::vector<KeyedSample> measure_matrix<double>(const Bench&, const MatrixExperiment&,
                                                         WantedKeys);

}  // namespace switchyard
