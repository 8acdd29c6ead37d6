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

}  // namespace switchyard
