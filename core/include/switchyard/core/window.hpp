// An element of a vector and those near it, as map_overlap shows them to its function.
#pragma once

#include <switchyard/backends/skeleton_operations.hpp>
#include <switchyard/backends/symbol.hpp>

namespace switchyard {

/// An element of a vector and those near it, as `map_overlap` shows them to its function.
template <Element T>
class Window {
 public:
  /// Around element `i` of `size`.
  Window(const T* elements, Index i, Index size, Edge edge) noexcept
      : elements_(elements), i_(i), size_(size), edge_(edge) {}
  /// The element `shift` places further; beyond the ends, what the edge says.
  [[nodiscard]] T operator()(Index shift = 0) const noexcept {
    Index at = i_ + shift;
    if (at >= 0 && at < size_) return elements_[at];
    if (edge_.kind == Edge::Kind::Constant) return static_cast<T>(edge_.value);
    if (edge_.kind == Edge::Kind::Nearest) return elements_[at < 0 ? 0 : size_ - 1];
    at %= size_;
    return elements_[at < 0 ? at + size_ : at];
  }

 private:
  const T* elements_;
  Index i_;
  Index size_;
  Edge edge_;
};

namespace skeleton {

/// Windows with no more than so many elements to either side are read without looking where the
/// vector ends.
inline constexpr Index near_enough = 8;

/// As `Window` where the vector does not end nearby.
template <Element T>
class InnerWindow {
 public:
  /// Around element `i` of `size`.
  InnerWindow(const T* elements, Index i, Index size, Edge edge) noexcept
      : center_(elements + i), window_(elements, i, size, edge) {}
  /// See `Window`.
  [[nodiscard]] T operator()(Index shift = 0) const noexcept {
    const bool is_near = shift >= -near_enough && shift <= near_enough;
    return is_near ? center_[shift] : window_(shift);
  }

 private:
  const T* center_;
  Window<T> window_;
};

/// As `Window` while a function is recorded.
template <Element T>
struct SymbolicWindow {
  RecordedFunction* function;  ///< that is being recorded
  std::uint8_t operand;        ///< its number
  /// See `Window`.
  Symbol<T> operator()(Index shift = 0) const {
    if (shift != static_cast<std::int32_t>(shift)) throw NotRecordable("it looks too far away");
    return {function, add_node(*function, {.operation = SymbolicOperation::Operand,
                                           .type = value_type_of<T>,
                                           .a = operand,
                                           .shift = static_cast<std::int32_t>(shift)})};
  }
};

}  // namespace skeleton
}  // namespace switchyard
