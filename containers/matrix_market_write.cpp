// Writing Matrix Market files: stretches of elements formatted in parallel, written in order.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <switchyard/containers/matrix_market.hpp>
#include <switchyard/containers/output_file.hpp>

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

template <Element T>
Index elements_of(const Csr<T>& matrix) {
  return matrix.nnz;
}
template <Element T>
Index elements_of(const Dense<T>& matrix) {
  return matrix.values.size();
}

template <Element T>
std::string header_of(const Csr<T>& matrix) {
  return fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", matrix.rows,
                     matrix.cols, matrix.nnz);
}
template <Element T>
std::string header_of(const Dense<T>& matrix) {
  return fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", matrix.rows, matrix.cols);
}

/// The row that element `k` is in. REQUIRES: there is one.
template <Element T>
Index row_of(const Csr<T>& matrix, Index k) {
  Index low = 0;
  Index high = matrix.rows;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (matrix.offset(middle) <= k ? low : high) = middle;
  }
  return low;
}

/// The lines of elements `begin` to `end`.
template <Element T>
std::string lines_of(const Csr<T>& matrix, Index begin, Index end) {
  std::string text;
  for (Index row = row_of(matrix, begin); begin < end; ++row) {
    const Index row_end = std::min(matrix.offset(row + 1), end);
    for (; begin < row_end; ++begin) {
      append(text, row + 1, ' ');
      append(text, Index{matrix.columns[begin]} + 1, ' ');
      append(text, matrix.values[begin], '\n');
    }
  }
  return text;
}

/// The same for a dense matrix, its elements counted down the columns as the format wants them.
template <Element T>
std::string lines_of(const Dense<T>& matrix, Index begin, Index end) {
  std::string text;
  for (Index k = begin; k < end; ++k) {
    append(text, matrix.values[k % matrix.rows * matrix.cols + k / matrix.rows], '\n');
  }
  return text;
}

/// Hands the text to `put` piece by piece, in order, each piece as `encoded` makes it.
template <class Matrix, class Encoded, class Put>
void format(const Matrix& matrix, const Encoded& encoded, const Put& put) {
  put(encoded(header_of(matrix)));
  const Index elements = elements_of(matrix);
  const Index stretches = (elements + stretch - 1) / stretch;
  FirstError error;
#pragma omp parallel for ordered schedule(dynamic, 1) if (stretches > 1)
  for (Index s = 0; s < stretches; ++s) {
    std::string text;
    error.run(s, [&] {
      if (error.any()) return;
      text = encoded(lines_of(matrix, s * stretch, std::min((s + 1) * stretch, elements)));
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
void write_matrix_market(const Storage<T>& matrix, const std::filesystem::path& file) {
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
template void write_matrix_market(const Storage<float>&, const std::filesystem::path&);
template void write_matrix_market(const Storage<double>&, const std::filesystem::path&);

}  // namespace switchyard
