// What deciding costs: a remembered decision, a new plan, and the first look at a matrix.
#include <benchmark/benchmark.h>

#include <limits>
#include <switchyard/backends/operations.hpp>
#include <switchyard/core/dispatcher.hpp>
#include <switchyard/core/planner.hpp>
#include <switchyard/switchyard.hpp>

using namespace switchyard;

namespace {

/// A product so small that what remains is the decision.
void small_product(benchmark::State& state) {
  const Runtime runtime;
  const auto matrix = runtime.matrix(generate<float>({.rows = 1}));
  const Vector<float> x(1, 1.0F);
  Vector<float> y(1);
  matrix.pin({Space::host(), Format::Csr});
  for (int i = 0; i < 100; ++i) matrix.multiply(x, y);
  for (auto _ : state) matrix.multiply(x, y);
}
BENCHMARK(small_product)->Name("remembered decision and a 1 x 1 product");

/// The product alone, by the kernel that the decision above comes to.
void small_kernel(benchmark::State& state) {
  const Runtime runtime;
  Executor& host = *runtime.executor(Space::host());
  const Storage<float> matrix = generate<float>({.rows = 1});
  const auto* const kernel = find_multiply<float>(Format::Csr, Backend::OpenMP, "serial");
  const Array<float> x(std::vector<float>{1});
  Array<float> y(1);
  for (auto _ : state) kernel->run({host, matrix, 1.0F, x, 0.0F, y});
}
BENCHMARK(small_kernel)->Name("a 1 x 1 product by its kernel");

/// Pricing the yard and finding the shortest path, the structure being known.
void new_plan(benchmark::State& state) {
  const Runtime runtime;
  const auto matrix = runtime.matrix(generate<float>({.rows = 1000}));
  for (auto _ : state) benchmark::DoNotOptimize(matrix.plan());
  state.counters["states"] = static_cast<double>(matrix.plan().yard.nodes.size());
}
BENCHMARK(new_plan)->Name("new plan");

/// A square CSR matrix with 5 nonzeros for each row.
Csr<float> five_for_each_row(Index nonzeros) {
  const Index rows = nonzeros / 5;
  return generate<float>({.rows = rows, .density = 5 / static_cast<double>(rows)});
}

/// What a new matrix costs before its first plan: its structure, the slots of all formats included.
void first_look(benchmark::State& state) {
  const Csr<float> matrix = five_for_each_row(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(structure_of(matrix));
}
BENCHMARK(first_look)
    ->Name("first look, nonzeros")
    ->Arg(5'000)
    ->Arg(300'000)
    ->Arg(5'000'000)
    ->Unit(benchmark::kMicrosecond);

/// One format's part of it.
void first_look_at(benchmark::State& state, Format format) {
  const Csr<float> matrix = five_for_each_row(state.range(0));
  const RowView rows = rows_of_matrix(matrix);
  const Structure structure = structure_of(matrix);
  for (auto _ : state) benchmark::DoNotOptimize(facts_of(format).slots(structure, &rows));
}

/// A machine of so many states: dense and CSR on the host and on devices, each with three kernels,
/// the conversions between the two, and transfers.
struct Machine {
  explicit Machine(int states) {
    const int spaces = states / 2;
    std::vector<CostModel> models;
    for (int k = 0; k < spaces; ++k) add_space(k, models);
    profile = Profile({}, std::move(models));
    situation.structure = even_structure<float>(10'000, 10'000, 0.01);
    situation.valid = {{Space::host(), Format::Csr}};
  }

  Situation situation;
  Profile profile;

 private:
  static CostModel model(ModelKey key, double seconds, double seconds_per_byte) {
    CostModel model;
    model.key = std::move(key);
    ModelTier tier;
    tier.up_to_bytes = std::numeric_limits<double>::infinity();
    tier.polynomial.terms = {Term::of({}, seconds), Term::of({Quantity::Bytes}, seconds_per_byte)};
    tier.highest.values.fill(1e15);
    model.tiers = {tier};
    model.quality.p95_error = 0.2;
    return model;
  }

  void add_space(int k, std::vector<CostModel>& models) {
    const Space space = k == 0 ? Space::host() : Space::device(k - 1);
    constexpr Precision precision = Precision::Float;
    // Devices that are ever faster and ever farther, so that there is something to decide.
    const double per_byte = 1e-10 / (1 + k);
    SpaceOutlook outlook{.space = space, .capacity_bytes = 1e15};
    for (const Format format : {Format::Dense, Format::Csr}) {
      for (const std::string_view variant : {"first", "second", "third"}) {
        outlook.multiplies.push_back({format, variant, "program"});
        models.push_back(model(multiply_key({space, format}, precision, variant), 1e-6, per_byte));
      }
    }
    outlook.conversions = {{Format::Dense, Format::Csr, "program"},
                           {Format::Csr, Format::Dense, "program"}};
    models.push_back(model(convert_key(Format::Dense, Format::Csr, space, precision), 1e-5, 1e-9));
    models.push_back(model(convert_key(Format::Csr, Format::Dense, space, precision), 1e-5, 1e-9));
    situation.spaces.push_back(std::move(outlook));
    if (k == 0) return;
    models.push_back(model(transfer_key(Space::host(), space), 1e-5, 1e-10 * (1 + k)));
    models.push_back(model(transfer_key(space, Space::host()), 1e-5, 1e-10 * (1 + k)));
  }
};

void price(benchmark::State& state) {
  const Machine machine(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(price_yard(machine.situation, machine.profile));
  }
}
BENCHMARK(price)->Name("price the yard, states")->Arg(4)->Arg(20)->Arg(60);

/// The plan after so many calls, with a hint of a thousand more or without.
void decide(benchmark::State& state, Index calls, bool hinted) {
  Machine machine(static_cast<int>(state.range(0)));
  Dispatcher dispatcher;
  dispatcher.begin(machine.situation.valid);
  if (hinted) dispatcher.expect_calls(calls + 1000);
  machine.situation.horizon = dispatcher.horizon();
  dispatcher.follow(dispatcher.decide(price_yard(machine.situation, machine.profile)));
  for (Index call = 0; call < calls; ++call) {
    dispatcher.note_product({Space::host(), Format::Csr}, "first");
  }
  machine.situation.horizon = dispatcher.horizon();
  for (auto _ : state) {
    benchmark::DoNotOptimize(dispatcher.decide(price_yard(machine.situation, machine.profile)));
  }
}
BENCHMARK_CAPTURE(decide, hinted, 0, true)
    ->Name("new plan with a hint, states")
    ->Arg(4)
    ->Arg(20)
    ->Arg(60);
BENCHMARK_CAPTURE(decide, unhinted_first, 0, false)
    ->Name("new plan without a hint, first call, states")
    ->Arg(4)
    ->Arg(20)
    ->Arg(60);
BENCHMARK_CAPTURE(decide, unhinted_later, 20, false)
    ->Name("new plan without a hint, after 20 calls, states")
    ->Arg(4)
    ->Arg(20)
    ->Arg(60);

}  // namespace

int main(int argc, char** argv) {
  for (const FormatFacts& facts : format_table) {
    if (!facts.slots) continue;
    const std::string name = "first look, slots of " + std::string(facts.name) + ", nonzeros";
    benchmark::RegisterBenchmark(name.c_str(), first_look_at, facts.format)
        ->Arg(5'000)
        ->Arg(300'000)
        ->Arg(5'000'000)
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
