// What the opaque handles of the C interface are.
#pragma once

#include <switchyard.h>

#include <switchyard/core/runtime.hpp>
#include <variant>

struct sy_runtime {
  switchyard::Runtime runtime;
};

struct sy_matrix {
  std::variant<switchyard::GMatrix<float>, switchyard::GMatrix<double>> matrix;
};
