// Fuzzing target: any text is a matrix or one error, and a matrix survives being written and read.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <switchyard/containers/array.hpp>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/matrix_market.hpp>

#include "matrix_market_header.hpp"
#include "memory_watch.hpp"
#include "promise.hpp"

namespace switchyard::fuzz {
namespace {

/// The reader's own bound is for one array; these are all that are alive at once.
constexpr std::size_t free_bytes = std::size_t{64} << 20U;
constexpr std::size_t bytes_per_character = 256;

bool same_bits(const auto& a, const auto& b) {
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

// Files are read into CSR and dense; no other format is to come of one.
template <class Matrix>
bool same(const Matrix& /*a*/, const Matrix& /*b*/) {
  return false;
}
template <class Matrix>
void check_structure(const Matrix& /*matrix*/) {
  promise(false, "a file is read into a format that files are read into");
}

template <Element T>
bool same(const Csr<T>& a, const Csr<T>& b) {
  if (a.rows != b.rows || a.cols != b.cols || a.nnz != b.nnz) return false;
  for (Index i = 0; i <= a.rows; ++i) {
    if (a.offset(i) != b.offset(i)) return false;
  }
  return same_bits(a.columns, b.columns) && same_bits(a.values, b.values);
}

template <Element T>
bool same(const Dense<T>& a, const Dense<T>& b) {
  return a.rows == b.rows && a.cols == b.cols && same_bits(a.values, b.values);
}

template <Element T>
bool same(const Storage<T>& a, const Storage<T>& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&b](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); },
                    a);
}

template <Element T>
void check_structure(const Csr<T>& matrix) {
  promise(matrix.offset(0) == 0 && matrix.offset(matrix.rows) == matrix.nnz, "offsets span all");
  for (Index i = 0; i < matrix.rows; ++i) {
    const Index begin = matrix.offset(i);
    const Index end = matrix.offset(i + 1);
    promise(begin <= end, "offsets ascend");
    for (Index k = begin; k < end; ++k) {
      promise(matrix.columns[k] >= 0 && matrix.columns[k] < matrix.cols, "columns are in range");
      promise(k == begin || matrix.columns[k - 1] < matrix.columns[k], "columns ascend");
    }
  }
}

template <Element T>
void check_structure(const Dense<T>& matrix) {
  promise(matrix.values.size() == matrix.rows * matrix.cols, "a dense matrix is full");
}

void check_refusal(const Error& error, std::string_view text) {
  const ErrorCode code = error.code();
  promise(code == ErrorCode::ParseError || code == ErrorCode::OutOfRange ||
              code == ErrorCode::Unsupported,
          "a text is refused for what it says");
  promise(std::string_view(error.what()).find('\n') == std::string_view::npos, "on one line");
  const std::string& where = error.where();
  promise(where.starts_with("input:"), "an error says where it is");
  const long line = std::stol(where.substr(6));
  promise(line >= 1 && line <= 1 + std::count(text.begin(), text.end(), '\n'),
          "the line is one of the text");
}

/// The matrix, or nothing where the text was refused as it should be.
template <Element T>
std::optional<Storage<T>> read(std::string_view text, bool lenient) {
  const std::size_t allowed = free_bytes + bytes_per_character * text.size();
  plain_host_memory()->set_budget(allowed);  // arrays, of which the large ones are not on the heap
  forget_peak();
  std::optional<Storage<T>> matrix;
  try {
    matrix.emplace(parse_matrix_market<T>(text, "input", {lenient}));
  } catch (const Error& error) {
    check_refusal(error, text);
  }
  promise(peak_bytes() <= allowed, "memory is in proportion to the text");
  return matrix;
}

/// Whether the header asks, as it may, for a matrix that takes milliseconds to fill.
bool asks_for_much(std::string_view text) {
  constexpr Index much = 1 << 14;
  try {
    TextBlocks blocks(text);
    TextBlock block;
    const MatrixMarketHeader header = read_header(blocks, block, {.lenient = true});
    return header.rows > much || (header.layout == Layout::Array && header.entries > much);
  } catch (const LineError&) {
    return false;
  }
}

/// FNV-1a.
std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 0x811c9dc5U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x01000193U;
  return value;
}

template <Element T>
void try_text(std::string_view text) {
  const auto strict = read<T>(text, false);
  const auto lenient = read<T>(text, true);
  if (strict) promise(lenient && same(*strict, *lenient), "lenient reading takes what strict does");
  if (!lenient) return;
  std::visit([](const auto& matrix) { check_structure(matrix); }, *lenient);
  const auto again = read<T>(format_matrix_market(*lenient), false);
  promise(again && same(*again, *lenient), "what is written is read back, every bit");
}

}  // namespace
}  // namespace switchyard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Thousands of others can be tried in the time of one of these: few are, and none is bred from.
  const bool slow = switchyard::fuzz::asks_for_much(text);
  if (slow && switchyard::fuzz::hash(text) % 256 != 0) return -1;
  // One precision for each input, so that twice as many are tried; a text as good comes with both.
  if (size % 2 == 0) {
    switchyard::fuzz::try_text<float>(text);
  } else {
    switchyard::fuzz::try_text<double>(text);
  }
  return slow ? -1 : 0;
}
