// Reading and writing Matrix Market files: what is valid, and what comes back.
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <switchyard/containers/generate.hpp>

#include "containers/code_of.hpp"
#include "containers/matrix_market_texts.hpp"

namespace switchyard {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed afterwards.
class MatrixMarketFiles : public testing::Test {
 protected:
  MatrixMarketFiles() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("switchyard-" + std::string(test->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~MatrixMarketFiles() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }

  fs::path save(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  fs::path folder_;
};

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  return bytes;
}

template <Element T>
bool same(const Storage<T>& a, const Storage<T>& b) {
  const auto bits = [](const Storage<T>& storage) {
    return std::visit(
        [](const auto& matrix) {
          const auto& values = [&]() -> const auto& {
            if constexpr (requires { matrix.transpose; }) {
              return matrix.transpose.values;
            } else {
              return matrix.values;
            }
          }
          ();
          const auto* bytes = reinterpret_cast<const char*>(values.data());
          return std::string(bytes, bytes + values.bytes());
        },
        storage);
  };
  if (a.index() != b.index() || rows_of(a) != rows_of(b) || cols_of(a) != cols_of(b)) return false;
  if (bits(a) != bits(b)) return false;
  const auto* csr = std::get_if<Csr<T>>(&a);
  if (!csr) return true;
  const auto& other = std::get<Csr<T>>(b);
  for (Index i = 0; i <= csr->rows; ++i) {
    if (csr->offset(i) != other.offset(i)) return false;
  }
  return std::ranges::equal(csr->columns.span(), other.columns.span());
}

/// A coordinate text of `count` entries that are not sorted, some of them duplicates.
std::string long_text(int count) {
  std::ostringstream text;
  text << "%%MatrixMarket matrix coordinate real general\n5000 7000 " << count << "\n";
  std::mt19937_64 random(3);
  for (int k = 0; k < count; ++k) {
    text << random() % 5000 + 1 << ' ' << random() % 7000 + 1 << ' '
         << std::generate_canonical<double, 53>(random) << '\n';
    if (k % 1000 == 0) text << " \n";
  }
  return text.str();
}

template <Element T>
void expect_valid(const ValidText& valid, const ReadOptions& options) {
  SCOPED_TRACE(valid.name);
  const auto storage = parse_matrix_market<T>(valid.text, "text", options);
  EXPECT_EQ(rows_of(storage), valid.rows);
  EXPECT_EQ(cols_of(storage), valid.cols);
  const bool array = valid.text.find("array") != std::string_view::npos;
  EXPECT_EQ(format_of(storage), array ? Format::Dense : Format::Csr);
  EXPECT_EQ(elements_of(storage), valid.elements);
}

TEST(MatrixMarket, ReadsEveryValidText) {
  for (const auto& valid : valid_texts) {
    for (const bool lenient : {false, true}) {
      expect_valid<float>(valid, {lenient});
      expect_valid<double>(valid, {lenient});
    }
  }
}

TEST_F(MatrixMarketFiles, AreReadPlainAndCompressedWhateverTheirName) {
  for (const auto& valid : valid_texts) {
    for (const auto& file : {save("a.mtx", valid.text), save("b.mtx", gzipped(valid.text)),
                             save("c.mtx.gz", gzipped(valid.text)), save("d.mtx.gz", valid.text)}) {
      EXPECT_EQ(elements_of(read_matrix_market<double>(file)), valid.elements) << valid.name;
    }
  }
}

TEST_F(MatrixMarketFiles, MayHaveSeveralGzipMembers) {
  const auto& valid = valid_texts[0];
  std::string members;
  for (const char c : valid.text) members += gzipped({&c, 1});
  EXPECT_EQ(elements_of(read_matrix_market<double>(save("m.mtx.gz", members))), valid.elements);
}

TEST(MatrixMarket, ReadsValuesCorrectlyRounded) {
  const std::vector<std::pair<std::string, double>> table{
      {"0.1", 0.1},
      {"1.", 1.0},
      {"-.5E-3", -0.0005},
      {"1e308", 1e308},
      {"4.9406564584124654e-324", 4.9406564584124654e-324},
      {"1e-400", 0.0},
      {"-1e-999999999999999999999", -0.0},
      {"0e999999999999999999999", 0.0},
      {"0.000000000000000000000000000000000000000001e-310", 0.0},
      {"9007199254740993", 9007199254740992.0},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"inf", std::numeric_limits<double>::infinity()},
      {"-Infinity", -std::numeric_limits<double>::infinity()},
  };
  const std::string header = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 ";
  for (const auto& [text, value] : table) {
    const auto storage = parse_matrix_market<double>(header + text + "\n", "text");
    const auto& matrix = std::get<Csr<double>>(storage);
    EXPECT_EQ(matrix.values[0], value) << text;
    EXPECT_EQ(std::signbit(matrix.values[0]), std::signbit(value)) << text;
  }
  const auto nan = parse_matrix_market<double>(header + "NaN\n", "text");
  EXPECT_TRUE(std::isnan(std::get<Csr<double>>(nan).values[0]));
  // Rounded once, from the text to float: by way of double it would be 1.
  const auto once = parse_matrix_market<float>(header + "1.00000005960464477541\n", "text");
  EXPECT_EQ(std::get<Csr<float>>(once).values[0], std::nextafter(1.0f, 2.0f));
}

TEST(MatrixMarket, ReadsTheWholeRangeOfIntegers) {
  const auto storage = parse_matrix_market<double>(
      "%%MatrixMarket matrix array integer general\n2 1\n"
      "9223372036854775807\n-9223372036854775808\n",
      "text");
  EXPECT_EQ(elements_of(storage), (ElementsByPlace{{{0, 0}, 0x1p63}, {{1, 0}, -0x1p63}}));
}

TEST(MatrixMarket, ReadsTheSameForAnyNumberOfThreads) {
  const std::string text = long_text(300000);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto expected = parse_matrix_market<float>(text, "text");
  EXPECT_LT(std::get<Csr<float>>(expected).nnz, 300000);
  EXPECT_GT(std::get<Csr<float>>(expected).nnz, 290000);
  for (const int count : {2, 3, 8}) {
    omp_set_num_threads(count);
    EXPECT_TRUE(same(parse_matrix_market<float>(text, "text"), expected)) << count;
  }
  omp_set_num_threads(threads);
}

TEST(MatrixMarket, ReadsLongFilesAsTripletsGiveThem) {
  const std::string text = long_text(200000);
  std::istringstream lines(text.substr(text.find("200000\n") + 7));
  std::vector<Triplet<double>> triplets;
  for (Triplet<double> t; lines >> t.row >> t.col >> t.value;) {
    triplets.push_back({t.row - 1, t.col - 1, t.value});
  }
  ASSERT_EQ(triplets.size(), 200000u);
  const Storage<double> expected = csr_from_triplets<double>(5000, 7000, triplets);
  EXPECT_TRUE(same(parse_matrix_market<double>(text, "text"), expected));
}

TEST(MatrixMarket, ReadsLongArraysInEverySymmetry) {
  const Index n = 900;
  for (const std::string symmetry : {"general", "symmetric", "skew-symmetric"}) {
    std::ostringstream text;
    text << "%%MatrixMarket matrix array real " << symmetry << "\n" << n << " " << n << "\n";
    const Index skip = symmetry == "skew-symmetric" ? 1 : 0;
    for (Index j = 0; j < n; ++j) {
      for (Index i = symmetry == "general" ? 0 : j + skip; i < n; ++i) {
        text << 1000 * i + j << ".25\n";
      }
    }
    const auto storage = parse_matrix_market<double>(text.str(), "text");
    const auto& matrix = std::get<Dense<double>>(storage);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const bool mirrored = i < j && symmetry != "general";
        double expected =
            mirrored ? static_cast<double>(1000 * j + i) : static_cast<double>(1000 * i + j);
        expected += 0.25;
        if (skip == 1) expected = i == j ? 0 : mirrored ? -expected : expected;
        ASSERT_EQ(matrix.values[i * n + j], expected) << symmetry << " " << i << " " << j;
      }
    }
  }
}

template <Element T>
std::vector<Storage<T>> matrices_to_write() {
  std::vector<Storage<T>> matrices;
  matrices.emplace_back(generate<T>({.kind = MatrixKind::PowerLaw, .rows = 6000}));
  matrices.emplace_back(generate<T>({.rows = 300, .cols = 1, .density = 0.5}));
  matrices.emplace_back(csr_from_triplets<T>(0, 0, {}));
  matrices.emplace_back(csr_from_triplets<T>(5, 2, {}));
  const T denormal = std::numeric_limits<T>::denorm_min();
  const T infinite = std::numeric_limits<T>::infinity();
  const std::vector<Triplet<T>> specials{{0, 0, denormal},
                                         {0, 1, -infinite},
                                         {1, 0, std::numeric_limits<T>::max()},
                                         {1, 1, T{-0.0}},
                                         {2, 0, std::numeric_limits<T>::quiet_NaN()},
                                         {2, 1, T{1} / T{3}}};
  matrices.emplace_back(csr_from_triplets<T>(3, 2, specials));
  auto dense = Dense<T>::sized(211, 307);
  std::mt19937_64 random(5);
  for (T& value : dense.values.span())
    value = static_cast<T>(std::ldexp(static_cast<double>(random()), -80));
  matrices.emplace_back(std::move(dense));
  matrices.emplace_back(Dense<T>::sized(0, 4));
  matrices.emplace_back(Dense<T>::sized(4, 0));
  return matrices;
}

template <class T>
class MatrixMarketRoundTrip : public MatrixMarketFiles {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixMarketRoundTrip, Precisions);

TYPED_TEST(MatrixMarketRoundTrip, RestoresEveryBit) {
  for (const auto& matrix : matrices_to_write<TypeParam>()) {
    for (const auto* name : {"plain.mtx", "packed.mtx.gz"}) {
      const auto file = this->path(name);
      write_matrix_market(matrix, file);
      EXPECT_TRUE(same(read_matrix_market<TypeParam>(file), matrix)) << rows_of(matrix);
    }
    EXPECT_EQ(contents(this->path("packed.mtx.gz")).substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(contents(this->path("plain.mtx")).substr(0, 2), "%%");
  }
}

TEST_F(MatrixMarketFiles, AreWrittenInAsFewDigitsAsRestoreThem) {
  const std::vector<Triplet<float>> triplets{{0, 0, 0.1f}, {1, 2, -2.0f}};
  write_matrix_market<float>(csr_from_triplets<float>(2, 3, triplets), path("a.mtx"));
  EXPECT_EQ(contents(path("a.mtx")),
            "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 0.1\n2 3 -2\n");
  auto dense = Dense<double>::sized(2, 2);
  std::ranges::copy(std::array{1.0, 2.0, 3.0, 0.1}, dense.values.data());
  write_matrix_market<double>(std::move(dense), path("b.mtx"));
  EXPECT_EQ(contents(path("b.mtx")),
            "%%MatrixMarket matrix array real general\n2 2\n1\n3\n2\n0.1\n");
}

TEST_F(MatrixMarketFiles, AreTheSameForAnyNumberOfThreads) {
  const Storage<double> matrix = generate<double>({.rows = 4000});
  const int threads = omp_get_max_threads();
  for (const auto* name : {"a.mtx", "a.mtx.gz"}) {
    omp_set_num_threads(1);
    write_matrix_market(matrix, path(name));
    const auto expected = contents(path(name));
    omp_set_num_threads(6);
    write_matrix_market(matrix, path(name));
    EXPECT_TRUE(contents(path(name)) == expected);
  }
  omp_set_num_threads(threads);
}

TEST_F(MatrixMarketFiles, ReplaceAnOldFileAndFollowALink) {
  const auto file = save("old.mtx", "old");
  fs::create_symlink("old.mtx", path("link.mtx"));
  write_matrix_market<float>(csr_from_triplets<float>(1, 1, {}), path("link.mtx"));
  EXPECT_TRUE(fs::is_symlink(path("link.mtx")));
  EXPECT_EQ(rows_of(read_matrix_market<float>(file)), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 2);
}

TEST_F(MatrixMarketFiles, AreNeverWrittenThroughALinkPutAside) {
  const auto victim = save("victim", "untouched");
  for (int i = 0; i < 5; ++i) {
    const std::string aside = "a.mtx.part-" + std::to_string(getpid()) + "-" + std::to_string(i);
    fs::create_symlink(victim, path(aside));
  }
  write_matrix_market<float>(csr_from_triplets<float>(1, 1, {}), path("a.mtx"));
  EXPECT_EQ(contents(victim), "untouched");
  EXPECT_EQ(rows_of(read_matrix_market<float>(path("a.mtx"))), 1);
}

TEST_F(MatrixMarketFiles, ThatCannotBeWrittenLeaveEverythingAsItWas) {
  const Storage<float> matrix = csr_from_triplets<float>(1, 1, {});
  fs::create_directory(path("folder.mtx"));
  const auto write = [&](const fs::path& file) {
    return code_of([&] { write_matrix_market(matrix, file); });
  };
  EXPECT_EQ(write(path("folder.mtx")), ErrorCode::IoError);
  EXPECT_EQ(write(path("missing/a.mtx")), ErrorCode::IoError);
  EXPECT_EQ(write(path(std::string(300, 'a'))), ErrorCode::IoError);
  EXPECT_EQ(write(""), ErrorCode::IoError);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("folder.mtx").parent_path()), {}), 1);
}

TEST_F(MatrixMarketFiles, OnAFullDiskAreAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const Storage<float> matrix = generate<float>({.rows = 3000});
  EXPECT_EQ(code_of([&] { write_matrix_market(matrix, "/dev/full"); }), ErrorCode::IoError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  fs::create_symlink("/dev/full", path("full.mtx.gz"));
  EXPECT_EQ(code_of([&] { write_matrix_market(matrix, path("full.mtx.gz")); }), ErrorCode::IoError);
}

TEST_F(MatrixMarketFiles, ThatCannotBeReadAreAnError) {
  const auto read = [&](const fs::path& file) {
    return code_of([&] { (void)read_matrix_market<double>(file); });
  };
  EXPECT_EQ(read(path("missing.mtx")), ErrorCode::IoError);
  EXPECT_EQ(read(path("")), ErrorCode::IoError);
  EXPECT_EQ(read(""), ErrorCode::IoError);
  if (::geteuid() == 0) return;  // who may read everything
  const auto secret = save("secret.mtx", valid_texts[0].text);
  fs::permissions(secret, fs::perms::none);
  EXPECT_EQ(read(secret), ErrorCode::IoError);
}

TEST_F(MatrixMarketFiles, CutShortOrDamagedUnderGzipAreNeverTaken) {
  const std::string bytes = gzipped(valid_texts[0].text);
  for (std::size_t size = 2; size < bytes.size(); ++size) {
    EXPECT_EQ(code_of([&] {
                (void)read_matrix_market<double>(save("cut.mtx.gz", bytes.substr(0, size)));
              }),
              ErrorCode::DataCorrupt)
        << size;
  }
  // The deflated bytes and the sums behind them are checked, but for a few bits without meaning.
  for (std::size_t k = 10; k < bytes.size(); ++k) {
    std::string damaged = bytes;
    damaged[k] = static_cast<char>(damaged[k] ^ 0x10);
    const auto file = save("damaged.mtx.gz", damaged);
    const auto code = code_of([&] {
      EXPECT_EQ(elements_of(read_matrix_market<double>(file)), valid_texts[0].elements) << k;
    });
    if (code) {
      EXPECT_TRUE(code == ErrorCode::DataCorrupt || code == ErrorCode::ParseError) << k;
    }
  }
}

}  // namespace
}  // namespace switchyard
