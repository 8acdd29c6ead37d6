// The best choice in hindsight as a function of the number of calls.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cost_line.hpp"

namespace switchyard {

/// A part of a lower envelope: the line that is the lowest from so many calls on.
struct EnvelopePiece {
  CostLine line;
  double from_calls = 0;  ///< up to the next piece's
  std::size_t index = 0;  ///< of the line among those that the envelope was made of
};

/// The lower envelope of some lines over all numbers of calls from 0 on, beginning with the line of
/// the highest rate.
[[nodiscard]] std::vector<EnvelopePiece> lower_envelope(std::span<const CostLine> lines);

/// The `count` lines that the lower envelope can spare the least, in ascending order of their
/// indices. Where the envelope has fewer pieces: all of those, and of the other lines those that
/// come nearest to it at some number of calls. Where it has more, those go one after another
/// without which it rises by the smallest factor.
[[nodiscard]] std::vector<std::size_t> nearest_to_envelope(std::span<const CostLine> lines,
                                                           std::size_t count);

/// OPT(t): the least that t calls can cost in one single state, the path there included.
class Hindsight {
 public:
  Hindsight() = default;
  /// REQUIRES at least one line, that of one state.
  explicit Hindsight(std::span<const CostLine> lines) : pieces_(lower_envelope(lines)) {}

  /// The cost of so many calls in the state that is best for them.
  [[nodiscard]] double at(double calls) const noexcept {
    return pieces_[piece_at(calls)].line.at(calls);
  }
  /// Seconds for each further call where there are very many.
  [[nodiscard]] double final_rate() const noexcept { return pieces_.back().line.rate; }
  /// The first whole number of calls from `calls` on at which `line` is at most `bound` times the
  /// best; endless where it never is.
  [[nodiscard]] double first_within(const CostLine& line, double bound,
                                    double calls) const noexcept;

 private:
  [[nodiscard]] std::size_t piece_at(double calls) const noexcept;

  std::vector<EnvelopePiece> pieces_;
};

}  // namespace switchyard
