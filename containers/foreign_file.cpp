// Telling files apart by their first bytes.
#include "foreign_file.hpp"

#include <array>

namespace switchyard {
namespace {

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  ForeignFile file;
};

// Some of these hold zero bytes: their sizes are counted by the literal's suffix.
using namespace std::string_view_literals;

constexpr std::array signatures{
    Signature{257,
              "ustar"sv,
              {"a tar archive", "unpack it with 'tar xf FILE' and give the .mtx file inside"}},
    Signature{0,
              "PK\x03\x04"sv,
              {"a zip archive or a NumPy .npz file",
               "give a .npz file of scipy.sparse.save_npz by its name, or unpack the archive"}},
    Signature{
        0, "\x93NUMPY"sv, {"a NumPy .npy file", "write it as Matrix Market with scipy.io.mmwrite"}},
    Signature{0, "\xfd\x37zXZ\0"sv, {"compressed with xz", "decompress it with 'xz -d FILE'"}},
    Signature{0, "BZh"sv, {"compressed with bzip2", "decompress it with 'bzip2 -d FILE'"}},
    Signature{
        0, "\x28\xb5\x2f\xfd"sv, {"compressed with zstd", "decompress it with 'zstd -d FILE'"}},
    Signature{0,
              "\x89HDF\r\n"sv,
              {"an HDF5 file, such as a MATLAB 7.3 file",
               "write its matrix as Matrix Market, for example with scipy.io.mmwrite"}},
    Signature{0,
              "MATLAB 5.0"sv,
              {"a MATLAB file",
               "write its matrix as Matrix Market with scipy.io.loadmat and scipy.io.mmwrite"}}};

}  // namespace

ForeignFile foreign_file(std::string_view begin) noexcept {
  for (const Signature& signature : signatures) {
    if (begin.size() < signature.offset) continue;
    if (begin.substr(signature.offset).starts_with(signature.bytes)) return signature.file;
  }
  return {};
}

}  // namespace switchyard
