// Matrices in tar archives: which member is read, and what is refused.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <switchyard/containers/matrix_file.hpp>
#include <switchyard/containers/output_file.hpp>

#include "containers/archives.hpp"
#include "containers/code_of.hpp"
#include "containers/matrix_market_texts.hpp"

namespace switchyard {
namespace {

using namespace archives;
namespace fs = std::filesystem;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
const std::string matrix = banner + "2 3 2\n1 1 4\n2 3 5\n";
const std::string other = banner + "9 9 1\n9 9 1\n";

class TarText : public testing::Test {
 protected:
  fs::path file_ = fs::temp_directory_path() / ("switchyard-tar-" + std::to_string(getpid()));
  ~TarText() override { fs::remove(file_); }

  std::string save(const std::string& bytes) {
    std::ofstream(file_, std::ios::binary) << bytes;
    return file_;
  }
  /// The rows of the matrix in the archive; all that are tried have different ones.
  Index rows_in(const std::string& bytes) { return rows_of(read_matrix<double>(save(bytes))); }

  std::string error_of(const std::string& bytes) {
    try {
      static_cast<void>(read_matrix<double>(save(bytes)));
    } catch (const Error& error) {
      EXPECT_EQ(error.where().rfind(file_.string(), 0), 0U) << error.what();
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      return std::string(name(error.code())) + ": " + error.what();
    }
    return "read";
  }
};

TEST_F(TarText, TheMatrixOfASuiteSparseArchiveIsReadWhereverItStands) {
  const std::string main = tar_member("web/web.mtx", matrix);
  const std::string folder = tar_member("web/", "", '5');
  const std::string side = tar_member("web/web_b.mtx", other);
  for (const std::string& archive :
       {folder + main + side + tar_end(), folder + side + main + tar_end(), main,
        tar_member("./web/web.mtx", matrix), tar_member("SuiteSparse/web/web.mtx", matrix) + side,
        tar_member("._web.mtx", other) + side + main}) {
    EXPECT_EQ(rows_in(archive), 2);
    EXPECT_EQ(rows_in(gzip_member(archive)), 2);
  }
  EXPECT_EQ(elements_of(read_matrix<float>(save(main))),
            (ElementsByPlace{{{0, 0}, 4}, {{1, 2}, 5}}));
}

TEST_F(TarText, TheOnlyMatrixIsReadWhateverItsName) {
  const std::string text = tar_member("web/readme.txt", "words");
  EXPECT_EQ(rows_in(text + tar_member("a.mtx", matrix) + text + tar_end()), 2);
  EXPECT_EQ(rows_in(tar_member("._a.mtx", "x") + tar_member("x/a.mtx", matrix)), 2);
  // A link of a matrix's name has no data.
  EXPECT_EQ(rows_in(tar_member("b.mtx", "", '2') + tar_member("a.mtx", matrix)), 2);
}

TEST_F(TarText, LongNamesAndSizesOfGnuAndPaxAreRead) {
  const std::string name(150, 'n');
  const std::string path = name + "/" + name + ".mtx";
  const std::string side = tar_member("side.mtx", other);
  EXPECT_EQ(rows_in(side + tar_member("././@LongLink", path + '\0', 'L') +
                    tar_member(path.substr(0, 99), matrix)),
            2);
  const std::string record = "path=" + path + "\n";
  const std::string pax = std::to_string(record.size() + 4) + " " + record;
  EXPECT_EQ(rows_in(side + tar_member("PaxHeaders/x", pax, 'x') + tar_member("short", matrix)), 2);
  // A size that is binary, and one that a pax header says.
  std::string wide(12, '\0');
  wide[0] = static_cast<char>(0x80);
  wide[11] = static_cast<char>(matrix.size());
  EXPECT_EQ(rows_in(tar_header("a/a.mtx", wide) + matrix), 2);
  const std::string size = "11 size=" + std::to_string(matrix.size()) + "\n";
  EXPECT_EQ(rows_in(tar_member("PaxHeaders/x", size, 'x') + tar_header("a/a.mtx", "0") + matrix),
            2);
}

TEST_F(TarText, ErrorsNameTheMemberAndItsLine) {
  const std::string bad = banner + "2 2 1\n1 x 1\n";
  EXPECT_EQ(error_of(tar_member("a/a.mtx", bad)),
            "parse_error: 'x' is no column index (" + file_.string() + ":a/a.mtx:3)");
}

TEST_F(TarText, ArchivesWithoutOneMatrixAreRefused) {
  EXPECT_EQ(error_of(tar_member("a.txt", "x") + tar_end()),
            "unsupported: the tar archive holds no .mtx file (" + file_.string() + ")");
  EXPECT_EQ(error_of(tar_member("a.mtx", matrix) + tar_member("b.mtx", matrix)),
            "unsupported: the tar archive holds 2 .mtx files, and none is called NAME/NAME.mtx (" +
                file_.string() + "); unpack it with 'tar xf FILE' and give the .mtx file inside");
}

TEST_F(TarText, SizesThatLieAreRefused) {
  std::string huge(12, '\xff');
  huge[0] = static_cast<char>(0x80);
  std::string negative(12, '\xff');
  const std::string beyond = "19 size=9223372036854775807\n";
  const std::string beyond_all = "28 size=9223372036854775808\n";
  for (const std::string& archive :
       {tar_header("a/a.mtx", "77777777777") + matrix, tar_header("a.txt", "77777777777") + matrix,
        tar_header("a.txt", huge) + matrix, tar_header("a.txt", negative) + matrix,
        tar_header("a.txt", "8") + matrix, tar_header("a.txt", "-1") + matrix,
        tar_header("././@LongLink", "77777777777", 'L') + matrix,
        tar_member("x", "28 size=9223372036854775807\n", 'x') + tar_header("a.txt", "0"),
        tar_member("x", beyond, 'x') + tar_header("a.txt", "0"),
        tar_member("x", beyond_all, 'x') + tar_header("a.txt", "0"),
        tar_member("x", "99999999999999999999 path=a\n", 'x'), tar_member("x", "2 ", 'x'),
        tar_member("x", "0 path=a\n", 'x'), tar_member("x", "path=a\n", 'x')}) {
    EXPECT_EQ(error_of(archive).rfind("data_corrupt: the tar archive ", 0), 0U)
        << error_of(archive);
  }
}

TEST_F(TarText, EveryCutAndEveryChangedByteIsReadOrRefused) {
  const std::string archive = tar_member("././@LongLink", "web/web_b.mtx", 'L') +
                              tar_member("web", other) + tar_member("x", "16 path=web/x\n", 'x') +
                              tar_member("web/web.mtx", matrix) + tar_end();
  for (std::size_t size = 0; size < archive.size(); size += 13) error_of(archive.substr(0, size));
  for (std::size_t k = 0; k < archive.size(); ++k) {
    if (archive[k] == '\0' && k % 16 != 0) continue;
    for (const char c : {'\0', '7', '\xff'}) {
      std::string bad = archive;
      bad[k] = c;
      error_of(bad);
      if (k % 512 < 345)
        error_of(bad.replace(k / 512 * 512, 512, with_checksum(bad.substr(k / 512 * 512, 512))));
    }
  }
}

TEST_F(TarText, APipeIsReadOnce) {
  const auto read_pipe = [&](const std::string& archive) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], archive.data(), archive.size()), std::ssize(archive));
    close(ends[1]);
    const auto code = code_of(
        [&] { EXPECT_EQ(rows_of(read_matrix_market<float>(ends[0], "standard input")), 2); });
    close(ends[0]);
    return code;
  };
  const std::string side = tar_member("web/web_b.mtx", other);
  EXPECT_EQ(read_pipe(side + tar_member("web/web.mtx", matrix)), std::nullopt);
  EXPECT_EQ(read_pipe(gzip_member(matrix)), std::nullopt);
  EXPECT_EQ(read_pipe(tar_member("a.mtx", matrix)), ErrorCode::Unsupported);
}

}  // namespace
}  // namespace switchyard
