// The kernel files: all are embedded, and another compiler than the driver's accepts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <switchyard/core/user_folds.hpp>
#include <switchyard/core/user_functions.hpp>

#include "all_programs.hpp"
#include "opencl/program_options.hpp"
#include "opencl/recorded_programs.hpp"
#include "test_folder.hpp"

namespace switchyard::opencl::testing {
namespace {

const std::vector<std::string> programs = all_programs();

TEST(OpenClPrograms, EveryOneIsEmbedded) {
  for (const std::string& program : programs) {
    const ProgramSource source = find_program(program);
    ASSERT_NE(source.files.front(), nullptr) << program;
    EXPECT_EQ(source.name, program);
    std::string text;
    for (const KernelSource* const file : source.files) text += file ? file->text : "";
    EXPECT_NE(text.find("__kernel"), std::string::npos) << program;
  }
  EXPECT_EQ(find_program("no_such_program").files.front(), nullptr);
  EXPECT_EQ(find_kernel_source("dense"), nullptr);
  EXPECT_EQ(find_kernel_source(""), nullptr);
}

/// Another compiler than the driver's, where there is one: it needs no device.
class OtherCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("clang --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no clang";
    for (const KernelSource& source : kernel_sources()) write(source.stem, source.text);
  }
  void write(std::string_view stem, std::string_view text) {
    std::ofstream(folder_.path() / (std::string(stem) + ".cl")) << text;
  }
  /// The definitions of every program build. NVIDIA's are those of any GPU with warps.
  static std::vector<BuildTarget> targets() {
    const Tuning tuning;
    Tuning other;  // other values have to compile as well
    other.group = 64;
    other.large_group = 64;
    for (const Definition& definition : definitions) other.*definition.value *= 2;
    return {{.tuning = tuning},
            {.tuning = tuning, .has_double = true},
            {.tuning = tuning, .has_double = true, .is_nvidia = true},
            {.tuning = other, .has_double = true, .is_nvidia = true},
            {.tuning = tuning, .has_double = true, .is_nvidia = true, .copies_ahead = true},
            {.tuning = tuning,
             .has_double = true,
             .is_nvidia = true,
             .copies_ahead = true,
             .multiplies_doubles = true}};
  }
  /// Expects that the files of those stems compile, one after another, in both precisions.
  void expect_accepted(const BuildTarget& target, std::string_view program,
                       std::string_view more_definitions,
                       const std::vector<std::string_view>& stems, Precision precision) {
    if (precision == Precision::Double && !target.has_double) return;
    const bool is_wide = target.is_nvidia == (precision == Precision::Double);
    const ProgramKey key{program, precision, is_wide ? OffsetWidth::Wide : OffsetWidth::Narrow};
    std::string files;
    const auto add = [&](std::string_view stem) {
      files += " -include " + std::string(stem) + ".cl";
    };
    std::ranges::for_each(common_stems, add);
    std::ranges::for_each(stems, add);
    const std::string command =
        "cd " + folder_.path().string() +
        " && clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Wall "
        "-Wextra -Wno-unused-function -Werror" +
        program_definitions(target, key) + std::string(more_definitions) + files + " /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

 private:
  Folder folder_;
};

class OpenClKernelSources : public OtherCompiler {};

TEST_F(OpenClKernelSources, ClangAcceptsEveryKernel) {
  for (const std::string& program : programs) {
    const ProgramSource source = find_program(program);
    std::vector<std::string_view> stems;
    for (const KernelSource* const file : source.files) {
      if (file) stems.push_back(file->stem);
    }
    const auto mentions = [&](std::string_view word) {
      return std::ranges::any_of(source.files, [&](const KernelSource* file) {
        return file && file->text.find(word) != std::string_view::npos;
      });
    };
    for (const BuildTarget& target : targets()) {
      // Other programs are the same for such a target as for the one before it.
      const bool differs = mentions("COPIES_AHEAD") || mentions("MULTIPLIES_DOUBLES");
      if (target.copies_ahead && !differs) continue;
      for (const Precision precision : {Precision::Float, Precision::Double}) {
        expect_accepted(target, program, source.definitions, stems, precision);
      }
    }
  }
}

/// Every skeleton behind functions that were recorded.
template <Element T>
std::vector<RecordedProgram> skeletons_of(RecordedFunction& near, RecordedFunction& placed,
                                          RecordedFunction& sum, bool has_double) {
  const auto record = [](const auto& from, RecordedFunction& to) { from.record(from.object, to); };
  static constexpr auto windows = [](auto a, auto b) { return a(-1) * b(2) + a() * 0.5F; };
  static constexpr auto places = [](auto row, auto column, auto a, auto b) {
    return where(row < column && a > b, a * 3, exp(b));
  };
  record(skeleton::user_function<T, skeleton::Place::Near, 2>(windows), near);
  record(skeleton::user_function<T, skeleton::Place::RowAndColumn, 2>(places), placed);
  skeleton::user_fold<T>(fold::plus).record(&fold::plus, has_double, sum);
  const bool in_double = has_double || precision_of<T> == Precision::Double;
  const ValueType folded = in_double ? ValueType::Double : ValueType::Float;
  std::vector<RecordedProgram> all;
  for (const int edge : {0, 1, 2}) {
    all.push_back({.skeleton = "map", .function = &near, .operands = 2, .edge = edge});
    all.push_back({"reduce", &near, 2, edge, false, &sum, folded});
  }
  all.push_back({.skeleton = "scan", .fold = &sum, .folded = folded});
  all.push_back({"fold_rows", &placed, 2, 0, true, &sum, folded});
  all.push_back({.skeleton = "merge", .function = &placed, .operands = 2, .takes_values = true});
  all.push_back({.skeleton = "places", .function = &placed, .operands = 2, .takes_values = true});
  return all;
}

/// The function of one value that stands at a place.
template <Element T>
std::vector<RecordedProgram> skeletons_of_places(RecordedFunction& placed, RecordedFunction& sum,
                                                 bool has_double) {
  static constexpr auto places = [](auto row, auto column, auto a) {
    return where(row < column, a * 3, sqrt(a));
  };
  const auto function = skeleton::user_function<T, skeleton::Place::RowAndColumn, 1>(places);
  function.record(function.object, placed);
  skeleton::user_fold<T>(fold::plus).record(&fold::plus, has_double, sum);
  const bool in_double = has_double || precision_of<T> == Precision::Double;
  const ValueType folded = in_double ? ValueType::Double : ValueType::Float;
  return {{.skeleton = "places", .function = &placed, .operands = 1, .takes_values = true},
          {"places", &placed, 1, 0, true, &sum, folded}};
}

/// Functions of what is around an element of a matrix, and of an element and two vectors beside it.
template <Element T>
std::vector<RecordedProgram> skeletons_of_matrices(RecordedFunction& around,
                                                   RecordedFunction& three) {
  static constexpr auto windows = [](auto a, auto b) { return a(-1, 0) * b(2, 3) + a(); };
  static constexpr auto products = [](auto a, auto r, auto c) { return a * r * c; };
  const auto of_windows = skeleton::user_function<T, skeleton::Place::Around, 2>(windows);
  of_windows.record(of_windows.object, around);
  const auto of_three = skeleton::user_function<T, skeleton::Place::None, 3>(products);
  of_three.record(of_three.object, three);
  std::vector<RecordedProgram> all;
  for (const int edge : {0, 1, 2}) {
    all.push_back({.skeleton = "map", .function = &around, .operands = 2, .edge = edge});
  }
  for (const std::string_view skeleton : {"places", "merge"}) {
    all.push_back({.skeleton = skeleton, .function = &three, .operands = 3, .takes_values = true});
  }
  return all;
}

template <Element T>
class Skeletons {
 public:
  explicit Skeletons(bool has_double) {
    programs_ = skeletons_of<T>(near_, two_, sum_, has_double);
    const auto of_matrices = skeletons_of_matrices<T>(around_, three_);
    programs_.insert(programs_.end(), of_matrices.begin(), of_matrices.end());
    const auto more = skeletons_of_places<T>(one_, other_sum_, has_double);
    programs_.insert(programs_.end(), more.begin(), more.end());
  }
  Skeletons(const Skeletons&) = delete;
  Skeletons& operator=(const Skeletons&) = delete;
  [[nodiscard]] const std::vector<RecordedProgram>& programs() const { return programs_; }

 private:
  RecordedFunction near_, two_, one_, sum_, other_sum_, around_, three_;
  std::vector<RecordedProgram> programs_;
};

TEST_F(OpenClKernelSources, ClangAcceptsEverySkeleton) {
  const auto expect_all = [&](const BuildTarget& target, const auto& skeletons,
                              Precision precision) {
    RecordedPrograms recorded;
    for (const RecordedProgram& program : skeletons.programs()) {
      const auto source = recorded.find(recorded.name_of(program));
      ASSERT_TRUE(source);
      write("recorded", source->text);
      // Not every function uses all that it is handed.
      expect_accepted(target, source->name, " -Wno-unused-parameter",
                      {"recorded", source->skeleton}, precision);
    }
  };
  const auto all = targets();
  expect_all(all.front(), Skeletons<float>(false), Precision::Float);
  expect_all(all.back(), Skeletons<float>(true), Precision::Float);
  expect_all(all.back(), Skeletons<double>(true), Precision::Double);
}

}  // namespace
}  // namespace switchyard::opencl::testing
