// Which formats conversions lead to.
#pragma once

#include <algorithm>
#include <span>
#include <switchyard/backends/operations.hpp>
#include <vector>

namespace switchyard {

/// Walks breadth-first from CSR along the conversions of `backend`, so that a format several
/// conversions away is reached too, and calls `visit(operation)` once for each conversion out of a
/// format that was reached. Its answer says whether the operation's target is there now.
template <Element T, class Visit>
void walk_conversions(std::span<const ConvertOperation<T>> operations, Backend backend,
                      Visit&& visit) {
  std::vector<Format> reached{Format::Csr};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const ConvertOperation<T>& operation : operations) {
      if (operation.backend != backend || operation.from != reached[i]) continue;
      if (visit(operation) && std::ranges::find(reached, operation.to) == reached.end()) {
        reached.push_back(operation.to);
      }
    }
  }
}

}  // namespace switchyard
