// The models that a calibrated machine has.
#pragma once

#include <switchyard/backends/operations.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard::test {

/// Adds those of all products and conversions of a backend, in one space.
template <Element T>
void add_keys(std::vector<ModelKey>& keys, Space space, Backend backend) {
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != backend) continue;
    const bool measured =
        is_given(operation.format) || operation.operand == gathered_operand(operation.format);
    if (!measured || operation.many_columns) continue;
    keys.push_back(multiply_key({space, operation.format}, operation.request(), precision_of<T>,
                                operation.variant));
  }
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != backend) continue;
    keys.push_back(convert_key(operation.from, operation.to, space, precision_of<T>));
  }
}

}  // namespace switchyard::test
