// Members of a zip archive, stored or deflated, as NumPy writes .npz files.
#pragma once

#include <memory>
#include <vector>

#include "random_access.hpp"

namespace switchyard {

/// A member, as the archive's directory describes it. Sizes are checked against the file's.
struct ZipMember {
  std::string name;
  Index header = 0;      ///< where the member begins in the file
  Index compressed = 0;  ///< bytes in the file
  Index size = 0;        ///< bytes without compression
  std::uint32_t crc = 0;
  bool deflated = false;
};

/// The members of an archive, also of one with sizes of 64 bits. Throws `Error(DataCorrupt)` for a
/// damaged archive or one with a size that lies: a member larger than all that its compressed
/// bytes can hold; `Error(Unsupported)` for encrypted members, for methods other than deflate, and
/// for a directory of more than a megabyte.
[[nodiscard]] std::vector<ZipMember> list_zip(const RandomAccess& file);

/// Reads a member from its beginning to its end.
class ZipReader {
 public:
  /// `file` and `member` outlive the reader. Throws as `list_zip`.
  ZipReader(const RandomAccess& file, const ZipMember& member);
  ~ZipReader();
  ZipReader(ZipReader&&) noexcept;
  ZipReader& operator=(ZipReader&&) = delete;

  /// The next `size` bytes. Throws `Error(DataCorrupt)` where the member has fewer.
  void read(char* to, std::size_t size);
  /// Throws `Error(DataCorrupt)` unless all was read and its checksum is right.
  void finish();
  /// Bytes still to be read.
  [[nodiscard]] Index left() const noexcept;
  /// "FILE:MEMBER", for errors.
  [[nodiscard]] std::string where() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace switchyard
