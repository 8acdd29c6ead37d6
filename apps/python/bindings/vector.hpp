// A vector as Python holds it.
#pragma once

#include <memory>
#include <switchyard/containers/vector.hpp>

#include "runtime.hpp"

namespace switchyard::python {

/// A vector and the runtime on which operations between calls run. Threads: as `Vector`.
template <Element T>
struct SharedVector {
  std::shared_ptr<SharedRuntime> runtime;
  Vector<T> vector;
};

}  // namespace switchyard::python
