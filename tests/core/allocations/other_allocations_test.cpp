// Everything that is no operation of a matrix, with each of its allocations failing in turn.
#include <filesystem>
#include <switchyard/containers/eigen.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/replay.hpp>
#include <switchyard/models/profile.hpp>

#include "core/allocations/matrices.hpp"
#include "core/allocations/sweep.hpp"
#include "core/decision/yards.hpp"
#include "profile_store.hpp"

namespace switchyard::testing {
namespace {

template <class T>
class VectorAllocations : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorAllocations, Elements);

TYPED_TEST(VectorAllocations, MakingAndCopying) {
  using T = TypeParam;
  const std::vector<T> values{1, 2, 3};
  const Vector<T> other{std::span<const T>(values)};
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"of a size", [] { const Vector<T> made(7, T(1)); }},
      {"from a span", [&] { const Vector<T> made{std::span<const T>(values)}; }},
      {"from a list",
       [] {
         const Vector<T> made{T(1), T(2)};
       }},
      {"copy", [&] { const Vector<T> made(other); }},
      {"array from a vector", [] { const Array<T> made((std::vector<T>())); }}};
  for (const auto& [name, call] : calls) {
    sweep(name, [&call = call]() -> Trial { return {call}; });
  }
}

TYPED_TEST(VectorAllocations, Operations) {
  using T = TypeParam;
  const Runtime runtime(quiet_options());
  struct Operands {
    Vector<T> x{T(1), T(-2), T(3)};
    Vector<T> y{T(4), T(5), T(6)};
    MultiVector<T> block{2, 3, T(1)};
  };
  const std::vector<std::pair<std::string, std::function<void(Operands&)>>> calls{
      {"dot", [&](Operands& o) { EXPECT_EQ(dot(runtime, o.x, o.y), T(12)); }},
      {"sum", [&](Operands& o) { EXPECT_EQ(sum(runtime, o.x), T(2)); }},
      {"norm", [&](Operands& o) { EXPECT_GT(norm(runtime, o.x), T(3)); }},
      {"axpby", [&](Operands& o) { axpby(runtime, T(1), o.x, T(2), o.y); }},
      {"copy", [&](Operands& o) { copy(runtime, o.x, o.y); }},
      {"scale", [&](Operands& o) { scale(runtime, T(2), o.x); }},
      {"fill", [&](Operands& o) { fill(runtime, T(2), o.x); }},
      {"add_scalar", [&](Operands& o) { add_scalar(runtime, T(2), o.x); }},
      {"relu", [&](Operands& o) { relu(runtime, o.x); }},
      {"multiply_elements", [&](Operands& o) { multiply_elements(runtime, o.x, o.x, o.y); }},
      {"map",
       [&](Operands& o) {
         map(
             runtime, o.y, [](auto x) { return 2 * x; }, o.x);
       }},
      {"reduce", [&](Operands& o) { EXPECT_EQ(reduce(runtime, fold::max, o.x), T(3)); }},
      {"column_sums",
       [&](Operands& o) {
         column_sums(runtime, o.block, o.x);
         EXPECT_EQ(o.x[2], T(2));
       }},
      {"scan", [&](Operands& o) { scan(runtime, fold::plus, o.y, o.x); }}};
  for (const auto& [name, call] : calls) {
    sweep(
        name,
        [&call = call]() -> Trial {
          const auto operands = std::make_shared<Operands>();
          return {.call = [&call, operands] { call(*operands); },
                  .unchanged = [operands] { EXPECT_EQ(operands->y[2], T(6)); }};
        },
        false);
  }
}

TYPED_TEST(VectorAllocations, MatricesFromElsewhere) {
  using T = TypeParam;
  Eigen::SparseMatrix<T> sparse(20, 30);
  for (int i = 0; i < 20; ++i) sparse.insert(i, (7 * i) % 30) = T(i + 1);
  const std::string text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 4\n3 1 5\n";
  const Storage<T> storage = csr_from_eigen(sparse);
  const std::vector<T> x(30, T(1));
  const std::string array = "%%MatrixMarket matrix array real general\n2 1\n4\n5\n";
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"Eigen", [&] { static_cast<void>(csr_from_eigen(sparse)); }},
      {"Matrix Market coordinates",
       [&] { static_cast<void>(parse_matrix_market<T>(text, "text")); }},
      {"Matrix Market array", [&] { static_cast<void>(parse_matrix_market<T>(array, "array")); }},
      {"reference", [&] { static_cast<void>(reference_multiply<T>(storage, T(1), x, T(0), {})); }}};
  for (const auto& [name, call] : calls) {
    sweep(name, [&call = call]() -> Trial { return {call}; });
  }
  for (const MatrixKind kind : {MatrixKind::Uniform, MatrixKind::Banded, MatrixKind::Poisson2d,
                                MatrixKind::Poisson3d, MatrixKind::PowerLaw, MatrixKind::Pruned}) {
    const auto call = [kind] {
      static_cast<void>(generate<T>({.kind = kind, .rows = 64, .density = std::nullopt}));
    };
    sweep(std::string(name(kind)), [&]() -> Trial { return {call}; });
  }
}

/// Large enough for every thread to have a part, and to fail there.
TEST(ThreadAllocations, MatricesFromElsewhere) {
  constexpr Index rows = 25'000;
  std::vector<Triplet<float>> triplets;
  std::string text = "%%MatrixMarket matrix coordinate real general\n25000 25000 100000\n";
  for (Index k = 0; k < 4 * rows; ++k) {
    triplets.push_back({k % rows, 7 * k % rows, 1.0F});
    text += std::to_string(k % rows + 1) + " " + std::to_string(7 * k % rows + 1) + " 1\n";
  }
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"triplets",
       [&] {
         static_cast<void>(
             csr_from_triplets<float>(rows, rows, std::span<const Triplet<float>>(triplets)));
       }},
      {"Matrix Market", [&] { static_cast<void>(parse_matrix_market<float>(text, "text")); }},
      {"generated", [&] { static_cast<void>(generate<float>({.rows = rows, .density = 1e-4})); }}};
  for (const auto& [name, call] : calls) {
    sweep(name, [&call = call]() -> Trial { return {call}; });
  }
}

struct Allocations : ::testing::Test {
  // In memory, where there is such a place: a profile is synced each time that it is saved.
  const std::filesystem::path folder =
      (std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path()) /
      ("switchyard-sweep" + std::to_string(::getpid()));
  Allocations() { std::filesystem::create_directories(folder); }
  ~Allocations() override { std::filesystem::remove_all(folder); }

  static Profile small_profile(const Fingerprint& fingerprint) {
    Profile profile(fingerprint,
                    {linear_model(multiply_key(csr_host, Precision::Float, "balanced"), 1e-6, 1e-9),
                     linear_model(multiply_key(dense_host, Precision::Float, "rows"), 1e-6, 1e-9)});
    return profile;
  }
};

TEST_F(Allocations, MatrixMarketFiles) {
  const Storage<double> matrix = random_dense<double>(9, 8, 0.5, 1);
  const std::string file = folder / "matrix.mtx";
  write_matrix_market(matrix, file);
  sweep("read",
        [&]() -> Trial { return {[&] { static_cast<void>(read_matrix_market<double>(file)); }}; });
  for (const std::string archive : {SWITCHYARD_NPZ_FILE, SWITCHYARD_TAR_FILE}) {
    sweep("read " + archive,
          [&]() -> Trial { return {[&] { static_cast<void>(read_matrix<double>(archive)); }}; });
  }
  sweep("write", [&]() -> Trial {
    return {.call = [&] { write_matrix_market(matrix, file); },
            .unchanged =
                [&] {
                  const auto whole = read_matrix_market<double>(file);
                  EXPECT_EQ(rows_of(whole), 9);
                  const std::filesystem::directory_iterator files(folder);
                  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
                }};
  });
}

TEST_F(Allocations, RuntimeAndItsQuestions) {
  sweep("runtime", []() -> Trial { return {[] { Runtime runtime(quiet_options()); }}; });
  const Runtime runtime(quiet_options());
  const PlanQuestion question{
      .structure = {.rows = 10, .cols = 10, .nnz = 20}, .valid = {csr_host}, .vectors = {}};
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"options", [] { static_cast<void>(RuntimeOptions::from_environment()); }},
      {"profile_problem", [&] { static_cast<void>(runtime.profile_problem()); }},
      {"plan", [&] { static_cast<void>(runtime.plan(question)); }}};
  for (const auto& [name, call] : calls) {
    sweep(name, [&call = call]() -> Trial { return {call}; });
  }
}

TEST_F(Allocations, TheProfileOfThisMachine) {
  RuntimeOptions options;
  options.config_home = folder;
  const Fingerprint here{.cpu = "c", .threads = 1, .library_version = "1", .devices = {}};
  save_profile(small_profile(here), profile_path(folder, here));
  save_profile(small_profile(here), profile_path(folder, here).replace_extension(".2.json"));
  sweep("choose_profile", [&]() -> Trial {
    return {[&] {
      // What cannot be loaded is replaced by the built-in models.
      const ProfileChoice choice =
          with_enough_memory([&] { return choose_profile(options, here, small_profile(here)); });
      EXPECT_EQ(choice.profile.models().size(), 2U);
    }};
  });
}

TEST_F(Allocations, AnotherProfile) {
  Runtime runtime(quiet_options());
  sweep("use_profile", [&]() -> Trial {
    // One for the call that fails and one for the call afterwards.
    auto spare = std::make_shared<std::vector<Profile>>(2, small_profile(runtime.fingerprint()));
    return {[&runtime, spare] {
      Profile next = std::move(spare->back());
      spare->pop_back();
      runtime.use_profile(std::move(next));
    }};
  });
}

TEST_F(Allocations, Profiles) {
  const Fingerprint fingerprint{.cpu = "c", .threads = 1, .library_version = "1", .devices = {}};
  const std::string file = folder / "profile.json";
  const Profile profile = small_profile(fingerprint);
  save_profile(profile, file);
  sweep("load_profile",
        [&]() -> Trial { return {[&] { EXPECT_EQ(load_profile(file).models().size(), 2U); }}; });
  sweep("save_profile", [&]() -> Trial {
    return {.call = [&] { save_profile(profile, file); },
            .unchanged =
                [&] {
                  EXPECT_EQ(load_profile(file).models().size(), 2U);
                  const std::filesystem::directory_iterator files(folder);
                  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
                }};
  });
}

TEST_F(Allocations, FittingAndPredicting) {
  std::vector<Sample> samples;
  for (int i = 1; i <= 5; ++i) {
    Features features;
    features.values.fill(1000.0 * i);
    samples.push_back({features, 1e-6 * i});
  }
  const ModelKey key = multiply_key(csr_host, Precision::Float, "balanced");
  sweep("fit", [&]() -> Trial {
    return {[&] { EXPECT_TRUE(fit_cost_model(key, samples, {}).has_value()); }};
  });
  const auto model = fit_cost_model(key, samples, {});
  ASSERT_TRUE(model);
  sweep(
      "predict",
      [&]() -> Trial {
        return {[&] { EXPECT_GT(model->predict(samples[3].features).seconds, 0); }};
      },
      false);
}

TEST_F(Allocations, PlanningAndReplaying) {
  std::mt19937_64 engine(3);
  const Yard yard = random_yard(4, engine);
  sweep("shortest_plan", [&]() -> Trial {
    // One for the call that fails and one for the call afterwards.
    auto spare = std::make_shared<std::vector<Yard>>(2, yard);
    return {[spare] {
      Yard next = std::move(spare->back());
      spare->pop_back();
      static_cast<void>(shortest_plan(std::move(next)));
    }};
  });
  const Course course{.origin = yard.valid, .at = {}};
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"choose_for_unknown_calls",
       [&] { static_cast<void>(choose_for_unknown_calls(yard, course)); }},
      {"replay", [&] { static_cast<void>(replay(yard, yard, 20, false)); }},
      {"best_in_hindsight", [&] { static_cast<void>(best_in_hindsight(yard, 20)); }}};
  for (const auto& [name, call] : calls) {
    sweep(name, [&call = call]() -> Trial { return {call}; });
  }
}

}  // namespace
}  // namespace switchyard::testing
