// One input after another through a pruned network: pruned_inference [LAYER.mtx...]
#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <switchyard/switchyard.hpp>

#include "solvers/inference.hpp"

namespace {

using switchyard::GMatrix;
using switchyard::Index;
using switchyard::Vector;

constexpr Index inputs = 200;

/// The layers in the files, the first one first; or three, pruned to 50, 20 and 5 %.
std::vector<GMatrix<float>> layers_from(const switchyard::Runtime& runtime, int argc, char** argv) {
  std::vector<GMatrix<float>> layers;
  for (int i = 1; i < argc; ++i) {
    layers.push_back(runtime.matrix(switchyard::read_matrix_market<float>(argv[i])));
  }
  if (!layers.empty()) return layers;
  for (const double density : {0.5, 0.2, 0.05}) {
    layers.push_back(runtime.matrix(switchyard::generate<float>(
        {.kind = switchyard::MatrixKind::Pruned, .rows = 1024, .density = density})));
  }
  return layers;
}

/// Stands for what a camera or a text would give.
void make_input(Index number, Vector<float>& input) {
  Index i = 0;
  for (float& value : input.write()) {
    value = std::sin(static_cast<float>(++i) * static_cast<float>(number + 1));
  }
}

void run(int argc, char** argv) {
  const switchyard::Runtime runtime;
  const auto layers = layers_from(runtime, argc, argv);
  auto outputs = switchyard::solvers::layer_outputs(layers);
  Vector<float> input(layers.front().cols());
  // Each layer is decided for by itself: dense or sparse, on the host or on a device.
  for (const auto& layer : layers) layer.expect_calls(inputs);

  const auto start = std::chrono::steady_clock::now();
  float total = 0;
  for (Index number = 0; number < inputs; ++number) {
    make_input(number, input);
    total += switchyard::solvers::infer(runtime, layers, input, outputs)[0];
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::cout << inputs << " inputs in " << taken.count() << " s; the mean of the first output is "
            << total / static_cast<float>(inputs) << '\n';
  for (const auto& layer : layers) {
    std::cout << "  " << layer.rows() << " x " << layer.cols() << " in "
              << name(layer.history().back().to) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pruned_inference: error: " << error.what() << '\n';
    return 1;
  }
}
