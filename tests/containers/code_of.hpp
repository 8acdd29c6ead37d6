// Which error a call ends with.
#pragma once

#include <optional>
#include <switchyard/containers/error.hpp>

namespace switchyard {

/// Nothing where it ends well.
template <class Action>
std::optional<ErrorCode> code_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

/// What the check of the matrix says after the change.
template <class Matrix, class Change>
std::optional<ErrorCode> code_of_check(Matrix matrix, const Change& change) {
  change(matrix);
  return code_of([&] { matrix.check(); });
}

}  // namespace switchyard
