// Users' functions as the library calls them: for many elements at once on the host, and recorded.
#pragma once

#include <algorithm>
#include <array>
#include <switchyard/core/window.hpp>
#include <type_traits>
#include <utility>

namespace switchyard {

/// What the skeletons are made of; not for programs.
namespace skeleton {

/// What a function is told of an element besides its values.
enum class Place { None, Number, RowAndColumn, Near, Around };

/// The function that changes nothing.
struct Same {
  /// `value`.
  template <class A>
  constexpr A operator()(const A& value) const {
    return value;
  }
};

/// The type V, whatever number.
template <class V, std::size_t>
using Always = V;

/// Whether a function takes `More`, then so many V.
template <class F, class V, std::size_t... K, class... More>
constexpr bool takes(std::index_sequence<K...>, More*...) {
  return std::is_invocable_v<const F&, More..., Always<V, K>...>;
}

/// How a function of `operands` elements of a vector, or of a `MultiVector`, takes them.
template <class F, class T, std::size_t operands, bool has_columns>
constexpr Place place_of() {
  constexpr auto all = std::make_index_sequence<operands>();
  constexpr Index* number = nullptr;
  if constexpr (operands > 0 && takes<F, T>(all)) {
    return Place::None;
  } else if constexpr (has_columns) {
    static_assert(takes<F, T>(all, number, number),
                  "the function must take a number for each operand, or before them the row and "
                  "the column of the element");
    return Place::RowAndColumn;
  } else {
    static_assert(takes<F, T>(all, number),
                  "the function must take a number for each operand, or before them the number of "
                  "the element");
    return Place::Number;
  }
}

/// A user's function as the library calls it.
template <Element T, class F, Place place, class Operands>
struct Adapted;

/// See above.
template <Element T, class F, Place place, std::size_t... K>
struct Adapted<T, F, place, std::index_sequence<K...>> {
  /// The operands.
  using Arrays = std::array<const T*, sizeof...(K)>;
  /// Elements that are computed before any is written, where `out` is an operand: the compiler need
  /// not consider that within them. Few, so that it copies them by vectors.
  static constexpr Index chunk = 64;

  /// The value of an element, at (row, column) or near others if that is asked for.
  template <class Seen>
  static T value(const F& f, const Arrays& in, const ElementBlock<T>& block, Index i, Index row,
                 Index column) {
    if constexpr (place == Place::Number) {
      return static_cast<T>(f(i, in[K][i]...));
    } else if constexpr (place == Place::RowAndColumn) {
      return static_cast<T>(f(row, column, in[K][i]...));
    } else if constexpr (place == Place::Near) {
      return static_cast<T>(f(Seen(in[K], i, block.size, block.edge)...));
    } else if constexpr (place == Place::Around) {
      const Index rows = block.size / block.columns;
      return static_cast<T>(f(Seen(in[K], row, column, rows, block.columns, block.edge)...));
    } else {
      return static_cast<T>(f(in[K][i]...));
    }
  }

  /// `UserFunction::map` of a part of a block.
  template <class Seen>
  static void map_range(const F& f, const ElementBlock<T>& block, Index begin, Index end, T* out) {
    const Arrays in{block.operands[K]...};
    Index row = begin / block.columns;
    Index column = begin % block.columns;
    const auto next = [&](Index i) {
      const T result = value<Seen>(f, in, block, i, row, column);
      if constexpr (place == Place::RowAndColumn || place == Place::Around) {
        column = column + 1 == block.columns ? 0 : column + 1;
        row += column == 0 ? 1 : 0;
      }
      return result;
    };
    // Elements are computed in a buffer only where they replace an operand: writing them at once
    // takes two thirds of the time on long vectors (`host map` of skeleton_benchmark).
    const auto compute = [&](Index first, T* __restrict target) {
      for (Index k = 0; k < chunk; ++k) target[k] = next(first + k);
    };
    const bool in_place = ((in[K] + begin == out) || ...);
    std::array<T, chunk> values;
    Index i = begin;
    for (; i + chunk <= end; i += chunk, out += chunk) {
      compute(i, in_place ? values.data() : out);
      if (in_place) std::copy(values.begin(), values.end(), out);
    }
    for (; i < end; ++i) *out++ = next(i);
  }

  /// `UserFunction::map` of windows of matrices: row by row, and each by itself where it is near
  /// an end.
  static void map_around(const F& f, const ElementBlock<T>& block, T* out) {
    const Index rows = block.size / block.columns;
    for (Index i = block.begin; i < block.end;) {
      const Index row = i / block.columns;
      const Index begin = row * block.columns;
      const Index end = std::min(begin + block.columns, block.end);
      const bool has_near = row >= near_enough && row < rows - near_enough;
      const Index first = has_near ? std::clamp(begin + near_enough, i, end) : end;
      const Index last = std::clamp(begin + block.columns - near_enough, first, end);
      T* const target = out + (i - block.begin);
      map_range<MatrixWindow<T>>(f, block, i, first, target);
      map_range<InnerMatrixWindow<T>>(f, block, first, last, target + (first - i));
      map_range<MatrixWindow<T>>(f, block, last, end, target + (last - i));
      i = end;
    }
  }

  /// See `UserFunction`.
  static void map(const void* object, const ElementBlock<T>& block, T* out) {
    const F& f = *static_cast<const F*>(object);
    if constexpr (place == Place::Around) {
      map_around(f, block, out);
    } else if constexpr (place == Place::Near) {
      const Index first = std::clamp(near_enough, block.begin, block.end);
      const Index last = std::clamp(block.size - near_enough, first, block.end);
      map_range<Window<T>>(f, block, block.begin, first, out);
      map_range<InnerWindow<T>>(f, block, first, last, out + (first - block.begin));
      map_range<Window<T>>(f, block, last, block.end, out + (last - block.begin));
    } else {
      map_range<Window<T>>(f, block, block.begin, block.end, out);
    }
  }

  /// See `UserFunction`.
  static T at(const void* object, Index row, Index column, const T* values) {
    const F& f = *static_cast<const F*>(object);
    if constexpr (place == Place::Number) {
      return static_cast<T>(f(row, values[K]...));
    } else if constexpr (place == Place::RowAndColumn) {
      return static_cast<T>(f(row, column, values[K]...));
    } else {
      return static_cast<T>(f(values[K]...));
    }
  }

  /// See `UserFunction`.
  static void record(const void* object, RecordedFunction& function);
};

/// Calls `make()`, which records, and sees to it that its result is the last node, of type S. What
/// cannot be recorded is told in `function`.
template <SymbolicValue S, class Make>
void record_result(RecordedFunction& function, const Make& make) {
  try {
    const std::uint8_t result = node_as<S>(function, make());
    if (result + 1 == function.node_count) return;
    static_cast<void>(
        add_node(function,
                 {.operation = SymbolicOperation::Convert, .type = value_type_of<S>, .a = result}));
  } catch (const NotRecordable& reason) {
    function.problem = reason.what();
  }
}

/// The symbol of operand k.
template <SymbolicValue S>
[[nodiscard]] Symbol<S> operand_symbol(RecordedFunction& function, std::size_t k) {
  return {&function, add_node(function, {.operation = SymbolicOperation::Operand,
                                         .type = value_type_of<S>,
                                         .a = static_cast<std::uint8_t>(k)})};
}

/// The symbol of an element's number, row (0) or column (1).
[[nodiscard]] inline Symbol<Index> place_symbol(RecordedFunction& function, bool in_rows,
                                                std::uint8_t coordinate = 0) {
  return {&function, add_node(function, {.operation = SymbolicOperation::Position,
                                         .type = ValueType::Integer,
                                         .a = coordinate,
                                         .b = static_cast<std::uint8_t>(in_rows ? 1 : 0)})};
}

/// `f(arguments...)`, if it takes them.
template <class F, class... Arguments>
auto called(const F& f, const Arguments&... arguments) {
  if constexpr (std::is_invocable_v<const F&, const Arguments&...>) {
    return f(arguments...);
  } else {
    throw NotRecordable("its arguments are not auto");
    return 0.0;
  }
}

template <Element T, class F, Place place, std::size_t... K>
void Adapted<T, F, place, std::index_sequence<K...>>::record(const void* object,
                                                             RecordedFunction& function) {
  const F& f = *static_cast<const F*>(object);
  record_result<T>(function, [&] {
    if constexpr (place == Place::Near) {
      return called(f, SymbolicWindow<T>{&function, static_cast<std::uint8_t>(K)}...);
    } else if constexpr (place == Place::Around) {
      return called(f, SymbolicMatrixWindow<T>{&function, static_cast<std::uint8_t>(K)}...);
    } else {
      const std::array<Symbol<T>, sizeof...(K)> in{operand_symbol<T>(function, K)...};
      if constexpr (place == Place::Number) {
        return called(f, place_symbol(function, false), in[K]...);
      } else if constexpr (place == Place::RowAndColumn) {
        return called(f, place_symbol(function, true), place_symbol(function, true, 1), in[K]...);
      } else {
        return called(f, in[K]...);
      }
    }
  });
}

/// Whether a function takes what it is told of an element at that place, and gives an R.
template <class R, class F, Place place, class T, std::size_t... K>
constexpr bool gives(std::index_sequence<K...>) {
  if constexpr (place == Place::Number) {
    return std::is_invocable_r_v<R, const F&, Index, Always<T, K>...>;
  } else if constexpr (place == Place::RowAndColumn) {
    return std::is_invocable_r_v<R, const F&, Index, Index, Always<T, K>...>;
  } else if constexpr (place == Place::Near) {
    return std::is_invocable_r_v<R, const F&, Always<Window<T>, K>...>;
  } else if constexpr (place == Place::Around) {
    return std::is_invocable_r_v<R, const F&, Always<MatrixWindow<T>, K>...>;
  } else {
    return std::is_invocable_r_v<R, const F&, Always<T, K>...>;
  }
}

/// The function of so many operands, as the library calls it.
template <Element T, Place place, std::size_t operands, class F>
[[nodiscard]] UserFunction<T> user_function(const F& f) {
  using All = std::make_index_sequence<operands>;
  using Called = Adapted<T, F, place, All>;
  // Each mistake ends here, so that the compiler tells nothing else.
  if constexpr (operands > most_operands) {
    static_assert(operands <= most_operands, "a skeleton takes at most 8 operands");
  } else if constexpr (!gives<void, F, place, T>(All())) {
    return {};  // whoever asked for the place has told why
  } else if constexpr (!gives<T, F, place, T>(All())) {
    static_assert(gives<T, F, place, T>(All()), "the function must return a number");
  } else if constexpr (place == Place::Near || place == Place::Around) {
    return {&f, &Called::map, nullptr, &Called::record, true};
  } else {
    return {&f,
            &Called::map,
            &Called::at,
            &Called::record,
            place != Place::None,
            std::is_same_v<F, Same>};
  }
}

}  // namespace skeleton
}  // namespace switchyard
