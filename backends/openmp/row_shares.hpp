// Sharing the rows of a sparse matrix among threads: each part has the same number of rows and
// nonzeros together, and long rows are cut.
#pragma once

#include <array>
#include <span>

#include "team.hpp"

namespace switchyard::openmp {

/// A row is cut only where a part ends more than so many nonzeros into it.
inline constexpr Index nonzeros_worth_cutting = 2048;

/// A place between two nonzeros: `nonzero` of all, in `row` or at its start.
struct Place {
  Index row = 0;
  Index nonzero = 0;
};

/// The first row i with i + offsets[i] >= target, or `rows`. Looked for from where it would be if
/// all rows were equally long: each step of a search costs a miss in the cache.
template <class Offset>
Index row_at(const Offset* offsets, Index rows, Index target) {
  if (target <= 0) return 0;  // there may be no rows
  const auto before = [&](Index i) { return i + Index{offsets[i]} < target; };
  const double share = static_cast<double>(target) / static_cast<double>(rows + offsets[rows]);
  const Index guess = std::min(static_cast<Index>(share * static_cast<double>(rows)), rows);
  Index low = 0;
  Index high = rows;
  for (Index step = 8, at = guess; at < rows; step *= 8, at += step) {
    if (!before(at)) {
      high = at;
      break;
    }
    low = at + 1;
  }
  for (Index step = 8, at = std::min(guess, high) - 1; at >= low; step *= 8, at -= step) {
    if (before(at)) {
      low = at + 1;
      break;
    }
    high = at;
  }
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The place that rows and nonzeros together make the `target`-th (the merge path's diagonal:
/// Merrill and Garland, SC'16), moved to a row's start unless that is far.
template <class Offset>
Place place_at(const Offset* offsets, Index rows, Index target) {
  const Index row = row_at(offsets, rows, target);
  if (row == 0) return {};
  const Index into_row = target - (row - 1) - Index{offsets[row - 1]};
  if (into_row <= nonzeros_worth_cutting) return {row - 1, Index{offsets[row - 1]}};
  const Index left = Index{offsets[row]} - Index{offsets[row - 1]} - into_row;
  if (left <= nonzeros_worth_cutting) return {row, Index{offsets[row]}};
  return {row - 1, offsets[row - 1] + into_row};
}

/// What a part has of a row that begins before it or ends after it; row -1: nothing.
template <Element T>
struct Piece {
  Index row;
  T sum;
};
/// On a cache line of its own: each is written by another thread.
template <Element T>
struct alignas(64) Pieces {
  Piece<T> first;  ///< of the row in which the part begins
  Piece<T> last;   ///< of the row in which it ends, where that is another
};

template <class Rows>
auto multiply_share(const Rows& rows, Place begin, Place end) {
  using T = typename Rows::Element;
  const auto& work = rows.work;
  const auto piece = [&](Index row, Index from, Index to) {
    return Piece<T>{row, rows.sum(row, from, to)};
  };
  Pieces<T> pieces{{-1, T{0}}, {-1, T{0}}};
  Index first_row = begin.row;
  if (begin.nonzero > work.offsets[begin.row]) {
    const Index row_end = work.offsets[begin.row + 1];
    pieces.first = piece(begin.row, begin.nonzero, std::min(row_end, end.nonzero));
    ++first_row;
  }
  if (first_row < end.row) rows.multiply(first_row, end.row);
  if (first_row <= end.row && end.nonzero > work.offsets[end.row]) {
    pieces.last = piece(end.row, work.offsets[end.row], end.nonzero);
  }
  return pieces;
}

/// Puts cut rows together, in the order of their pieces, so that the same call gives the same bits.
template <Element T, class Work>
void join(const Work& work, std::span<const Pieces<T>> all) {
  Piece<T> row{-1, T{0}};
  const auto finish = [&] {
    if (row.row < 0) return;
    T& y = work.y[row.row];
    y = updated(work.alpha, row.sum, work.beta, y);
  };
  const auto add = [&](const Piece<T>& piece) {
    if (piece.row < 0) return;
    if (piece.row == row.row) {
      row.sum += piece.sum;
    } else {
      finish();
      row = piece;
    }
  };
  for (const Pieces<T>& pieces : all) {
    add(pieces.first);
    add(pieces.last);
  }
  finish();
}

/// y = alpha A x + beta y on several threads. `rows` has the offsets of A, alpha, beta, y and nnz
/// in `work`; `multiply(begin, end)` does whole rows, and `sum(row, begin, end)` adds up elements
/// of one.
template <class Rows>
void multiply_in_shares(const Rows& rows, Index count, const Shares& shares) {
  if (shares.parts == 1 || count == 0) return rows.multiply(0, count);
  const auto& work = rows.work;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Pieces<typename Rows::Element>, most_threads> pieces;
  const auto share_end = [&](int part) {
    if (part == shares.parts) return Place{count, work.nnz};
    return place_at(work.offsets, count, part_begin(count + work.nnz, part, shares.parts));
  };
  share_out(shares, [&](int part) {
    pieces[static_cast<std::size_t>(part)] =
        multiply_share(rows, share_end(part), share_end(part + 1));
  });
  join(work, std::span<const Pieces<typename Rows::Element>>(
                 pieces.data(), static_cast<std::size_t>(shares.parts)));
}

}  // namespace switchyard::openmp
