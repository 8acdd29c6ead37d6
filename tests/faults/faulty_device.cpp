// Steering the layer, and sweeping.
#include "faults/faulty_device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>

#include <cstdlib>
#include <switchyard/containers/log.hpp>

#include "faults/watchdog.hpp"
#include "formats.hpp"
#include "sampling.hpp"

namespace switchyard::testing {
namespace {

constexpr auto layer_file = SWITCHYARD_FAULT_LAYER;

/// Before the loader is first asked for anything.
const bool layer_is_asked_for = ::setenv("OPENCL_LAYERS", layer_file, 1) == 0;

/// What all sweeps of this program have tried.
struct Totals {
  std::int64_t injected = 0;
  std::int64_t right = 0;
  std::int64_t refused = 0;
};
Totals totals;

struct PrintTotals : ::testing::Environment {
  void TearDown() override {
    fmt::print("{{\"faults\": \"all\", \"injected\": {}, \"right\": {}, \"refused\": {}}}\n",
               totals.injected, totals.right, totals.refused);
  }
};
::testing::Environment* const printer = ::testing::AddGlobalTestEnvironment(new PrintTotals);

std::string words(const LiveObjects& live) {
  return fmt::format("contexts {}, queues {}, buffers {}, programs {}, kernels {}, events {}",
                     live.contexts, live.queues, live.buffers, live.programs, live.kernels,
                     live.events);
}

/// Counts how often a device is set aside, while it lives.
class SetAsideCounter {
 public:
  SetAsideCounter() {
    set_log_level(LogLevel::Error);
    set_log_sink([this](LogLevel, std::string_view line) {
      count_ += line.find("is set aside") != std::string_view::npos ? 1 : 0;
    });
  }
  ~SetAsideCounter() {
    set_log_sink([](LogLevel, std::string_view) {});
    set_log_level(LogLevel::Off);
  }
  SetAsideCounter(const SetAsideCounter&) = delete;
  SetAsideCounter& operator=(const SetAsideCounter&) = delete;
  [[nodiscard]] int count() const { return count_; }

 private:
  int count_ = 0;
};

/// Of how many calls one fails: under the sanitizers, which take several times as long, of five.
constexpr std::int64_t stride = is_sampled ? 5 : 1;

/// All codes, or, of a sweep over many calls, one after another: what a code brings about hardly
/// depends on the call that gives it.
std::vector<cl_int> codes_for(const Sweep& sweep, std::int64_t calls, std::int64_t turn) {
  constexpr std::int64_t few = 10;
  if (is_whole() || (calls <= few && !is_sampled)) return sweep.codes;
  return {sweep.codes[static_cast<std::size_t>(turn) % sweep.codes.size()]};
}

struct Run {
  std::int64_t calls = 0;  ///< while the fault was armed
  bool met = false;        ///< a fault
};

Run run_once(const Scenario& scenario, Injection& injection) {
  SCOPED_TRACE(injection.description());
  const Watchdog watchdog(injection.description());
  const SetAsideCounter set_asides;
  try {
    scenario(injection);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "nothing was to be thrown: " << error.what();
  }
  const Run run{fault_layer()->calls(), fault_layer()->faults() > 0};
  EXPECT_EQ(fault_layer()->live().all(), 0) << words(fault_layer()->live());
  fault_layer()->set_plan({});
  EXPECT_LE(set_asides.count(), 1);
  return run;
}

}  // namespace

const FaultLayer* fault_layer() {
  static const FaultLayer* const found = []() -> const FaultLayer* {
    if (!layer_is_asked_for) return nullptr;
    cl_uint platforms = 0;
    static_cast<void>(::clGetPlatformIDs(0, nullptr, &platforms));
    // Only where the loader has it loaded already.
    void* const file = ::dlopen(layer_file, RTLD_NOW | RTLD_NOLOAD);
    void* const entry = file ? ::dlsym(file, "switchyard_fault_layer") : nullptr;
    if (!entry) return nullptr;
    return reinterpret_cast<const FaultLayer* (*)()>(entry)();
  }();
  return found;
}

std::string Injection::description() const {
  if (is_none()) return "without a fault";
  return fmt::format("call {}{}{} fails {} with {}{}", plan_.nth, plan_.only ? " of " : "",
                     plan_.only ? plan_.only : "", plan_.for_ever ? "for ever" : "once", plan_.code,
                     plan_.late ? ", late" : "");
}

bool Injection::try_or(std::initializer_list<ErrorCode> codes, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    EXPECT_FALSE(is_none()) << error.what();
    EXPECT_NE(std::ranges::find(codes, error.code()), codes.end()) << error.what();
    ++outcomes_.refused;
    return false;
  }
}

void sweep(const std::string& name, const Scenario& scenario, const Sweep& sweep) {
  fault_layer()->set_disguise(sweep.disguise);
  Totals here;
  FaultPlan plan{.only = sweep.only, .late = sweep.late};
  Injection none(plan);
  const std::int64_t calls = run_once(scenario, none).calls;
  EXPECT_GT(calls, 0);
  std::int64_t met = 0;
  for (plan.nth = 1; plan.nth <= calls && !::testing::Test::HasFatalFailure(); plan.nth += stride) {
    for (const bool for_ever : {false, true}) {
      for (const cl_int code :
           codes_for(sweep, calls, (plan.nth - 1) / stride + (for_ever ? 1 : 0))) {
        plan.for_ever = for_ever;
        plan.code = code;
        Injection injection(plan);
        const bool is_met = run_once(scenario, injection).met;
        EXPECT_TRUE(is_met || sweep.timed) << "never met: " << injection.description();
        met += is_met ? 1 : 0;
        ++here.injected;
        here.right += injection.outcomes().right;
        here.refused += injection.outcomes().refused;
      }
    }
  }
  EXPECT_GE(2 * met, here.injected) << "most faults were never met";
  fmt::print(
      "{{\"faults\": \"{}\", \"calls\": {}, \"injected\": {}, \"right\": {}, "
      "\"refused\": {}}}\n",
      name, calls, here.injected, here.right, here.refused);
  totals.injected += here.injected;
  totals.right += here.right;
  totals.refused += here.refused;
}

void OnFaultyDevice::SetUp() {
  if (!fault_layer()) GTEST_SKIP() << "this OpenCL loader takes no layers";
  if (Runtime(RuntimeOptions{}).executors().size() < 2) {
    GTEST_SKIP() << "there is no OpenCL device on this machine";
  }
  set_log_sink([](LogLevel, std::string_view) {});
  omp_set_num_threads(1);  // nothing here is large enough for two
}

void OnFaultyDevice::TearDown() {
  if (!fault_layer()) return;
  fault_layer()->set_plan({});
  fault_layer()->set_disguise({});
  set_log_sink({});
}

Profile preferring(const Fingerprint& fingerprint, State preferred, std::string_view variant) {
  constexpr double next_to_nothing = 1e-9;
  std::vector<CostModel> models;
  const auto add = [&](ModelKey key, double seconds) {
    models.push_back(linear_model(std::move(key), seconds, 0));
  };
  const auto add_all = [&]<Element T>(T) {
    for (const auto& operation : multiply_operations<T>()) {
      const bool on_host = operation.backend == Backend::OpenMP;
      const State state{on_host ? Space::host() : Space::device(0), operation.format};
      const bool best = state == preferred && (variant.empty() || variant == operation.variant);
      add(multiply_key(state, operation.request(), precision_of<T>, operation.variant),
          best ? 1e-4 : 1e-2);
    }
    for (const auto& operation : convert_operations<T>()) {
      const Space space = operation.backend == Backend::OpenMP ? Space::host() : Space::device(0);
      add(convert_key(operation.from, operation.to, space, precision_of<T>), next_to_nothing);
    }
  };
  add_all(float{});
  add_all(double{});
  add(transfer_key(Space::host(), Space::device(0)), next_to_nothing);
  add(transfer_key(Space::device(0), Space::host()), next_to_nothing);
  return Profile(fingerprint, std::move(models));
}

Runtime runtime_preferring(State preferred, std::string_view variant) {
  RuntimeOptions options;
  options.reproducible = true;
  Runtime runtime(options);
  runtime.use_profile(preferring(runtime.fingerprint(), preferred, variant));
  return runtime;
}

namespace {

template <Element T>
std::vector<Triplet<T>> triplets_of(const Dense<T>& dense) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < dense.rows; ++i) {
    for (Index j = 0; j < dense.cols; ++j) {
      const T value = dense.values[i * dense.cols + j];
      if (value != T{0}) triplets.push_back({i, j, value});
    }
  }
  return triplets;
}

}  // namespace

template <Element T>
Problem<T>::Problem(Index rows, Index cols, T beta, double density)
    : dense(recoded(random_dense<T>(rows, cols, density, 1), Format::CsrConst)),
      triplets(triplets_of(dense)),
      x(random_vector<T>(cols, 2)),
      y(random_vector<T>(rows, 3)),
      beta(beta),
      expected(reference_multiply<T>(storage(Format::Csr), alpha, x, beta, y)) {}

template <Element T>
Storage<T> Problem<T>::storage(Format format) const {
  if (format == Format::Dense)
    return Dense<T>{dense.rows, dense.cols, copy_of(dense.values.span())};
  return in_format<T>(csr_from_triplets<T>(dense.rows, dense.cols, triplets), format);
}

template <Element T>
void Problem<T>::expect_product(std::span<const T> got) const {
  EXPECT_LE(worst_error<T>(expected, got), 1);
}

template <Element T>
void Problem<T>::expect_product_with(std::span<const T> other_x, std::span<const T> got) const {
  const auto rows = reference_multiply<T>(storage(Format::Csr), alpha, other_x, T{0}, {});
  EXPECT_LE(worst_error<T>(rows, got), 1);
}

template struct Problem<float>;
template struct Problem<double>;

}  // namespace switchyard::testing
