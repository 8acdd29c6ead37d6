// What products of one matrix have in common.
#pragma once

#include <string_view>
#include <switchyard/containers/request.hpp>
#include <switchyard/containers/state.hpp>

namespace switchyard {

/// What is asked for, and where and by which kernel it is computed.
struct ProductKind {
  Request request = {};
  State state = {};
  std::string_view variant = {};
};

}  // namespace switchyard
