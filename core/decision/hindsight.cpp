// Lower envelopes of lines, and where another line comes near to one.
#include "hindsight.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace switchyard {
namespace {

/// The factor from `b` to `a`; 1 where `a` is no more, which covers two zeros.
double factor(double a, double b) { return a <= b ? 1 : a / b; }

/// REQUIRES: a rate below that of the last piece.
void add_piece(std::vector<EnvelopePiece>& pieces, const CostLine& line, std::size_t index) {
  double from = 0;
  while (!pieces.empty()) {
    const EnvelopePiece& last = pieces.back();
    from = (line.fixed - last.line.fixed) / (last.line.rate - line.rate);
    if (from > last.from_calls) break;
    pieces.pop_back();
    from = 0;
  }
  if (from < never) pieces.push_back({line, from, index});
}

/// The factor by which the envelope rises, where it does so the most, without piece k.
double rise_without(const std::vector<EnvelopePiece>& pieces, std::size_t k) {
  const CostLine& line = pieces[k].line;
  if (k + 1 == pieces.size()) return factor(pieces[k - 1].line.rate, line.rate);
  const CostLine& next = pieces[k + 1].line;
  if (k == 0) return factor(next.at(1), line.at(1));
  const CostLine& before = pieces[k - 1].line;
  const double crossing = (next.fixed - before.fixed) / (before.rate - next.rate);
  return factor(next.at(crossing), line.at(crossing));
}

void thin_out(std::vector<EnvelopePiece>& pieces, std::size_t count) {
  while (pieces.size() > count) {
    std::size_t least = 0;
    double rise = endless;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const double other = rise_without(pieces, k);
      if (!(other < rise)) continue;
      least = k;
      rise = other;
    }
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

/// The smallest factor by which `line` lies above the envelope. The ratio of two lines has no
/// minimum between the ends of a piece.
double height_above(const std::vector<EnvelopePiece>& pieces, const CostLine& line) {
  double least = factor(line.rate, pieces.back().line.rate);
  for (const EnvelopePiece& piece : pieces) {
    const double calls = std::max(piece.from_calls, 1.0);
    least = std::min(least, factor(line.at(calls), piece.line.at(calls)));
  }
  return least;
}

}  // namespace

std::vector<EnvelopePiece> lower_envelope(std::span<const CostLine> lines) {
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (lines[a].rate != lines[b].rate) return lines[a].rate > lines[b].rate;
    return lines[a].fixed != lines[b].fixed ? lines[a].fixed < lines[b].fixed : a < b;
  });
  std::vector<EnvelopePiece> pieces;
  const CostLine* last = nullptr;
  for (const std::size_t k : order) {
    if (last && lines[k].rate >= last->rate) continue;
    add_piece(pieces, lines[k], k);
    if (!pieces.empty()) last = &lines[pieces.back().index];
  }
  return pieces;
}

std::vector<std::size_t> nearest_to_envelope(std::span<const CostLine> lines, std::size_t count) {
  std::vector<EnvelopePiece> pieces = lower_envelope(lines);
  thin_out(pieces, count);
  std::vector<std::size_t> chosen;
  for (const EnvelopePiece& piece : pieces) chosen.push_back(piece.index);
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (std::ranges::find(chosen, k) != chosen.end()) continue;
    others.emplace_back(height_above(pieces, lines[k]), k);
  }
  const std::size_t wanted = std::min(count - chosen.size(), others.size());
  std::ranges::partial_sort(others, others.begin() + static_cast<std::ptrdiff_t>(wanted));
  for (std::size_t k = 0; k < wanted; ++k) chosen.push_back(others[k].second);
  std::ranges::sort(chosen);
  return chosen;
}

std::size_t Hindsight::piece_at(double calls) const noexcept {
  const auto after = std::ranges::upper_bound(pieces_, calls, {}, &EnvelopePiece::from_calls);
  return after == pieces_.begin() ? 0 : static_cast<std::size_t>(after - pieces_.begin()) - 1;
}

double Hindsight::first_within(const CostLine& line, double bound, double calls) const noexcept {
  for (std::size_t k = piece_at(calls); k < pieces_.size(); ++k) {
    const double end = k + 1 < pieces_.size() ? pieces_[k + 1].from_calls : endless;
    const double begin = std::max(calls, std::ceil(pieces_[k].from_calls));
    if (begin >= end) continue;
    const CostLine& best = pieces_[k].line;
    if (line.at(begin) <= bound * best.at(begin) * (1 + rounding)) return begin;
    const double gain = bound * best.rate - line.rate;
    if (gain <= 0) continue;
    const double meet = std::ceil((line.fixed - bound * best.fixed) / gain / (1 + rounding));
    if (meet < end && meet < never) return std::max(meet, begin);
  }
  return endless;
}

}  // namespace switchyard
