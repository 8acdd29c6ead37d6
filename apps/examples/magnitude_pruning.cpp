// A layer is pruned by magnitude and then used a thousand times: magnitude_pruning [SIZE]
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <iostream>
#include <random>
#include <switchyard/switchyard.hpp>
#include <vector>

namespace sy = switchyard;
using sy::tanh;
using sy::where;

namespace {

constexpr sy::Index steps = 1000;
constexpr float kept_from = 1.645F;  // the magnitude that a tenth of normal numbers exceed

std::vector<float> normal_weights(sy::Index count) {
  std::vector<float> weights(static_cast<std::size_t>(count));
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float& weight : weights) weight = normal(random);
  return weights;
}

/// The share of elements that are not zero.
double density(const sy::GMatrix<float>& matrix) {
  const auto counts = [](auto weight) { return where(weight != 0, 1.0F, 0.0F); };
  return sy::map_reduce(matrix, counts, sy::fold::plus) / static_cast<double>(matrix.rows()) /
         static_cast<double>(matrix.cols());
}

void run(sy::Index size) {
  const sy::Runtime runtime;
  auto layer = runtime.matrix(size, size, normal_weights(size * size));
  sy::Vector<float> x(size, 1.0F);
  sy::Vector<float> y(size);
  // The map is done where it and the products to come take least, and the products are planned for
  // what it leaves.
  layer.expect_calls(steps);
  sy::threshold(layer, kept_from);
  sy::scale(layer, 1 / sy::norm_infinity(layer));
  std::cout << density(layer) * 100 << " % of " << size << " x " << size << " are left\n\n"
            << layer.explain() << '\n';

  const auto start = std::chrono::steady_clock::now();
  for (sy::Index step = 0; step < steps; ++step) {
    layer.multiply(x, y);
    sy::map(
        runtime, x, [](auto sum) { return tanh(sum) + 0.5F; }, y);
  }
  std::cout << "mean output " << sy::reduce(runtime, sy::fold::plus, x) / static_cast<float>(size);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::cout << " after " << steps << " steps in " << taken.count() << " s\n";
  for (const sy::Step& step : layer.history()) {
    std::cout << "  " << name(step.kind) << " in " << name(step.to) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    sy::Index size = 2000;
    if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), size);
    run(size);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "magnitude_pruning: error: " << error.what() << '\n';
    return 1;
  }
}
