// The README's example, on a matrix that it writes first; fails where the product is wrong.
#include <filesystem>
#include <iostream>
#include <switchyard/switchyard.hpp>

#include "second_unit.hpp"

namespace {

void write_example(const std::filesystem::path& file) {
  const std::vector<switchyard::Triplet<float>> triplets{{0, 0, 1}, {0, 2, 2}, {2, 1, 3}};
  const std::span<const switchyard::Triplet<float>> all(triplets);
  switchyard::write_matrix_market<float>(switchyard::csr_from_triplets(3, 3, all), file);
}

bool example(const std::filesystem::path& file) {
  switchyard::Runtime runtime;
  auto A = runtime.matrix(switchyard::read_matrix_market<float>(file));
  switchyard::Vector<float> x(A.cols(), 1.0f), y(A.rows());
  A.multiply(x, y);              // y = A x
  A.multiply(2.0f, x, 1.0f, y);  // y = 2 A x + y
  std::cout << A.explain();
  return y[0] == 9 && y[1] == 0 && y[2] == 9;
}

}  // namespace

int main() {
  const auto file = std::filesystem::temp_directory_path() / "switchyard_consumer.mtx";
  write_example(file);
  const bool correct = example(file) && second_unit_agrees();
  std::filesystem::remove(file);
  return correct ? 0 : 1;
}
