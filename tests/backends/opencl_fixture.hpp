// What the tests of OpenCL devices share: the first device, and matrices to try on it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <string>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/reference.hpp>
#include <vector>

#include "opencl/device.hpp"
#include "opencl/operations.hpp"

namespace switchyard::opencl::testing {

/// Skips, saying so, where there is no device.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "there is no OpenCL device on this machine";
  }

  static const std::vector<std::shared_ptr<Executor>>& devices() {
    static const std::vector<std::shared_ptr<Executor>> opened = open_opencl_devices();
    return opened;
  }
  static Device& device() { return device_of(*devices().front()); }
  static const std::shared_ptr<MemorySpace>& memory() { return device().memory(); }

  template <Element T>
  static bool has() {
    return device().supports(precision_of<T>);
  }

  template <class T>
  static std::vector<T> on_host(const Array<T>& array) {
    const Array<T> copy = transferred(array, plain_host_memory());
    return {copy.span().begin(), copy.span().end()};
  }
  template <class T>
  static Array<T> on_device(const std::vector<T>& values) {
    return transferred(Array<T>::borrow(values), memory());
  }
};

/// Skips as well, saying so, where the device cannot compute with T.
template <class T>
class OnDeviceOf : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!this->IsSkipped() && !has<T>()) GTEST_SKIP() << "the device has no double precision";
  }
};
using Elements = ::testing::Types<float, double>;

/// Those offsets in 64 bits.
inline Offsets widened_offsets(const Offsets& offsets) {
  return std::visit(
      [](const auto& array) {
        const auto span = array.span();
        return Array<std::int64_t>(std::vector<std::int64_t>(span.begin(), span.end()));
      },
      offsets);
}
/// The matrix with offsets of 64 bits.
template <class Matrix>
Matrix widened(Matrix matrix) {
  matrix.offsets = widened_offsets(matrix.offsets);
  return matrix;
}

/// `size` numbers in [-1, 1) without the value 0.
template <Element T>
std::vector<T> random_values(Index size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& value : values) {
    value = static_cast<T>((engine() & 1U) != 0 ? uniform(engine) : -uniform(engine));
  }
  return values;
}

/// A dense matrix with each element kept where `keep(row, column)` says so, else zero.
template <Element T>
Dense<T> dense_where(Index rows, Index cols, const std::function<bool(Index, Index)>& keep,
                     unsigned seed = 1) {
  std::vector<T> values = random_values<T>(rows * cols, seed);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (!keep(i, j)) values[static_cast<std::size_t>(i * cols + j)] = T{0};
    }
  }
  return {rows, cols, Array<T>(std::move(values))};
}

template <Element T>
Dense<T> random_dense(Index rows, Index cols, double density, unsigned seed = 1) {
  std::mt19937_64 engine(seed + 1000);
  std::bernoulli_distribution kept(density);
  return dense_where<T>(
      rows, cols, [&](Index, Index) { return kept(engine); }, seed);
}

/// The same matrix in CSR, its offsets in 32 or 64 bits.
template <Element T>
Csr<T> compressed(const Dense<T>& dense, bool wide = false) {
  std::vector<std::int64_t> offsets{0};
  std::vector<Column> columns;
  std::vector<T> values;
  for (Index i = 0; i < dense.rows; ++i) {
    for (Index j = 0; j < dense.cols; ++j) {
      const T value = dense.values[i * dense.cols + j];
      if (value == T{0}) continue;
      columns.push_back(static_cast<Column>(j));
      values.push_back(value);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  Csr<T> csr{dense.rows, dense.cols, static_cast<Index>(values.size()), {}, {}, {}};
  if (wide) {
    csr.offsets = Array<std::int64_t>(std::move(offsets));
  } else {
    csr.offsets = Array<std::int32_t>(std::vector<std::int32_t>(offsets.begin(), offsets.end()));
  }
  csr.columns = Array<Column>(std::move(columns));
  csr.values = Array<T>(std::move(values));
  return csr;
}

/// Bits, so that NaN equals NaN and -0 differs from 0.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace switchyard::opencl::testing
