// The collection of real matrices, where it is there: every file has the shape that is told of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <switchyard/containers/matrix_market.hpp>

#include "containers/code_of.hpp"

namespace switchyard {
namespace {

namespace fs = std::filesystem;

struct CatalogEntry {
  std::string file;
  Index rows;
  Index cols;
  Index nnz;
  std::string kind;
};

fs::path real_matrices() {
  const char* named = std::getenv("SWITCHYARD_MATRICES");
  return named ? fs::path(named) : fs::path(SWITCHYARD_MATRICES_DIR);
}

std::vector<CatalogEntry> catalog(const fs::path& folder) {
  std::vector<CatalogEntry> entries;
  std::ifstream stream(folder / "CATALOG.tsv");
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    CatalogEntry& entry = entries.emplace_back();
    words >> entry.file >> entry.rows >> entry.cols >> entry.nnz >> entry.kind;
  }
  return entries;
}

TEST(RealMatrices, HaveTheShapesOfTheCatalog) {
  const auto folder = real_matrices();
  const auto entries = catalog(folder);
  if (entries.empty()) {
    GTEST_SKIP() << "no real matrices in " << folder << "; set SWITCHYARD_MATRICES";
  }
  for (const auto& entry : entries) {
    SCOPED_TRACE(entry.file);
    if (entry.kind.ends_with("complex")) {
      EXPECT_EQ(code_of([&] { (void)read_matrix_market<float>(folder / entry.file); }),
                ErrorCode::Unsupported);
      continue;
    }
    const auto storage = read_matrix_market<float>(folder / entry.file);
    const auto& matrix = std::get<Csr<float>>(storage);
    EXPECT_EQ(matrix.rows, entry.rows);
    EXPECT_EQ(matrix.cols, entry.cols);
    EXPECT_EQ(matrix.nnz, entry.nnz);
  }
}

}  // namespace
}  // namespace switchyard
