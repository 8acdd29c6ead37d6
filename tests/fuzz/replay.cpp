// Tries every file of a kept corpus once, without a fuzzer: replay FOLDER.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void try_input(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto files = files_in(argv[1]);
  for (const fs::path& file : files) {
    // Unbuffered, so that the last line names the file that ended the program.
    std::fprintf(stderr, "%s\n", file.c_str());
    std::ifstream stream(file, std::ios::binary);
    std::string input(std::istreambuf_iterator<char>(stream), {});
    try_input(input);
    try_input(input + "\n");  // a target may look at the length
  }
  std::printf("%zu inputs tried\n", files.size());
  return files.empty() ? 1 : 0;
}
