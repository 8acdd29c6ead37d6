// Matrices of real problems, where the checkout has them beside it.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <switchyard/containers/numbers.hpp>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

/// What the catalogue says of one file.
struct RealMatrix {
  fs::path file;
  Index rows = 0;
  Index cols = 0;
  Index nnz = 0;
  bool complex = false;
};

std::vector<RealMatrix> catalogue() {
  const fs::path folder = SWITCHYARD_TEST_MATRICES;
  std::ifstream table(folder / "CATALOG.tsv");
  std::vector<RealMatrix> matrices;
  std::string line;
  std::getline(table, line);  // the header
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string name;
    std::string field;
    RealMatrix matrix;
    fields >> name >> matrix.rows >> matrix.cols >> matrix.nnz >> field;
    matrix.file = folder / name;
    matrix.complex = field.ends_with("complex");
    // Larger files take longer to read than all others together.
    constexpr std::uintmax_t most_bytes = 5'000'000;
    if (fs::exists(matrix.file) && fs::file_size(matrix.file) < most_bytes) {
      matrices.push_back(matrix);
    }
  }
  return matrices;
}

class RealMatrices : public CommandTest {};

TEST_F(RealMatrices, AreReadPlannedForAndMultipliedRightly) {
  const auto matrices = catalogue();
  if (matrices.empty()) GTEST_SKIP() << "there are no matrices beside the checkout";
  for (const RealMatrix& matrix : matrices) {
    SCOPED_TRACE(matrix.file.filename().string());
    if (matrix.complex) {
      expect_one_error_line(run({"multiply", matrix.file.string()}), 1, "complex");
      continue;
    }
    const Json document = run_json({"multiply", matrix.file.string(), "--calls", "10", "--verify"});
    EXPECT_EQ(document["matrix"]["rows"], matrix.rows);
    EXPECT_EQ(document["matrix"]["cols"], matrix.cols);
    EXPECT_EQ(document["matrix"]["nnz"], matrix.nnz);
    EXPECT_EQ(document["verified"], true) << document["max_error"];
    expect_shortest(document);
  }
}

TEST_F(RealMatrices, SmallOnesAreRightInEveryState) {
  const Json devices = run_json({"devices"})["devices"];
  std::vector<std::string> states{"dense@host", "csr@host"};
  if (!devices.empty()) states.insert(states.end(), {"dense@device0", "csr@device0"});
  bool any = false;
  for (const RealMatrix& matrix : catalogue()) {
    constexpr Index small = 500;
    if (matrix.complex || matrix.rows > small) continue;
    any = true;
    for (const std::string& state : states) {
      SCOPED_TRACE(matrix.file.filename().string() + " in " + state);
      const Json document =
          run_json({"multiply", matrix.file.string(), "--state", state, "--verify"});
      EXPECT_EQ(document["verified"], true) << document["max_error"];
    }
  }
  if (!any) GTEST_SKIP() << "there are no matrices beside the checkout";
}

}  // namespace
}  // namespace switchyard::test
