// Checks of what C programs pass, and conversions from and to it.
#pragma once

#include <switchyard.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <switchyard/core/runtime.hpp>

#include "handles.hpp"

namespace switchyard::c {

/// The object that the argument called `what` points to. Throws `Error(InvalidArgument)` for NULL.
template <class T>
[[nodiscard]] T& required(T* pointer, const char* what) {
  if (pointer) return *pointer;
  throw Error(ErrorCode::InvalidArgument, std::string(what) + " is NULL");
}

/// The array of `size` elements at `pointer`. Throws `Error(InvalidArgument)` if it is NULL though
/// it has elements, or not aligned, and `Error(OutOfRange)` if `size` is negative or too large.
template <class T>
[[nodiscard]] std::span<T> required_array(T* pointer, Index size, const char* what) {
  static_cast<void>(checked_product(size, Index{sizeof(T)}));
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) != 0) {
    throw Error(ErrorCode::InvalidArgument, std::string(what) + " is not aligned for its elements");
  }
  if (size > 0) static_cast<void>(required(pointer, what));
  return {pointer, static_cast<std::size_t>(size)};
}

/// Throws `Error(InvalidArgument)` if `memory` is none of `sy_memory`.
void check_memory(int memory);

/// The values in place or copied, as `memory` says. Throws what `copy_of` throws.
template <class T>
[[nodiscard]] Array<T> kept(std::span<const T> values, int memory) {
  return memory == SY_COPY ? copy_of(values) : Array<T>::borrow(values);
}

/// The request, or the default for NULL. Throws `Error(InvalidArgument)` if it is none.
[[nodiscard]] Request request_of(const sy_request* request);

/// The state of that name. Throws `Error(InvalidArgument)` for NULL and any other text.
[[nodiscard]] State state_of(const char* name);

/// The matrix behind a handle. Throws `Error(InvalidArgument)` for NULL, and if its elements are
/// of the other type.
template <Element T>
[[nodiscard]] GMatrix<T>& matrix_of(sy_matrix* matrix) {
  if (auto* held = std::get_if<GMatrix<T>>(&required(matrix, "matrix").matrix)) return *held;
  throw Error(ErrorCode::InvalidArgument, "the matrix has elements of another type", {},
              "functions that end in _f32 are for float, those in _f64 for double");
}
/// As above.
template <Element T>
[[nodiscard]] const GMatrix<T>& matrix_of(const sy_matrix* matrix) {
  return matrix_of<T>(const_cast<sy_matrix*>(matrix));
}

/// Calls look(matrix) with the `GMatrix<T>` behind a handle. Throws `Error(InvalidArgument)` for
/// NULL, and what `look` throws.
template <class Look>
decltype(auto) with_matrix(const sy_matrix* matrix, const Look& look) {
  return std::visit(look, required(matrix, "matrix").matrix);
}

/// A copy of the text that `sy_free` frees.
[[nodiscard]] char* text_for_caller(std::string_view text);

/// The counters as C has them.
[[nodiscard]] sy_counters counters_for_caller(const Counters& counters);

}  // namespace switchyard::c
