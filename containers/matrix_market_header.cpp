// Parsing the banner and the sizes of a Matrix Market file.
#include "matrix_market_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "foreign_file.hpp"
#include "row_buckets.hpp"
#include "text_numbers.hpp"

namespace switchyard {
namespace {

constexpr char banner_hint[] =
    "the first line reads '%%MatrixMarket matrix coordinate real general' or the like";

constexpr char lenient_hint[] = "lenient reading (--lenient) accepts that";

/// Line after line of the beginning of the file, over as many blocks as that takes.
class HeaderLines {
 public:
  HeaderLines(TextBlocks& blocks, TextBlock& block) : blocks_(blocks), block_(block) {}

  /// False at the end of the file.
  bool next(std::string_view& line) {
    if (block_.text.empty() && !read_block()) return false;
    if (number_ == 0) refuse_foreign();
    const std::size_t size = block_.text.find('\n');
    line = block_.text.substr(0, size);
    block_.text.remove_prefix(size + 1);
    ++number_;
    if (line.find('\0') != std::string_view::npos) fail("the line contains a NUL byte");
    return true;
  }

  [[nodiscard]] Index number() const noexcept { return number_; }

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {},
                         ErrorCode code = ErrorCode::ParseError) const {
    throw LineError{code, what, std::max(number_, Index{1}), hint};
  }

 private:
  void refuse_foreign() const {
    const ForeignFile file = foreign_file(block_.text);
    if (file.what.empty()) return;
    fail(fmt::format("this is no Matrix Market file, but {}", file.what), std::string(file.hint),
         ErrorCode::Unsupported);
  }

  bool read_block() {
    try {
      return blocks_.next(block_);
    } catch (LineError& error) {
      error.line += number_;
      throw;
    }
  }

  TextBlocks& blocks_;
  TextBlock& block_;
  Index number_ = 0;
};

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// The next word of a line, in lower case.
std::string take_word(std::string_view& line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  const auto size = std::find_if(line.begin(), line.end(), is_blank) - line.begin();
  const auto word = line.substr(0, static_cast<std::size_t>(size));
  line.remove_prefix(word.size());
  return lower(word);
}

/// The value that `word` stands for.
template <class Value, std::size_t N>
Value choose(const HeaderLines& lines, std::string_view kind, const std::string& word,
             const std::array<std::pair<std::string_view, Value>, N>& table) {
  for (const auto& [name, value] : table) {
    if (name == word) return value;
  }
  std::string names;
  for (const auto& [name, value] : table) names += (names.empty() ? "" : ", ") + std::string(name);
  lines.fail(fmt::format("{} is not a known {}", shown(word), kind), "known are: " + names);
}

void refuse_complex(const HeaderLines& lines, const std::string& field) {
  if (field != "complex") return;
  lines.fail("complex matrices are not supported", "real, integer and pattern are",
             ErrorCode::Unsupported);
}

void check_combination(const HeaderLines& lines, const MatrixMarketHeader& header) {
  if (header.field != Field::Pattern) return;
  if (header.layout == Layout::Array) lines.fail("an array cannot be a pattern");
  if (header.symmetry == Symmetry::Skew) lines.fail("a pattern cannot be skew-symmetric");
}

void read_banner(HeaderLines& lines, MatrixMarketHeader& header, const ReadOptions& options) {
  std::string_view line;
  if (!lines.next(line)) lines.fail("the file is empty", banner_hint);
  if (!line.starts_with('%') || take_word(line) != "%%matrixmarket") {
    lines.fail("this is no Matrix Market file", banner_hint);
  }
  choose(lines, "object", take_word(line), std::array{std::pair{std::string_view("matrix"), 0}});
  header.layout = choose(lines, "format", take_word(line),
                         std::array{std::pair{std::string_view("coordinate"), Layout::Coordinate},
                                    std::pair{std::string_view("array"), Layout::Array}});
  const std::string field = take_word(line);
  refuse_complex(lines, field);
  header.field = choose(lines, "field", field,
                        std::array{std::pair{std::string_view("real"), Field::Real},
                                   std::pair{std::string_view("integer"), Field::Integer},
                                   // SciPy's name for the elements of an unsigned type.
                                   std::pair{std::string_view("unsigned-integer"), Field::Integer},
                                   std::pair{std::string_view("pattern"), Field::Pattern}});
  header.symmetry =
      choose(lines, "symmetry of real matrices", take_word(line),
             std::array{std::pair{std::string_view("general"), Symmetry::General},
                        std::pair{std::string_view("symmetric"), Symmetry::Symmetric},
                        std::pair{std::string_view("skew-symmetric"), Symmetry::Skew}});
  if (const auto rest = take_word(line); !rest.empty()) {
    if (!options.lenient) {
      lines.fail("unexpected " + shown(rest) + " after the banner", lenient_hint);
    }
    ++header.further_words;
  }
  check_combination(lines, header);
}

Index take_size(const HeaderLines& lines, Cursor& cursor, std::string_view what) {
  Index value = 0;
  switch (scan_integer(cursor, value)) {
    case Scan::Missing:
      lines.fail(fmt::format("the number of {} is missing", what));
    case Scan::TooLarge:
      lines.fail(fmt::format("the number of {} does not fit in 64 bits", what));
    case Scan::NotANumber:
      lines.fail(fmt::format("{} is no number of {}", shown(cursor.word()), what));
    case Scan::Good:
      break;
  }
  if (value < 0) lines.fail(fmt::format("the number of {} is negative", what));
  return value;
}

/// How many values an array file has.
Index array_entries(const MatrixMarketHeader& header) {
  const Index n = header.rows;
  switch (header.symmetry) {
    case Symmetry::General:
      return checked_product(n, header.cols);
    case Symmetry::Symmetric:
      return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
    case Symmetry::Skew:
      break;
  }
  return n == 0 ? 0 : n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
}

void check_sizes(const HeaderLines& lines, const MatrixMarketHeader& header) {
  if (header.symmetry != Symmetry::General && header.rows != header.cols) {
    lines.fail(
        fmt::format("a symmetric matrix of {} x {} is not square", header.rows, header.cols));
  }
  if (header.cols > std::numeric_limits<Column>::max()) {
    lines.fail(fmt::format("{} columns are more than 2^31-1", header.cols), {},
               ErrorCode::OutOfRange);
  }
  Index elements = 0;
  if (header.rows > RowBuckets::largest_rows ||
      (header.layout == Layout::Array &&
       __builtin_mul_overflow(header.rows, header.cols, &elements))) {
    lines.fail(fmt::format("a matrix of {} x {} is out of range", header.rows, header.cols), {},
               ErrorCode::OutOfRange);
  }
}

void read_sizes(HeaderLines& lines, std::string_view line, MatrixMarketHeader& header,
                const ReadOptions& options) {
  // The line's '\n' is still there, behind it.
  Cursor cursor{line.data(), line.data() + line.size() + 1};
  header.rows = take_size(lines, cursor, "rows");
  header.cols = take_size(lines, cursor, "columns");
  if (header.layout == Layout::Coordinate) header.entries = take_size(lines, cursor, "entries");
  cursor.skip_blanks();
  if (!cursor.at_line_end()) {
    if (!options.lenient) {
      lines.fail("unexpected " + shown(cursor.word()) + " after the sizes", lenient_hint);
    }
    ++header.further_words;
  }
  check_sizes(lines, header);
  if (header.layout == Layout::Array) header.entries = array_entries(header);
  header.line = lines.number();
}

}  // namespace

MatrixMarketHeader read_header(TextBlocks& blocks, TextBlock& block, const ReadOptions& options) {
  HeaderLines lines(blocks, block);
  MatrixMarketHeader header;
  read_banner(lines, header, options);
  std::string_view line;
  while (lines.next(line)) {
    const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
    if (first == line.end() || *first == '%') continue;
    read_sizes(lines, line, header, options);
    return header;
  }
  lines.fail("the line with the sizes is missing");
}

}  // namespace switchyard
