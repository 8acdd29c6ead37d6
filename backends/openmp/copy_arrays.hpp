// Copies of arrays that a conversion leaves as they are, on the host's threads.
#pragma once

#include <algorithm>
#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

/// Copies offsets. Both are as wide as the same number of elements needs, unless a matrix was given
/// with wider ones.
inline void copy_offsets(const Offsets& from, Offsets& to, const Shares& shares) {
  std::visit(
      [&]<class Offset, class Target>(const Array<Offset>& source, Array<Target>& target) {
        share_out_items(shares, source.size(), 64, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) target[i] = static_cast<Target>(source[i]);
        });
      },
      from, to);
}

/// Copies elements, a part for each thread.
template <class T>
void copy_elements(const Array<T>& from, Array<T>& to, const Shares& shares) {
  share_out_items(shares, from.size(), 64, [&](Index begin, Index end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}

}  // namespace switchyard::openmp
