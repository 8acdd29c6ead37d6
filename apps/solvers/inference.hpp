// Inference in a network of fully connected layers, pruned or not.
#pragma once

#include <span>
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

/// The same for a batch: one input a column. Room for what each layer gives.
template <Element T>
[[nodiscard]] std::vector<MultiVector<T>> layer_outputs(const std::vector<GMatrix<T>>& layers,
                                                        Index inputs) {
  std::vector<MultiVector<T>> outputs;
  for (const GMatrix<T>& layer : layers) outputs.emplace_back(layer.rows(), inputs);
  return outputs;
}

/// Forward through all layers, as `infer`. outputs[i] keeps max(., 0) of what layer i gives, but of
/// the last one what it gives.
template <Element T>
void forward(const Runtime& runtime, const std::vector<GMatrix<T>>& layers,
             const MultiVector<T>& inputs, std::vector<MultiVector<T>>& outputs) {
  const MultiVector<T>* x = &inputs;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) relu(runtime, outputs[i - 1].elements());
    layers[i].multiply(*x, outputs[i]);
    x = &outputs[i];
  }
}

/// Backward through all layers: deltas[i] is the derivative of the loss by what layer i gives, of
/// which the last is given. What a layer cut off passes nothing back. Source: backpropagation as
/// in Rumelhart, Hinton and Williams, 1986.
template <Element T>
void backward(const Runtime& runtime, const std::vector<GMatrix<T>>& layers,
              const std::vector<MultiVector<T>>& outputs, std::vector<MultiVector<T>>& deltas) {
  const auto passed_on = [](auto delta, auto output) { return where(output > 0, delta, T{0}); };
  for (std::size_t i = layers.size() - 1; i > 0; --i) {
    layers[i].multiply_transposed(deltas[i], deltas[i - 1]);
    map(runtime, deltas[i - 1], passed_on, deltas[i - 1], outputs[i - 1]);
  }
}

}  // namespace switchyard::solvers
