// Few bytes never make the reader take much memory, whatever they promise and however they unpack.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <switchyard/containers/matrix_market.hpp>

#include "containers/code_of.hpp"
#include "containers/malformed_texts.hpp"

namespace switchyard {
namespace {

namespace fs = std::filesystem;

/// Kilobytes that this process has held at most since `forget_peak`.
long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (long kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return kilobytes;
  }
  return -1;
}

bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good() && peak_kilobytes() > 0;
}

/// Kilobytes that `action` takes at most beyond what is held before.
long kilobytes_taken_by(const std::function<void()>& action) {
  forget_peak();
  const long before = peak_kilobytes();
  action();
  return peak_kilobytes() - before;
}

class MatrixMarketMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!forget_peak()) GTEST_SKIP() << "this system does not say how much memory was held";
  }
};

template <Element T>
long taken_by_reading(const MalformedText& malformed) {
  return kilobytes_taken_by([&] {
    EXPECT_EQ(code_of([&] { (void)parse_matrix_market<T>(malformed.text, "bomb"); }),
              malformed.code)
        << malformed.text;
  });
}

TEST_F(MatrixMarketMemory, HeaderBombsTakeNextToNone) {
  long most = 0;
  for (const MalformedText& bomb : malformed::header_bombs()) {
    const long allowed = 16 * 1024 + 8 * static_cast<long>(bomb.text.size()) / 1024;
    for (const long taken : {taken_by_reading<float>(bomb), taken_by_reading<double>(bomb)}) {
      EXPECT_LE(taken, allowed) << bomb.text;
      most = std::max(most, taken);
    }
  }
  RecordProperty("most_kilobytes_taken", static_cast<int>(most));
}

TEST_F(MatrixMarketMemory, GzippedNewlinesTakeNextToNone) {
  const fs::path file = fs::temp_directory_path() / ("switchyard-bomb-" + std::to_string(getpid()));
  gzFile bomb = gzopen(file.c_str(), "wb1");
  ASSERT_NE(bomb, nullptr);
  gzputs(bomb, "%%MatrixMarket matrix coordinate real general\n1 1 1\n");
  const std::string newlines(1 << 20, '\n');
  for (int megabyte = 0; megabyte < 16; ++megabyte) {
    gzwrite(bomb, newlines.data(), static_cast<unsigned>(newlines.size()));
  }
  gzputs(bomb, "1 1 x\n");
  ASSERT_EQ(gzclose(bomb), Z_OK);
  EXPECT_LT(fs::file_size(file), 1U << 20);
  std::string where;
  const long taken = kilobytes_taken_by([&] {
    try {
      (void)read_matrix_market<double>(file);
    } catch (const Error& error) {
      where = error.where();
    }
  });
  fs::remove(file);
  EXPECT_EQ(where, file.string() + ":" + std::to_string((16 << 20) + 3));
  EXPECT_LE(taken, 16 * 1024);
}

}  // namespace
}  // namespace switchyard
