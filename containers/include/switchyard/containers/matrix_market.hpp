// Matrix Market files: reading and writing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

/// How much a reader forgives.
struct ReadOptions {
  /// Lenient reading accepts, besides what the format's description allows: entries above the
  /// diagonal in a symmetric file (mirrored like the others), an explicit diagonal in a
  /// skew-symmetric one (it must be zero), numbers too large for the element type (they become
  /// infinite), and words after the last one needed of a line (ignored).
  bool lenient = false;
};

/// Reads `.mtx` or `.mtx.gz` (told apart by content): coordinate or array; real, integer or
/// pattern; general, symmetric or skew-symmetric. Coordinate files give CSR, symmetry expanded,
/// zeros that are written out stored, a pattern's elements 1; duplicates are rounded to T, added in
/// double in the order of the file, and rounded once. Array files give dense. "inf" and "nan" are
/// numbers; blank lines may stand anywhere after the first line, comments before the sizes.
/// Format: https://math.nist.gov/MatrixMarket/formats.html.
///
/// Lines are parsed in parallel as they are read or decompressed; the result does not depend on the
/// number of threads. Memory is taken in proportion to the bytes of text: a header is refused that
/// asks for an array of more than 16 MiB and 8 times the text.
///
/// Throws `Error`: IoError where the file cannot be read; ParseError (with the line) where it is
/// malformed; DataCorrupt where a gzip stream is damaged or cut short; Unsupported for complex
/// files; OutOfRange for sizes beyond 2^31-1 columns or beyond what the text can hold.
template <Element T>
[[nodiscard]] Storage<T> read_matrix_market(const std::filesystem::path& file,
                                            const ReadOptions& options = {});

/// The same from text in memory; `origin` names it in errors.
template <Element T>
[[nodiscard]] Storage<T> parse_matrix_market(std::string_view text, std::string_view origin,
                                             const ReadOptions& options = {});

/// Writes a general real matrix (coordinate for CSR, array for dense) with as many digits as
/// restore every element exactly, gzipped where the name ends in `.gz`. Written aside and renamed,
/// so that an old file survives a failure. REQUIRES: in host memory. Throws `Error(IoError)`.
template <Element T>
void write_matrix_market(const Storage<T>& matrix, const std::filesystem::path& file);

/// The text that such a file holds, not gzipped. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] std::string format_matrix_market(const Storage<T>& matrix);

}  // namespace switchyard
