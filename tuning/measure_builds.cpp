// The kernel programs of a device, built and called for the first time.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <switchyard/backends/operations.hpp>

#include "conversion_walk.hpp"
#include "measure.hpp"
#include "test_vector.hpp"

namespace switchyard {
namespace {

constexpr Index small_size = 64;

/// Each kernel suits one of these, if any on its hardware: a small matrix, and large ones with
/// short rows, with long ones, and with rows of very different lengths.
constexpr std::array examples{
    Structure{.rows = small_size, .cols = small_size, .nnz = small_size, .longest_row = 1},
    Structure{.rows = 1 << 20, .cols = 1 << 20, .nnz = 1 << 23, .longest_row = 8},
    Structure{.rows = 1 << 12, .cols = 1 << 14, .nnz = 1 << 24, .longest_row = 1 << 12},
    Structure{.rows = 1 << 16,
              .cols = 1 << 20,
              .nnz = 1 << 20,
              .longest_row = 1 << 19,
              .row_deviation = 2048},
};

/// Whether the kernel may be wanted for some matrix on this hardware.
template <Element T>
bool suits_any_matrix(const MultiplyOperation<T>& operation, const ExecutorFacts& facts) {
  return std::ranges::any_of(
      examples, [&](const Structure& structure) { return operation.suited(facts, structure); });
}

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

/// The place of a program among those that a device builds: a driver may need longer for all of
/// them than a calibration has. No matrix goes without A x in what it is given in, and other
/// requests lose more without their kernels than A x without other formats.
int urgency(const Program& program) {
  if (is_given(program.format)) return program.is_plain ? 0 : 1;
  return program.is_plain ? 2 : 3;
}

/// A device's kernel programs, each with calls of its kernels: the most urgent first, then in the
/// order of the formats.
template <Element T>
class ProgramCalls {
 public:
  ProgramCalls(Executor& host, Executor& device) : device_(device) {
    if (!device.supports(precision_of<T>)) return;
    const auto& memory = device.memory();
    forms_ = small_forms<T>(host, memory);
    x_ = test_vector<T>(small_size, memory);
    y_ = test_vector<T>(small_size, memory);
    for (const FormatFacts& facts : format_table) add_calls_of(facts.format);
    std::ranges::stable_sort(programs_, {},
                             [](const Calls& calls) { return urgency(calls.program); });
  }
  // The calls refer to this.
  ProgramCalls(const ProgramCalls&) = delete;
  ProgramCalls& operator=(const ProgramCalls&) = delete;

  [[nodiscard]] std::size_t size() const { return programs_.size(); }

  /// The first calls of the i-th program's kernels, if there is one and it is wanted.
  [[nodiscard]] std::vector<KeyedSample> measure(std::size_t i, const Bench& bench,
                                                 const WantedBuild& wanted) const {
    if (i >= size()) return {};
    const auto& [program, calls] = programs_[i];
    if (!wanted(program)) return {};
    if (bench.begins) {
      bench.begins("building " + program.build.variant + ", " + std::string(name(precision_of<T>)));
    }
    const Timing timing = seconds_of_one(bench.instruments, [&calls = calls, this] {
      for (const auto& call : calls) call();
      device_.finish();
    });
    return {{program.build, {Features{}, timing.seconds}, timing.disturbed}};
  }

 private:
  struct Calls {
    Program program;
    std::vector<std::function<void()>> calls = {};
  };

  void add(std::string_view program, Format format, bool is_plain, std::function<void()> call) {
    const ModelKey key = build_key(device_.space(), precision_of<T>, program);
    const auto build_of = [](const Calls& entry) -> const ModelKey& { return entry.program.build; };
    auto entry = std::ranges::find(programs_, key, build_of);
    if (entry == programs_.end()) entry = programs_.insert(entry, {{key, format}});
    entry->program.is_plain |= is_plain && format == entry->program.format;
    entry->calls.push_back(std::move(call));
  }

  /// The multiplications in that format, and the conversions from it and, of formats that were
  /// there before, to it.
  void add_calls_of(Format format) {
    const auto form = forms_.find(format);
    if (form == forms_.end()) return;
    for (const auto& operation : multiply_operations<T>()) {
      const bool is_its = operation.backend == device_.backend() && operation.format == format;
      if (!is_its || !suits_any_matrix(operation, device_.facts())) continue;
      const bool is_plain = operation.computes(Request{});
      add(operation.program, format, is_plain, [this, &operation, &matrix = form->second] {
        operation.run({device_, matrix, T{1}, x_, T{0}, y_});
      });
    }
    for (const auto& operation : convert_operations<T>()) {
      const bool is_its = std::max(operation.from, operation.to) == format;
      const auto from = forms_.find(operation.from);
      if (operation.backend != device_.backend() || !is_its || from == forms_.end()) continue;
      add(operation.program, format, true, [this, &operation, &matrix = from->second] {
        static_cast<void>(operation.run(device_, matrix));
      });
    }
  }

  Executor& device_;
  std::map<Format, Storage<T>> forms_;
  Array<T> x_;
  mutable Array<T> y_;
  std::vector<Calls> programs_;
};

}  // namespace

std::vector<KeyedSample> measure_builds(const Bench& bench, Executor& fresh_device,
                                        const WantedBuild& wanted) {
  const ProgramCalls<float> floats(*bench.executors.front(), fresh_device);
  const ProgramCalls<double> doubles(*bench.executors.front(), fresh_device);
  std::vector<KeyedSample> samples;
  for (std::size_t i = 0; i < std::max(floats.size(), doubles.size()); ++i) {
    for (auto added : {floats.measure(i, bench, wanted), doubles.measure(i, bench, wanted)}) {
      samples.insert(samples.end(), added.begin(), added.end());
    }
  }
  return samples;
}

}  // namespace switchyard
