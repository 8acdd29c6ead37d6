// Writing Matrix Market files: stretches of elements formatted in parallel, written in order.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <switchyard/containers/matrix_market.hpp>
#include <switchyard/containers/output_file.hpp>
#include <vector>

#include "first_error.hpp"

namespace switchyard {
namespace {

constexpr Index stretch = 1 << 15;   // elements formatted at a time: about half a megabyte
constexpr std::size_t longest = 32;  // characters of a number; a double takes at most 24

template <class Number>
void append(std::string& text, Number number, char separator) {
  char digits[longest];
  char* const end = std::to_chars(digits, digits + longest - 1, number).ptr;
  *end = separator;
  text.append(digits, end + 1);
}

/// Where a stretch of elements begins: element `element` of row (of a dense matrix: column) `line`.
struct Place {
  Index line = 0;
  Index element = 0;
};

/// Sparse matrices are written as coordinates, whatever their format.
template <StoredMatrix Matrix>
std::string header_of(const Matrix& matrix) {
  return fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", matrix.rows,
                     matrix.cols, matrix.nnz);
}
/// Dense ones as an array.
template <Element T>
std::string header_of(const Dense<T>& matrix) {
  return fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", matrix.rows, matrix.cols);
}

/// Cuts the elements of lines into stretches: where each begins, and the end of all.
template <class LengthOf>
std::vector<Place> cut(Index lines, const LengthOf& length_of) {
  std::vector<Place> places{{}};
  Index room = stretch;
  for (Index line = 0; line < lines; ++line) {
    Index left = length_of(line);
    const Index length = left;
    for (; left > room; room = stretch) {
      left -= room;
      places.push_back({line, length - left});
    }
    room -= left;
  }
  places.push_back({lines, 0});
  return places;
}
template <StoredMatrix Matrix>
std::vector<Place> stretches_of(const Matrix& matrix) {
  return cut(matrix.rows, [&](Index row) {
    Index length = 0;
    matrix.row_lengths(row, {&length, 1});
    return length;
  });
}
template <Element T>
std::vector<Place> stretches_of(const Dense<T>& matrix) {
  const Index lines = matrix.rows > 0 ? matrix.cols : 0;  // billions of columns may have no element
  return cut(lines, [&](Index) { return matrix.rows; });
}

/// Calls visit(line, first element, end of elements) for each line that lies between two places.
template <class Visit>
void for_each_line(Place begin, Place end, const Visit& visit) {
  for (Index line = begin.line; line <= end.line; ++line) {
    const Index last = line == end.line ? end.element : whole_row;
    if (last > 0) visit(line, line == begin.line ? begin.element : Index{0}, last);
  }
}

template <StoredMatrix Matrix>
std::string lines_of(const Matrix& matrix, Place begin, Place end) {
  std::string text;
  for_each_line(begin, end, [&](Index row, Index first, Index last) {
    const auto append_element = [&](Column column, auto value) {
      append(text, row + 1, ' ');
      append(text, Index{column} + 1, ' ');
      append(text, value, '\n');
    };
    matrix.row(row, append_element, first, last);
  });
  return text;
}
/// The format wants the elements of an array down the columns.
template <Element T>
std::string lines_of(const Dense<T>& matrix, Place begin, Place end) {
  std::string text;
  for_each_line(begin, end, [&](Index column, Index first, Index last) {
    for (Index row = first; row < std::min(last, matrix.rows); ++row) {
      append(text, matrix.values[row * matrix.cols + column], '\n');
    }
  });
  return text;
}

/// Hands the text to `put` piece by piece, in order, each piece as `encoded` makes it.
template <class Matrix, class Encoded, class Put>
void format(const Matrix& matrix, const Encoded& encoded, const Put& put) {
  put(encoded(header_of(matrix)));
  const std::vector<Place> places = stretches_of(matrix);
  const Index stretches = std::ssize(places) - 1;
  FirstError error;
#pragma omp parallel for ordered schedule(dynamic, 1) if (stretches > 1)
  for (Index s = 0; s < stretches; ++s) {
    std::string text;
    error.run(s, [&] {
      if (error.any()) return;
      const auto place = static_cast<std::size_t>(s);
      std::string lines = lines_of(matrix, places[place], places[place + 1]);
      if (!lines.empty()) text = encoded(std::move(lines));
    });
#pragma omp ordered
    error.run(s, [&] {
      if (!error.any()) put(text);
    });
  }
  error.rethrow();
}

template <class Matrix>
void write(const Matrix& matrix, const std::filesystem::path& file) {
  const bool gzip = file.extension() == ".gz";
  OutputFile output(file);
  format(
      matrix, [gzip](std::string text) { return gzip ? gzip_member(text) : text; },
      [&output](const std::string& text) { output.write(text); });
  output.commit();
}

}  // namespace

template <Element T>
void write_matrix_market(const Storage<T>& matrix, const std::string& file) {
  with_enough_memory([&] { std::visit([&](const auto& stored) { write(stored, file); }, matrix); });
}

template <Element T>
std::string format_matrix_market(const Storage<T>& matrix) {
  return with_enough_memory([&] {
    std::string whole;
    const auto plain = [](std::string text) { return text; };
    std::visit(
        [&](const auto& stored) {
          format(stored, plain, [&whole](const std::string& text) { whole += text; });
        },
        matrix);
    return whole;
  });
}

template std::string format_matrix_market(const Storage<float>&);
template std::string format_matrix_market(const Storage<double>&);
template void write_matrix_market(const Storage<float>&, const std::string&);
template void write_matrix_market(const Storage<double>&, const std::string&);

}  // namespace switchyard
