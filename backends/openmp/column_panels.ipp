// Panels of columns that lie side by side in registers.
#pragma once

#include "column_kernels.hpp"
#include "readers.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// Registers of a panel at most: with two nonzeros under way they fill half of AVX2's sixteen.
constexpr int panel_vectors = 4;
template <class T>
constexpr std::int64_t panel_columns = panel_vectors* wide_length<T>;

/// `width` columns: a vector, or one element.
template <class T, int width>
struct LanesOf {
  using type = Vector<T, width>;
};
template <class T>
struct LanesOf<T, 1> {
  using type = T;
};

/// Columns of the next panel, of `rest` columns that are left: of a rest that takes two panels,
/// about half in whole registers, so that no panel is narrow.
template <class T>
std::int64_t next_panel(std::int64_t rest) {
  constexpr std::int64_t most = panel_columns<T>;
  if (rest <= most) return rest;
  if (rest >= 2 * most) return most;
  return (rest / 2 + wide_length<T> - 1) / wide_length<T> * wide_length<T>;
}

/// Calls `function.template operator()<width, vectors>()` for a panel of so many columns: vectors
/// as wide as a register, or, of fewer columns, two as wide as the largest power of two among them.
/// The last vector ends with the panel and may overlap the one before it: so no number of columns
/// needs a second pass or masks.
template <class T, int width = wide_length<T>, class Function>
void with_panel(std::int64_t count, const Function& function) {
  if constexpr (width == wide_length<T>) {
    if (count > 3 * width) return function.template operator()<width, 4>();
    if (count > 2 * width) return function.template operator()<width, 3>();
  }
  if (count > width) return function.template operator()<width, 2>();
  if (count == width) return function.template operator()<width, 1>();
  if constexpr (width > 1) with_panel<T, width / 2>(count, function);
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
