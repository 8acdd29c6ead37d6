// Matrix Market files: reading and writing.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

/// How strictly a file is read.
struct ReadOptions {
  /// Lenient reading accepts, besides what the format's description allows: entries on both sides
  /// of the diagonal in a symmetric file (each is mirrored), an explicit diagonal in a
  /// skew-symmetric one (it must be zero), numbers too large for the element type (they become
  /// infinite), numbers that are no integers in an integer file, exponents written with D as
  /// Fortran does, comments between entries, and words after the last one needed of a line
  /// (ignored). One warning in the log says what was accepted, and how often.
  bool lenient = false;
};

/// Reads `.mtx`, `.mtx.gz`, `.tar` or `.tar.gz`, which are distinguished by content: coordinate or
/// array; real, integer, unsigned-integer or pattern; general, symmetric or skew-symmetric. Format:
/// https://math.nist.gov/MatrixMarket/formats.html. `read_matrix` also reads SciPy's `.npz`.
///
/// Of a tar archive it reads NAME/NAME.mtx, the matrix in archives of the SuiteSparse collection,
/// or else the only member that ends in `.mtx`.
///
/// A coordinate file gives CSR. Symmetry is expanded, explicit zeros are stored, and the elements
/// of a pattern are 1. Duplicates are rounded to T, added in double in the order of the file, and
/// rounded once. An array file gives dense. "inf" and "nan" are numbers. Blank lines may stand
/// anywhere after the first line, comments before the sizes.
///
/// Lines are parsed in parallel as they are read or decompressed. The result does not depend on the
/// number of threads. Memory is in proportion to the bytes of text: a header that asks for an array
/// of more than 16 MiB and 8 times the text is refused.
///
/// Throws `Error`: IoError if the file cannot be read; ParseError (with the line) if it is
/// malformed; DataCorrupt if a gzip stream or an archive is damaged or cut short; Unsupported for
/// complex files, and for archives in which no member is the matrix; OutOfRange for more than
/// 2^31-1 columns or sizes beyond what the text can hold.
template <Element T>
[[nodiscard]] Storage<T> read_matrix_market(const std::string& file,
                                            const ReadOptions& options = {});

/// The same from an open descriptor, such as 0 for standard input. The descriptor stays open;
/// `origin` names it in errors.
template <Element T>
[[nodiscard]] Storage<T> read_matrix_market(int descriptor, std::string_view origin,
                                            const ReadOptions& options = {});

/// The same from text in memory; `origin` names it in errors.
template <Element T>
[[nodiscard]] Storage<T> parse_matrix_market(std::string_view text, std::string_view origin,
                                             const ReadOptions& options = {});

/// Writes a general real matrix: coordinate for CSR, array for dense, gzipped if the name ends in
/// `.gz`. The digits restore every element exactly. REQUIRES: in host memory. Throws
/// `Error(IoError)`. The file is written aside and renamed, so an old file survives a failure.
template <Element T>
void write_matrix_market(const Storage<T>& matrix, const std::string& file);

/// The text of such a file, not gzipped. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] std::string format_matrix_market(const Storage<T>& matrix);

}  // namespace switchyard
