// Parsing lines of entries. Speed counts here: a file has one line for each nonzero.
#include "matrix_market_parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text_numbers.hpp"

namespace switchyard {
namespace {

constexpr char comment_hint[] =
    "comments stand before the sizes only; lenient reading (--lenient) accepts them anywhere";
constexpr char lenient_hint[] = "lenient reading (--lenient) accepts that";
constexpr char too_large_hint[] =
    "read it as double (--precision double); lenient reading (--lenient) makes it infinite";

/// Walks over the lines of a block, counting them.
class LineParser {
 public:
  LineParser(std::string_view text, const ReadOptions& options)
      : cursor_{text.data(), text.data() + text.size()}, lenient_(options.lenient) {}

  /// Moves to the next line that is not blank; false at the end of the block.
  bool find_entry() {
    while (cursor_.at != cursor_.end) {
      cursor_.skip_blanks();
      if (!cursor_.at_line_end() && !skip_comment()) return true;
      counted_.add_blank();
      step();
    }
    return false;
  }

  /// An index from 1 to `limit`, less one.
  Index index(Index limit, const char* what) {
    Index value = 0;
    if (!scan_short_integer(cursor_, value)) value = unusual_index(what);
    if (value < 1 || value > limit) {
      fail(fmt::format("the {} index {} is outside 1..{}", what, value, limit));
    }
    return value - 1;
  }

  template <Element T, Field field>
  T value() {
    if constexpr (field == Field::Pattern) {
      return T{1};
    } else if constexpr (field == Field::Integer) {
      Index whole = 0;
      if (scan_short_integer(cursor_, whole)) return static_cast<T>(whole);
      const Scan scan = scan_integer(cursor_, whole);
      T real{};
      if (scan != Scan::Good && lenient_ && fraction(real)) return real;
      if (scan == Scan::TooLarge) fail("the integer does not fit in 64 bits", lenient_hint);
      check<T>(scan, "integer");
      return static_cast<T>(whole);
    } else {
      T real{};
      Scan scan = scan_real(cursor_, real);
      if (scan == Scan::Good) return real;
      if (scan == Scan::NotANumber && lenient_) scan = fortran_real(real);
      if (scan == Scan::TooLarge && lenient_) {
        forgive(Leniency::Huge);
      } else {
        check<T>(scan, "number");
      }
      return real;
    }
  }

  /// Ends an entry's line.
  void finish_entry() {
    cursor_.skip_blanks();
    if (!cursor_.at_line_end()) skip_words();
    ++counted_.entries;
    step();
  }

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw LineError{ErrorCode::ParseError, what, counted_.lines + 1, hint};
  }

  /// Remembers on which side of the diagonal the current line's entry is.
  void note_triangle(bool above) {
    Index& first = above ? counted_.first_above : counted_.first_below;
    if (first == 0) first = counted_.lines + 1;
  }

  void forgive(Leniency leniency) { ++counted_.forgiven[static_cast<std::size_t>(leniency)]; }

  [[nodiscard]] BlockLines counted() && { return std::move(counted_); }
  [[nodiscard]] bool lenient() const noexcept { return lenient_; }

 private:
  void step() {
    ++cursor_.at;
    ++counted_.lines;
  }

  Index unusual_index(const char* what) {
    Index value = 0;
    switch (scan_integer(cursor_, value)) {
      case Scan::Good:
        return value;
      case Scan::Missing:
        fail(fmt::format("the {} index is missing", what));
      case Scan::TooLarge:
        fail(fmt::format("the {} index does not fit in 64 bits", what));
      case Scan::NotANumber:
        break;
    }
    fail(fmt::format("{} is no {} index", shown(cursor_.word()), what),
         *cursor_.at == '%' ? comment_hint : "");
  }

  /// Fortran writes the exponents of double precision with a D.
  template <Element T>
  Scan fortran_real(T& real) {
    std::string word(cursor_.word());
    const std::size_t exponent = word.find_first_of("dD");
    if (exponent == std::string::npos || exponent == 0) return Scan::NotANumber;
    word[exponent] = 'e';
    word += '\n';
    Cursor repaired{word.data(), word.data() + word.size()};
    const Scan scan = scan_real(repaired, real);
    if (scan == Scan::NotANumber) return scan;
    cursor_.at += word.size() - 1;
    forgive(Leniency::Exponent);
    return scan;
  }

  /// Whether lenient reading finds a number that is no integer.
  template <Element T>
  bool fraction(T& real) {
    Cursor ahead = cursor_;
    if (scan_real(ahead, real) != Scan::Good || !std::isfinite(real)) return false;
    cursor_ = ahead;
    forgive(Leniency::Fraction);
    return true;
  }

  /// Whether the rest of the line is a comment, which lenient reading passes over.
  bool skip_comment() {
    // The banner of another file that was appended is none.
    if (!lenient_ || *cursor_.at != '%' || cursor_.word().starts_with("%%MatrixMarket"))
      return false;
    skip_line();
    forgive(Leniency::Comment);
    return true;
  }

  template <Element T>
  void check(Scan scan, const char* what) const {
    if (scan == Scan::Good) return;
    if (scan == Scan::Missing) fail("the value is missing");
    if (scan == Scan::TooLarge) {
      fail(fmt::format("the {} is too large for {}", what, name(precision_of<T>)),
           precision_of<T> == Precision::Float ? too_large_hint : lenient_hint);
    }
    fail(fmt::format("{} is no {}", shown(cursor_.word()), what),
         *cursor_.at == '%' ? comment_hint : "");
  }

  void skip_words() {
    if (!lenient_) fail("unexpected " + shown(cursor_.word()) + " after the entry", lenient_hint);
    forgive(Leniency::Words);
    skip_line();
  }

  void skip_line() {
    const char* const words = cursor_.at;
    cursor_.at = std::find(words, cursor_.end, '\n');
    if (std::find(words, cursor_.at, '\0') != cursor_.at) fail("the line contains a NUL byte");
  }

  Cursor cursor_;
  bool lenient_;
  BlockLines counted_;
};

/// Adds what symmetry says besides the entry itself.
template <Element T>
void mirror(LineParser& parser, Symmetry symmetry, std::vector<Triplet<T>>& entries) {
  const Triplet<T> entry = entries.back();
  if (entry.row != entry.col) {
    parser.note_triangle(entry.row < entry.col);
    entries.push_back(
        {entry.col, entry.row, symmetry == Symmetry::Skew ? -entry.value : entry.value});
  } else if (symmetry == Symmetry::Skew) {
    if (!parser.lenient() || entry.value != T{0}) {
      parser.fail("a skew-symmetric matrix has no entries on its diagonal");
    }
    parser.forgive(Leniency::Diagonal);
  }
}

template <Element T, Field field>
BlockLines parse_entries(LineParser parser, const MatrixMarketHeader& header,
                         std::vector<Triplet<T>>& entries) {
  while (parser.find_entry()) {
    const Index row = parser.index(header.rows, "row");
    const Index col = parser.index(header.cols, "column");
    entries.push_back({row, col, parser.template value<T, field>()});
    if (header.symmetry != Symmetry::General) mirror(parser, header.symmetry, entries);
    parser.finish_entry();
  }
  return std::move(parser).counted();
}

template <Element T, Field field>
BlockLines parse_values_of(LineParser parser, std::vector<T>& values) {
  while (parser.find_entry()) {
    values.push_back(parser.template value<T, field>());
    parser.finish_entry();
  }
  return std::move(parser).counted();
}

}  // namespace

void BlockLines::add_blank() {
  const Index before = blank_at.empty() ? 0 : blank_at.back().blanks;
  if (blank_at.empty() || blank_at.back().entries != entries) blank_at.push_back({entries, before});
  ++blank_at.back().blanks;
}

Index BlockLines::line_of(Index entry) const {
  const auto after = std::upper_bound(
      blank_at.begin(), blank_at.end(), entry,
      [](Index number, const BlankLines& blank) { return number < blank.entries; });
  return entry + 1 + (after == blank_at.begin() ? 0 : std::prev(after)->blanks);
}

template <Element T>
CoordinateBlock<T> parse_coordinates(std::string_view text, const MatrixMarketHeader& header,
                                     const ReadOptions& options, const RowBuckets& buckets,
                                     std::vector<Triplet<T>>& scratch) {
  scratch.clear();
  const LineParser parser(text, options);
  CoordinateBlock<T> block;
  switch (header.field) {
    case Field::Real:
      block.lines = parse_entries<T, Field::Real>(parser, header, scratch);
      break;
    case Field::Integer:
      block.lines = parse_entries<T, Field::Integer>(parser, header, scratch);
      break;
    case Field::Pattern:
      block.lines = parse_entries<T, Field::Pattern>(parser, header, scratch);
      break;
  }
  block.entries = group_entries(std::span<const Triplet<T>>(scratch), buckets);
  return block;
}

template <Element T>
ArrayBlock<T> parse_values(std::string_view text, const MatrixMarketHeader& header,
                           const ReadOptions& options) {
  const LineParser parser(text, options);
  ArrayBlock<T> block;
  block.lines = header.field == Field::Integer
                    ? parse_values_of<T, Field::Integer>(parser, block.values)
                    : parse_values_of<T, Field::Real>(parser, block.values);
  return block;
}

template CoordinateBlock<float> parse_coordinates(std::string_view, const MatrixMarketHeader&,
                                                  const ReadOptions&, const RowBuckets&,
                                                  std::vector<Triplet<float>>&);
template CoordinateBlock<double> parse_coordinates(std::string_view, const MatrixMarketHeader&,
                                                   const ReadOptions&, const RowBuckets&,
                                                   std::vector<Triplet<double>>&);
template ArrayBlock<float> parse_values(std::string_view, const MatrixMarketHeader&,
                                        const ReadOptions&);
template ArrayBlock<double> parse_values(std::string_view, const MatrixMarketHeader&,
                                         const ReadOptions&);

}  // namespace switchyard
