// Every kernel under oclgrind, which sees accesses out of bounds and races. It says so in its log
// alone, so that the log is what is tested. (Its check for values that nobody wrote, version 21.10
// does not survive itself on these kernels.)
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <switchyard/backends/matrix_skeletons.hpp>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/reference.hpp>
#include <switchyard/backends/vector_operations.hpp>

#include "faults/faulty_device.hpp"
#include "opencl/columns.hpp"
#include "own_process.hpp"
#include "sampling.hpp"

namespace switchyard::testing {
namespace {

namespace fs = std::filesystem;

constexpr auto oclgrind_driver = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

/// Runs this program's test `DISABLED_UnderOclgrind.<name>`, alone, with oclgrind for a driver.
/// Returns what oclgrind has to say; expects that the test itself passes if it is `to_pass`.
std::string findings_in(const std::string& name, bool to_pass) {
  std::string pattern = (fs::temp_directory_path() / "switchyard-oclgrind-XXXXXX").string();
  const fs::path folder = ::mkdtemp(pattern.data());
  std::ofstream(folder / "oclgrind.icd") << oclgrind_driver << "\n";
  const std::string command =
      "cd '" + folder.string() + "' && OCL_ICD_VENDORS='" + folder.string() +
      "' OCLGRIND_LOG=findings.txt OCLGRIND_DATA_RACES=1 "
      "OCLGRIND_NUM_THREADS=1 OCLGRIND_MAX_ERRORS=1000 OCLGRIND_MAX_WGSIZE=64 XDG_CACHE_HOME='" +
      folder.string() + "' " + command_of_case("DISABLED_UnderOclgrind." + name) +
      " > output.txt 2>&1";
  // Its own end is not always orderly, so that the program's words count, not its exit status.
  [[maybe_unused]] const int status = std::system(command.c_str());
  const auto text_of = [&](const char* file) {
    std::ifstream in(folder / file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string output = text_of("output.txt");
  std::string findings = text_of("findings.txt");
  const bool passed = output.find("[  PASSED  ] 1 test.") != std::string::npos;
  EXPECT_TRUE(passed || !to_pass) << output;
  fs::remove_all(folder);
  return findings;
}

/// Whether a finding is that of two groups which leave the rest to the last of them
/// (`is_last_group` in prelude.cl): oclgrind does not know that an atomic counter and fences order
/// them.
bool is_a_meeting(const std::string& finding) {
  static const std::regex group(R"(Group\((\d+),)");
  static const std::regex kernel(
      "Kernel: "
      "(dense_partial|dense_partial_unaligned|dot_sums|plain_sums|reduce_elements|sum_chunks)"
      "\n");
  const auto groups = std::sregex_iterator(finding.begin(), finding.end(), group);
  if (std::distance(groups, {}) != 2) return false;
  const bool is_race = finding.find("data race") != std::string::npos;
  return is_race && std::regex_search(finding, kernel) && (*groups)[1] != (*std::next(groups))[1];
}

/// The findings in a log that are of concern: each starts with a line that is not set in.
std::string of_concern(const std::string& log) {
  std::istringstream lines(log);
  std::string kept;
  std::string finding;
  const auto end_finding = [&] {
    if (!is_a_meeting(finding)) kept += finding;
    finding.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] != '\t') end_finding();
    finding += line + "\n";
  }
  end_finding();
  return kept;
}

class Oclgrind : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(oclgrind_driver)) GTEST_SKIP() << "oclgrind is not installed";
    if (!fault_layer()) GTEST_SKIP() << "this OpenCL loader takes no layers";
    if (is_sampled) GTEST_SKIP() << "sanitizers of the host see nothing of what it simulates";
  }
};

// One test for each precision and kind of device: on a busy machine all together take minutes.
TEST_F(Oclgrind, FindsNothingInAKernelOfFloatsForProcessors) {
  EXPECT_EQ(of_concern(findings_in("FloatOnAProcessor", true)), "");
}
TEST_F(Oclgrind, FindsNothingInAKernelOfDoublesForProcessors) {
  EXPECT_EQ(of_concern(findings_in("DoubleOnAProcessor", true)), "");
}
TEST_F(Oclgrind, FindsNothingInAKernelOfFloatsForGpus) {
  EXPECT_EQ(findings_in("FloatOnAGpu", true), "");
}
TEST_F(Oclgrind, FindsNothingInAKernelOfDoublesForGpus) {
  EXPECT_EQ(findings_in("DoubleOnAGpu", true), "");
}

/// What would be found is found: a vector that is shorter than the matrix says.
TEST_F(Oclgrind, FindsWhatIsWrong) {
  const std::string findings = of_concern(findings_in("OutOfBounds", false));
  EXPECT_NE(findings.find("Invalid read"), std::string::npos) << findings;
  EXPECT_NE(findings.find("csr_scalar"), std::string::npos) << findings;
}

/// The device that oclgrind is.
std::shared_ptr<Executor> simulator(bool as_gpu) {
  fault_layer()->set_disguise({.shared_gpu = as_gpu});
  const auto devices = open_opencl_devices();
  if (devices.size() != 1) throw Error(ErrorCode::DeviceUnavailable, "not oclgrind's driver");
  return devices.front();
}

/// The same matrix with offsets of 64 bits.
template <Element T>
Storage<T> widened(Storage<T> storage) {
  auto& csr = std::get<Csr<T>>(storage);
  const auto narrow = std::get<Array<std::int32_t>>(csr.offsets).span();
  csr.offsets = Array<std::int64_t>(std::vector<std::int64_t>(narrow.begin(), narrow.end()));
  return storage;
}

template <Element T>
void multiply_all(Executor& device, const Problem<T>& problem, int& launches) {
  const auto& memory = device.memory();
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != Backend::OpenCL) continue;
    for (const bool wide : {false, true}) {
      if (wide && operation.format != Format::Csr) continue;
      Storage<T> host = stored_for(operation, problem.storage(operation.format));
      if (wide) host = widened(std::move(host));
      const Storage<T> matrix = transferred(host, memory);
      const auto x = transferred(Array<T>::borrow(problem.x), memory);
      auto y = transferred(Array<T>::borrow(problem.y), memory);
      operation.run({device, matrix, problem.alpha, x, problem.beta, y});
      const auto got = transferred(y, plain_host_memory());
      problem.expect_product(got.span());
      ++launches;
    }
  }
}

/// A x with that many columns, by every kernel that takes them, or by those of one variant; from a
/// copy of X with longer rows by `from_copy`, if there is one.
template <Element T>
void multiply_columns(Executor& device, const Problem<T>& problem, Index columns, int& launches,
                      std::string_view variant = "", opencl::ColumnsKernel<T> from_copy = nullptr) {
  const auto x = random_vector<T>(problem.dense.cols * columns, 3);
  const auto before = random_vector<T>(problem.dense.rows * columns, 4);
  const auto expected =
      reference_multiply<T>(problem.storage(Format::Csr), problem.alpha, std::span<const T>(x),
                            problem.beta, before, {Operand::Matrix, columns});
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != Backend::OpenCL || !operation.many_columns) continue;
    if (!variant.empty() && operation.variant != variant) continue;
    const Storage<T> host = stored_for(operation, problem.storage(operation.format));
    const Storage<T> matrix = transferred(host, device.memory());
    const auto x_there = transferred(Array<T>::borrow(x), device.memory());
    auto y = transferred(Array<T>::borrow(before), device.memory());
    const MultiplyArguments<T> arguments{device,       matrix, problem.alpha, x_there,
                                         problem.beta, y,      Threads::All,  columns};
    if (from_copy != nullptr) opencl::multiply_widened<T>(arguments, from_copy);
    if (from_copy == nullptr) operation.run(arguments);
    const auto got = transferred(y, plain_host_memory());
    EXPECT_LE(worst_error<T>(expected, got.span()), 1)
        << name(operation.format) << " " << operation.variant << ", " << columns << " columns";
    ++launches;
  }
}

template <Element T>
void convert_all(Executor& device, const Problem<T>& problem, int& launches) {
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != Backend::OpenCL) continue;
    const Storage<T> from = transferred(problem.storage(operation.from), device.memory());
    const Storage<T> to = transferred(operation.run(device, from), plain_host_memory());
    EXPECT_EQ(format_of(to), operation.to);
    ++launches;
  }
}

/// One column and many, which a GPU sorts in one and in three passes (csc.cpp).
template <Element T>
void convert_many_rows(Executor& device, int& launches) {
  const auto* const convert = find_convert<T>(Format::Csr, Format::Csc, Backend::OpenCL);
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 11000; ++i) triplets.push_back({i, i < 300 ? 5 : 6 * i, T(1)});
  const Storage<T> narrow = Problem<T>(6500, 1, T(0), 0.9).storage(Format::Csr);
  const Storage<T> wide = csr_from_triplets<T>(11000, 70000, triplets);
  for (const Storage<T>* const matrix : {&narrow, &wide}) {
    const Storage<T> from = transferred(*matrix, device.memory());
    const Storage<T> to = transferred(convert->run(device, from), plain_host_memory());
    EXPECT_NO_THROW(std::get<Csc<T>>(to).check());
    ++launches;
  }
}

template <Element T>
void combine_all(Executor& device, Index size, int& launches) {
  const auto values = random_vector<T>(size, 5);
  const auto x = transferred(Array<T>::borrow(values), device.memory());
  auto z = transferred(Array<T>::borrow(values), device.memory());
  for (const auto& operation : elementwise_operations<T>()) {
    if (operation.backend != Backend::OpenCL) continue;
    operation.run(device, {.a = T(2), .b = T(0.5), .x = &x, .y = &x, .z = &z});
    ++launches;
  }
  for (const auto& operation : reduce_operations<T>()) {
    if (operation.backend != Backend::OpenCL) continue;
    EXPECT_TRUE(std::isfinite(operation.run(device, x, &x)));
    ++launches;
  }
}

template <Element T>
void run_skeletons(Executor& device, Index size, int& launches) {
  const auto values = random_vector<T>(size, 6);
  const auto x = transferred(Array<T>::borrow(values), device.memory());
  auto z = transferred(Array<T>::borrow(values), device.memory());
  constexpr auto near = [](auto w) { return w(-2) + w(1); };
  const auto function = skeleton::user_function<T, skeleton::Place::Near, 1>(near);
  const auto sum = skeleton::user_fold<T>(fold::plus);
  RecordedFunction recorded;
  function.record(function.object, recorded);
  RecordedFunction recorded_sum;
  sum.record(sum.object, device.facts().supports_double, recorded_sum);
  const Array<T>* const arrays = &x;
  const auto& skeletons = skeleton_operations<T>(Backend::OpenCL);
  for (const Edge edge : {Edge::constant(1.5), Edge::nearest(), Edge::wrap()}) {
    const SkeletonOperands<T> operands{.function = function,
                                       .arrays = std::span(&arrays, 1),
                                       .size = size,
                                       .edge = edge,
                                       .recorded = &recorded};
    skeletons.map(device, operands, z);
    EXPECT_TRUE(std::isfinite(skeletons.reduce(device, operands, sum, &recorded_sum)));
    launches += 2;
  }
  skeletons.scan(device, sum, &recorded_sum, x, z);
  // The elements themselves are read by the widest loads.
  constexpr skeleton::Same unchanged;
  const auto same = skeleton::user_function<T, skeleton::Place::None, 1>(unchanged);
  RecordedFunction recorded_same;
  same.record(same.object, recorded_same);
  const SkeletonOperands<T> operands{
      .function = same, .arrays = std::span(&arrays, 1), .size = size, .recorded = &recorded_same};
  EXPECT_TRUE(std::isfinite(skeletons.reduce(device, operands, sum, &recorded_sum)));
  launches += 2;
}

/// The skeletons that know the places of a matrix's elements.
template <Element T>
void run_matrix_skeletons(Executor& device, const Problem<T>& problem, int& launches) {
  constexpr auto of_pair = [](auto i, auto j, auto a, auto x) { return where(i < j, a * x, x); };
  constexpr auto of_one = [](auto i, auto j, auto a) { return where(i < j, a, 2 * a); };
  const auto pairs = skeleton::user_function<T, skeleton::Place::RowAndColumn, 2>(of_pair);
  const auto ones = skeleton::user_function<T, skeleton::Place::RowAndColumn, 1>(of_one);
  const auto sum = skeleton::user_fold<T>(fold::plus);
  RecordedFunction recorded_pairs;
  pairs.record(pairs.object, recorded_pairs);
  RecordedFunction recorded_ones;
  ones.record(ones.object, recorded_ones);
  RecordedFunction recorded_sum;
  sum.record(sum.object, device.facts().supports_double, recorded_sum);
  const auto& skeletons = matrix_skeletons<T>(Backend::OpenCL);
  const auto x = transferred(Array<T>::borrow(problem.x), device.memory());
  auto y = transferred(Array<T>::borrow(problem.y), device.memory());
  std::vector<Storage<T>> matrices;
  matrices.push_back(problem.storage(Format::Dense));
  matrices.push_back(problem.storage(Format::Csr));
  matrices.push_back(widened(problem.storage(Format::Csr)));
  for (const Storage<T>& host : matrices) {
    Storage<T> matrix = transferred(host, device.memory());
    skeletons.fold_rows(device, {{pairs, &recorded_pairs}, {sum, &recorded_sum}, matrix, x}, y);
    ++launches;
    // Simulating these takes a second for every ten thousand elements or so.
    if (values_of(matrix).size() < 20'000) {
      static_cast<void>(skeletons.transpose(device, matrix));
      skeletons.map_beside(device, {{pairs, &recorded_pairs}, nullptr, &x}, matrix);
      launches += 2;
    }
    const auto* const csr = std::get_if<Csr<T>>(&matrix);
    if (!csr) continue;
    const std::array operands{csr, csr};
    static_cast<void>(skeletons.merge(device, {pairs, &recorded_pairs}, operands));
    EXPECT_TRUE(std::isfinite(
        skeletons.fold_places(device, {ones, &recorded_ones}, {sum, &recorded_sum}, matrix)));
    skeletons.map_places(device, {ones, &recorded_ones}, matrix);
    launches += 3;
  }
}

/// Every kernel on tall and on flat matrices of that size.
template <Element T>
void run_all(Executor& device, Index size, int& launches) {
  const Problem<T> tall(size, 5, T(0.5));
  const Problem<T> flat(2, size, T(0));
  for (const Problem<T>* const problem : {&tall, &flat}) {
    multiply_all(device, *problem, launches);
    convert_all(device, *problem, launches);
    run_matrix_skeletons(device, *problem, launches);
  }
  combine_all<T>(device, size, launches);
}

/// The steps that a process takes: all, or one of every four, so that the four processes together
/// take each once. Simulating all for both precisions on both devices takes ten minutes.
class Steps {
 public:
  explicit Steps(int own) : own_(own) {}
  [[nodiscard]] bool next() { return is_whole() || number_++ % 4 == own_; }

 private:
  int own_;
  int number_ = 0;
};

template <Element T>
void run(bool as_gpu, Steps steps) {
  const auto device = simulator(as_gpu);
  int launches = 0;
  run_all<T>(*device, 0, launches);
  // A second work-group, of one item.
  convert_all(*device, Problem<T>(65, 5, T(0.5)), launches);
  run_matrix_skeletons(*device, Problem<T>(65, 5, T(0.5)), launches);
  combine_all<T>(*device, 65, launches);
  // Around the size of a work-group, of 64 items here.
  for (const Index size : {63, 64, 65, 1}) {
    if (steps.next()) run_all<T>(*device, size, launches);
  }
  const bool is_own = is_whole() || precision_of<T> == Precision::Float;
  if (as_gpu && is_own) convert_many_rows<T>(*device, launches);
  for (const Index size : {255, 256, 257}) {
    if (steps.next()) combine_all<T>(*device, size, launches);
  }
  for (const Index size : {1, 447, 448, 449, 2000}) {
    if (steps.next()) run_skeletons<T>(*device, size, launches);
  }
  // What is cut into several work-groups: few long rows, many tiles.
  multiply_all(*device, Problem<T>(301, 12, T(0.5)), launches);
  if (steps.next()) multiply_all(*device, Problem<T>(2, 2100, T(0.5)), launches);
  if (steps.next()) {
    run_matrix_skeletons(*device, Problem<T>(300, 2100, T(0), 0.002), launches);
  }
  // Columns by one, two and four, and several panels of them, which take a third of the time for 65
  // rows; rows that are read by fours.
  for (const Index columns : {2, 3}) {
    if (steps.next()) multiply_columns(*device, Problem<T>(65, 12, T(0.5)), columns, launches);
  }
  if (steps.next()) multiply_columns(*device, Problem<T>(19, 12, T(0.5)), 36, launches);
  // From copies of X, with rows shorter and longer than a work-group; and where rows are in pieces.
  const auto from_copy = [&](Index rows, Index cols, Index columns, auto variant, auto kernel) {
    const Problem<T> problem(rows, cols, T(0.5));
    if (steps.next()) multiply_columns<T>(*device, problem, columns, launches, variant, kernel);
  };
  for (const Index columns : {3, 67}) from_copy(9, 12, columns, "rows", &opencl::multiply_rows<T>);
  from_copy(3, 700, 3, "binned", &opencl::multiply_binned_rows<T>);
  if (steps.next()) multiply_columns(*device, Problem<T>(3, 700, T(0.5)), 4, launches);
  // Tiles of a dense matrix, in stretches of its columns, and where its rows begin anywhere.
  if (steps.next()) {
    multiply_columns(*device, Problem<T>(48, 520, T(0.5)), 16, launches, "panels");
  }
  if (steps.next()) multiply_columns(*device, Problem<T>(49, 71, T(0)), 33, launches, "panels");
  device->finish();
  std::printf("%d operations\n", launches);
}

// Disabled as tests of their own: `findings_in` runs each in a process that has oclgrind for a
// driver.
TEST(DISABLED_UnderOclgrind, FloatOnAProcessor) { run<float>(false, Steps(0)); }
TEST(DISABLED_UnderOclgrind, DoubleOnAProcessor) { run<double>(false, Steps(1)); }
TEST(DISABLED_UnderOclgrind, FloatOnAGpu) { run<float>(true, Steps(2)); }
TEST(DISABLED_UnderOclgrind, DoubleOnAGpu) { run<double>(true, Steps(3)); }

TEST(DISABLED_UnderOclgrind, OutOfBounds) {
  const auto device = simulator(false);
  const Problem<float> problem;
  const auto* const scalar = find_multiply<float>(Format::Csr, Backend::OpenCL, "scalar");
  const Storage<float> matrix = transferred(problem.storage(Format::Csr), device->memory());
  const Array<float> x(3, device->memory());
  Array<float> y(23, device->memory());
  scalar->run({*device, matrix, 1, x, 0, y});
  device->finish();
}

}  // namespace
}  // namespace switchyard::testing
