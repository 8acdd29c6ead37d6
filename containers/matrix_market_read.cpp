// Reading Matrix Market files: blocks of lines parsed in parallel, then assembled.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/matrix_market.hpp>
#include <switchyard/containers/threads.hpp>
#include <utility>

#include "first_error.hpp"
#include "matrix_market_dense.hpp"
#include "matrix_market_header.hpp"
#include "matrix_market_parse.hpp"
#include "tar_text.hpp"
#include "text_blocks.hpp"

namespace switchyard {
namespace {

/// What an array may take whatever the file says, and how much more for each byte of text. An
/// entry takes at least 4 bytes of text and a value of a symmetric array 2, so every file that
/// holds what its header promises stays below, but for one with millions of empty rows.
constexpr double free_bytes = 16 << 20;
constexpr double bytes_per_character = 8;

/// One file on its way in.
struct Source {
  TextBlocks& text;
  std::string origin;
  const ReadOptions& options;

  [[noreturn]] void fail(ErrorCode code, const std::string& what, Index line,
                         const std::string& hint = {}) const {
    throw Error(code, what, fmt::format("{}:{}", origin, line), hint);
  }
};

/// Blocks in the order of the file, parsed by all threads.
template <class Parsed>
class ParallelParse {
 public:
  /// `make_parse()` is called by each thread and gives a function that parses one text.
  template <class MakeParse>
  std::deque<Parsed> run(const Source& source, TextBlock first, const Index header_line,
                         const MakeParse& make_parse) {
    pending_ = std::move(first);
    share_out(all_threads(!source.text.at_end()), [&](int) {
      TextBlock block;
      Index number = 0;
      Parsed* parsed = nullptr;
      error_.run(0, [&] {
        auto parse = make_parse();
        while (take(source.text, block, number, parsed)) {
          error_.run(number, [&] { *parsed = parse(block.text); });
        }
      });
    });
    rethrow(source, header_line);
    return std::move(parsed_);
  }

 private:
  /// The next block and where its result goes; false when there is none or something failed.
  bool take(TextBlocks& text, TextBlock& block, Index& number, Parsed*& parsed) {
    const std::scoped_lock lock(mutex_);
    if (error_.any() || ended_) return false;
    number = std::ssize(parsed_);
    error_.run(number, [&] {
      if (number == 0) {
        block = std::move(pending_);
      } else {
        ended_ = !text.next(block);
      }
      if (!ended_) parsed = &parsed_.emplace_back();
    });
    return !ended_ && !error_.any();
  }

  /// All blocks before the one that failed have been parsed, so their lines are known.
  void rethrow(const Source& source, Index header_line) const {
    try {
      error_.rethrow();
    } catch (const LineError& error) {
      Index line = header_line + error.line;
      for (Index b = 0; b < error_.step(); ++b) {
        line += parsed_[static_cast<std::size_t>(b)].lines.lines;
      }
      source.fail(error.code, error.what, line, error.hint);
    }
  }

  std::mutex mutex_;
  FirstError error_;
  TextBlock pending_;
  bool ended_ = false;
  std::deque<Parsed> parsed_;
};

/// Refuses a header that promises more than a file of this length can hold, before any memory is
/// asked for.
template <Element T>
void check_promises(const Source& source, const MatrixMarketHeader& header) {
  const double limit = free_bytes + bytes_per_character * static_cast<double>(source.text.bytes());
  const auto check = [&](double bytes, const std::string& what) {
    if (bytes <= limit) return;
    source.fail(ErrorCode::OutOfRange,
                fmt::format("{} in a file of {} bytes are out of range", what, source.text.bytes()),
                header.line,
                "is it cut short? No array may take more than 16 MiB and 8 times the file");
  };
  const auto rows = static_cast<double>(header.rows);
  const auto cols = static_cast<double>(header.cols);
  const auto entries = static_cast<double>(header.entries);
  if (header.layout == Layout::Array) {
    check(rows * cols * sizeof(T), fmt::format("{} x {} elements", header.rows, header.cols));
    return;
  }
  const double offset_bytes = offsets_are_narrow(header.entries) ? 4 : 8;
  check(entries * sizeof(T), fmt::format("{} entries", header.entries));
  check((rows + 1) * offset_bytes, fmt::format("{} rows", header.rows));
}

template <class Parsed>
void check_count(const Source& source, const MatrixMarketHeader& header,
                 const std::deque<Parsed>& blocks) {
  Index line = header.line;
  Index entries = 0;
  for (const auto& block : blocks) {
    if (const Index surplus = header.entries - entries; surplus < block.lines.entries) {
      source.fail(ErrorCode::ParseError,
                  fmt::format("there are more entries than the {} announced", header.entries),
                  line + block.lines.line_of(surplus));
    }
    entries += block.lines.entries;
    line += block.lines.lines;
  }
  if (entries < header.entries) {
    source.fail(ErrorCode::ParseError,
                fmt::format("the file ends after {} of {} entries", entries, header.entries), line);
  }
}

/// The line of the first entry for which `first` has one; 0 where no block has.
template <class Parsed>
Index first_line(const MatrixMarketHeader& header, const std::deque<Parsed>& blocks,
                 Index BlockLines::*first) {
  Index line = header.line;
  for (const auto& block : blocks) {
    if (block.lines.*first > 0) return line + block.lines.*first;
    line += block.lines.lines;
  }
  return 0;
}

/// A symmetric file may hold either triangle. One with entries in both is refused: where it is
/// meant to be general, mirroring would double its entries.
/// Returns whether such a one is forgiven.
template <class Parsed>
bool check_triangles(const Source& source, const MatrixMarketHeader& header,
                     const std::deque<Parsed>& blocks) {
  const Index above = first_line(header, blocks, &BlockLines::first_above);
  if (above == 0) return false;
  const Index below = first_line(header, blocks, &BlockLines::first_below);
  if (below > 0 && !source.options.lenient) {
    source.fail(ErrorCode::ParseError,
                "a symmetric matrix has entries both above and below the diagonal",
                std::max(above, below), "store one triangle only, or declare the matrix general");
  }
  if (below > 0) return true;
  log(LogLevel::Info, fmt::format("{}: the symmetric matrix is stored as its upper triangle, and "
                                  "is read as such",
                                  source.origin));
  return false;
}

/// Says what a lenient reader forgave, in one line.
template <class Parsed>
void report_forgiven(const Source& source, const MatrixMarketHeader& header,
                     const std::deque<Parsed>& blocks, bool both_triangles) {
  if (!source.options.lenient) return;
  constexpr std::array<std::string_view, leniencies> words{
      "further words on a line, ignored",
      "comments between entries",
      "numbers too large for the element type, now infinite",
      "exponents written with D",
      "fractions in an integer file",
      "zeros on a skew-symmetric diagonal"};
  std::string forgiven =
      both_triangles ? "; entries in both triangles of a symmetric matrix, each mirrored" : "";
  for (std::size_t i = 0; i < words.size(); ++i) {
    Index count = i == static_cast<std::size_t>(Leniency::Words) ? header.further_words : 0;
    for (const auto& block : blocks) count += block.lines.forgiven[i];
    if (count > 0) forgiven += fmt::format("; {} ({})", words[i], count);
  }
  if (forgiven.empty()) return;
  log(LogLevel::Warning, fmt::format("{}: read leniently: {}", source.origin, forgiven.substr(2)));
}

template <Element T>
Storage<T> read_coordinates(const Source& source, const MatrixMarketHeader& header,
                            TextBlock block) {
  const RowBuckets buckets(header.rows);
  auto blocks = ParallelParse<CoordinateBlock<T>>().run(source, std::move(block), header.line, [&] {
    return [&, scratch = std::vector<Triplet<T>>()](std::string_view text) mutable {
      return parse_coordinates(text, header, source.options, buckets, scratch);
    };
  });
  check_promises<T>(source, header);
  check_count(source, header, blocks);
  report_forgiven(source, header, blocks, check_triangles(source, header, blocks));
  std::deque<EntryGroup<T>> groups;
  for (auto& parsed : blocks) groups.push_back(std::move(parsed.entries));
  return assemble_csr(header.rows, header.cols, buckets, std::move(groups));
}

template <Element T>
Storage<T> read_array(const Source& source, const MatrixMarketHeader& header, TextBlock block) {
  auto blocks = ParallelParse<ArrayBlock<T>>().run(source, std::move(block), header.line, [&] {
    return [&](std::string_view text) { return parse_values<T>(text, header, source.options); };
  });
  check_promises<T>(source, header);
  check_count(source, header, blocks);
  report_forgiven(source, header, blocks, false);
  return assemble_dense(header, std::move(blocks));
}

template <Element T>
Storage<T> read(const Source& source) {
  TextBlock block;
  MatrixMarketHeader header;
  try {
    header = read_header(source.text, block, source.options);
  } catch (const LineError& error) {
    source.fail(error.code, error.what, error.line, error.hint);
  }
  return header.layout == Layout::Coordinate ? read_coordinates<T>(source, header, std::move(block))
                                             : read_array<T>(source, header, std::move(block));
}

template <Element T>
Storage<T> read(MatrixText&& file, const std::string& name, const ReadOptions& options) {
  TextBlocks text(std::move(file.read));
  return read<T>({text, file.member.empty() ? name : name + ":" + file.member, options});
}

[[noreturn]] void refuse_second_pass(const std::string& name) {
  throw Error(ErrorCode::Unsupported,
              "the tar archive holds no NAME/NAME.mtx, and a pipe cannot be searched twice", name,
              "give the archive as a file");
}

}  // namespace

template <Element T>
Storage<T> read_matrix_market(const std::string& file, const ReadOptions& options) {
  return with_enough_memory([&] {
    const std::filesystem::path path(file);
    bool opened = false;
    const auto open = [&] {
      std::error_code ignored;
      if (std::exchange(opened, true) && !std::filesystem::is_regular_file(path, ignored)) {
        refuse_second_pass(file);
      }
      return open_bytes(path);
    };
    return read<T>(open_matrix_text(open, file), file, options);
  });
}

template <Element T>
Storage<T> read_matrix_market(int descriptor, std::string_view origin, const ReadOptions& options) {
  return with_enough_memory([&] {
    const std::string name(origin);
    bool opened = false;
    const auto open = [&] {
      if (std::exchange(opened, true)) refuse_second_pass(name);
      return open_bytes(descriptor, name);
    };
    return read<T>(open_matrix_text(open, name), name, options);
  });
}

template <Element T>
Storage<T> parse_matrix_market(std::string_view text, std::string_view origin,
                               const ReadOptions& options) {
  return with_enough_memory([&] {
    TextBlocks blocks(text);
    return read<T>({blocks, std::string(origin), options});
  });
}

template Storage<float> read_matrix_market(const std::string&, const ReadOptions&);
template Storage<double> read_matrix_market(const std::string&, const ReadOptions&);
template Storage<float> read_matrix_market(int, std::string_view, const ReadOptions&);
template Storage<double> read_matrix_market(int, std::string_view, const ReadOptions&);
template Storage<float> parse_matrix_market(std::string_view, std::string_view, const ReadOptions&);
template Storage<double> parse_matrix_market(std::string_view, std::string_view,
                                             const ReadOptions&);

}  // namespace switchyard
