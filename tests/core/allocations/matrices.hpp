// Matrices and vectors to make calls on while allocations fail.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <switchyard/backends/reference.hpp>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard::testing {

/// On the host alone, where PoCL's compiler does not run; decisions are the same each time.
inline RuntimeOptions quiet_options() {
  RuntimeOptions options = host_only();
  options.reproducible = true;
  return options;
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// A matrix of a runtime of its own, its contents known; a vector for each side.
template <Element T>
struct Yardful {
  explicit Yardful(Format format = Format::Dense, Index rows = 13, Index cols = 11)
      : contents(recoded(random_dense<T>(rows, cols, 0.4, 1), Format::CsrConst)),
        x(random_vector<T>(cols, 2)),
        y(start()) {
    auto csr = std::get<Csr<T>>(runtime.matrix(copied()).copy_out(Format::Csr));
    if (format == Format::Csr) {
      matrix.emplace(runtime.matrix(std::move(csr)));
    } else {
      matrix.emplace(runtime.matrix(copied()));
    }
  }
  [[nodiscard]] Dense<T> copied() const {
    return {contents.rows, contents.cols, copy_of(contents.values.span())};
  }
  [[nodiscard]] std::vector<T> start() const { return random_vector<T>(contents.rows, 3); }

  void expect_contents() const {
    EXPECT_FALSE(matrix->states().empty());
    const Storage<T> now = matrix->copy_out(Format::Dense);
    EXPECT_TRUE(same_bits<T>(std::get<Dense<T>>(now).values.span(), contents.values.span()));
  }
  void expect_product(std::span<const T> got, T alpha = 1, T beta = 0) const {
    const Storage<T> storage = copied();
    const auto from = start();
    const auto expected = reference_multiply<T>(storage, alpha, x, beta, from);
    EXPECT_LE(worst_error<T>(expected, got), 1);
  }

  Dense<T> contents;
  Runtime runtime{quiet_options()};
  std::optional<GMatrix<T>> matrix;
  std::vector<T> x;
  std::vector<T> y;
};

}  // namespace switchyard::testing
