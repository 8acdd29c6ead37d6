// A view of a Python object's memory, by the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <switchyard/containers/numbers.hpp>
#include <type_traits>

namespace switchyard::python {

namespace nb = nanobind;

/// C-contiguous memory of an object that lives at least as long as this view. NumPy does not
/// resize an array meanwhile. nanobind's own arrays take 0.1 us more for each, and say less about
/// what is wrong. REQUIRES: the GIL, except for the members that only look.
class Buffer {
 public:
  Buffer() = default;
  /// Not `valid` where the object offers no C-contiguous (and writable) memory.
  Buffer(nb::handle object, bool writable) {
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) PyErr_Clear();
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(Buffer&& other) noexcept : view_(other.view_) { other.view_ = {}; }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }

  /// Whether there is memory of aligned elements of that type, in this machine's byte order.
  template <class T>
  [[nodiscard]] bool holds() const noexcept {
    if (!view_.obj || view_.itemsize != Py_ssize_t{sizeof(T)} || !view_.format) return false;
    const std::string_view format(view_.format);
    const std::string_view letters = std::is_same_v<T, float>    ? "f"
                                     : std::is_same_v<T, double> ? "d"
                                                                 : "ilq";
    return format.size() == 1 && letters.find(format[0]) != letters.npos &&
           reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(T) == 0;
  }
  [[nodiscard]] int dimensions() const noexcept { return view_.ndim; }
  /// REQUIRES: axis < dimensions().
  [[nodiscard]] Index size(int axis) const noexcept { return view_.shape[axis]; }
  /// All elements in row-major order. REQUIRES: holds<T>().
  template <class T>
  [[nodiscard]] std::span<T> elements() const noexcept {
    return {static_cast<T*>(view_.buf), static_cast<std::size_t>(view_.len) / sizeof(T)};
  }
  /// Whether the two share memory.
  [[nodiscard]] bool overlaps(const Buffer& other) const noexcept {
    const auto* const begin = static_cast<const char*>(view_.buf);
    const auto* const other_begin = static_cast<const char*>(other.view_.buf);
    return begin < other_begin + other.view_.len && other_begin < begin + view_.len;
  }

 private:
  Py_buffer view_{};
};

/// The view, checked. Throws `Error(InvalidArgument)` naming what is asked for: the Python side
/// prepares arrays, so that a user does not meet this.
template <class T>
[[nodiscard]] Buffer viewed(nb::handle object, const char* what) {
  Buffer view(object, false);
  if (view.holds<T>()) return view;
  throw Error(ErrorCode::InvalidArgument,
              std::string(what) + " is no aligned contiguous array of the right type");
}

}  // namespace switchyard::python
