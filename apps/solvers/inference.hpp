// Inference in a network of fully connected layers, pruned or not.
#pragma once

#include <switchyard/switchyard.hpp>
#include <vector>

namespace switchyard::solvers {

/// A vector for what each layer gives, to be used for one input after another.
template <Element T>
[[nodiscard]] std::vector<Vector<T>> layer_outputs(const std::vector<GMatrix<T>>& layers) {
  std::vector<Vector<T>> outputs;
  for (const GMatrix<T>& layer : layers) outputs.emplace_back(layer.rows());
  return outputs;
}

/// outputs[i] = W_i max(outputs[i - 1], 0), the first from `input` as it is. Returns the last.
/// REQUIRES: at least one layer; throws what `multiply` throws.
template <Element T>
const Vector<T>& infer(const Runtime& runtime, const std::vector<GMatrix<T>>& layers,
                       const Vector<T>& input, std::vector<Vector<T>>& outputs) {
  const Vector<T>* x = &input;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) relu(runtime, outputs[i - 1]);
    layers[i].multiply(*x, outputs[i]);
    x = &outputs[i];
  }
  return *x;
}

}  // namespace switchyard::solvers
