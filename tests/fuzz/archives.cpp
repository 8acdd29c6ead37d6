// Fuzzing target: any bytes as an archive are a matrix or one error, in bounded memory and time.
#include <cstdint>
#include <string>
#include <string_view>
#include <switchyard/containers/array.hpp>
#include <switchyard/containers/error.hpp>

#include "memory_watch.hpp"
#include "npz_read.hpp"
#include "promise.hpp"
#include "tar_text.hpp"

namespace switchyard::fuzz {
namespace {

/// A byte of deflated data becomes at most 1032, each at most an index of eight.
constexpr std::size_t free_bytes = std::size_t{64} << 20U;
constexpr std::size_t bytes_per_byte = 1032 * 16;

void check_refusal(const Error& error) {
  const ErrorCode code = error.code();
  promise(code == ErrorCode::DataCorrupt || code == ErrorCode::OutOfRange ||
              code == ErrorCode::Unsupported,
          "an archive is refused for what it holds");
  promise(std::string_view(error.what()).find('\n') == std::string_view::npos, "on one line");
  promise(error.where().starts_with("input"), "an error says where it is");
}

template <Element T>
void read_as_npz(std::string_view bytes) {
  const RandomAccess file = random_access_to(bytes, "input");
  const Storage<T> storage = read_npz<T>(file, {});
  std::visit(
      [](const auto& matrix) {
        if constexpr (requires { matrix.check(); }) matrix.check();
      },
      storage);
}

void read_as_tar(std::string_view bytes) {
  MatrixText text = open_matrix_text([bytes] { return bytes_of(bytes); }, "input");
  std::string piece(1 << 12, '\0');
  std::size_t all = 0;
  while (const std::size_t got = text.read(piece.data(), piece.size())) all += got;
  promise(all <= bytes.size(), "a member is no longer than its archive");
}

void try_bytes(std::string_view bytes) {
  const std::size_t allowed = free_bytes + bytes_per_byte * bytes.size();
  plain_host_memory()->set_budget(allowed);
  forget_peak();
  try {
    if (!bytes.starts_with("PK")) {
      read_as_tar(bytes);
    } else if (bytes.size() % 2 == 0) {
      read_as_npz<float>(bytes);
    } else {
      read_as_npz<double>(bytes);
    }
  } catch (const Error& error) {
    check_refusal(error);
  }
  promise(peak_bytes() <= allowed, "memory is in proportion to the archive");
}

}  // namespace
}  // namespace switchyard::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  switchyard::fuzz::try_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
