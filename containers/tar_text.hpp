// The Matrix Market text in a tar archive, as the SuiteSparse collection packs it.
#pragma once

#include "byte_source.hpp"

namespace switchyard {

/// The bytes of a Matrix Market file, and which member of an archive they are.
struct MatrixText {
  ByteSource read;
  std::string member = {};  ///< empty where the file is no archive
};

/// The text of a file that `open` opens. Of a tar archive it is the member DIR/NAME.mtx with DIR
/// equal to NAME, the matrix in archives of the SuiteSparse collection (right-hand sides and
/// coordinates have longer names), or else the only member that ends in `.mtx`. `open` is called
/// again for the latter. Members that are skipped take time in proportion to their size, but no
/// memory. `name` is for errors.
///
/// Throws `Error(DataCorrupt)` for a damaged archive; `Error(Unsupported)` where no member or more
/// than one could be meant; what `open` throws. The source throws `Error(DataCorrupt)` where the
/// archive ends within the member.
[[nodiscard]] MatrixText open_matrix_text(const std::function<ByteSource()>& open,
                                          const std::string& name);

}  // namespace switchyard
