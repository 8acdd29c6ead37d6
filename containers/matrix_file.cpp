// Telling the kinds of files apart.
#include <array>
#include <filesystem>
#include <string_view>
#include <switchyard/containers/matrix_file.hpp>
#include <switchyard/containers/out_of_memory.hpp>

#include "npz_read.hpp"

namespace switchyard {
namespace {

/// Only a regular file can be looked at twice, and read from its end.
bool is_zip(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const RandomAccess file = open_random_access(path);
  std::array<char, 4> begin{};
  if (file.size < std::ssize(begin)) return false;
  file.read(0, begin.data(), begin.size());
  const std::string_view word(begin.data(), begin.size());
  return word == "PK\x03\x04" || word == "PK\x05\x06";  // the latter has no members
}

}  // namespace

template <Element T>
Storage<T> read_matrix(const std::string& file, const ReadOptions& options) {
  return with_enough_memory([&] {
    if (is_zip(file)) return read_npz<T>(open_random_access(file), options);
    return read_matrix_market<T>(file, options);
  });
}

template Storage<float> read_matrix(const std::string&, const ReadOptions&);
template Storage<double> read_matrix(const std::string&, const ReadOptions&);

}  // namespace switchyard
