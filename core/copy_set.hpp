// The valid copies of one matrix.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <switchyard/containers/formats.hpp>
#include <vector>

namespace switchyard {

/// One valid copy. Shared with the products that are running on it, so that dropping it from the
/// set never pulls it from under them.
template <Element T>
struct MatrixCopy {
  State state;
  std::shared_ptr<Storage<T>> storage;
  std::uint64_t last_used = 0;
};

/// At least one copy, at most one a state, ascending by state. Not synchronised.
template <Element T>
class CopySet {
 public:
  /// Replaces everything by one copy. Throws std::bad_alloc, nothing being changed then, and
  /// nothing where there was a copy before.
  void reset(State state, std::shared_ptr<Storage<T>> storage);
  /// Adds a copy. REQUIRES: none in that state.
  void add(State state, Storage<T> storage, std::uint64_t now);

  [[nodiscard]] std::vector<State> states() const;
  /// The copy in `state`, or null.
  [[nodiscard]] MatrixCopy<T>* find(State state);
  /// The least recently used copy in `space` that is neither the last nor in a state of `needed`;
  /// or null.
  [[nodiscard]] MatrixCopy<T>* oldest_spare(Space space, const std::vector<State>& needed);
  /// Drops the copy in `state`. Returns false where there is none or it is the last.
  bool drop(State state);
  /// Drops every copy in `space`, the last one too. Returns whether any are left.
  bool lose(Space space);

 private:
  std::vector<MatrixCopy<T>> copies_;
};

}  // namespace switchyard
