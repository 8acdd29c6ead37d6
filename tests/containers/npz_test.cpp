// Matrices in .npz files: what SciPy writes, and what is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <switchyard/containers/matrix_file.hpp>

#include "containers/archives.hpp"
#include "containers/code_of.hpp"
#include "containers/matrix_market_texts.hpp"

namespace switchyard {
namespace {

using namespace archives;
namespace fs = std::filesystem;

/// The arrays of the matrix [1 0 2; 0 3 0].
std::vector<ZipEntry> small_csr() {
  return {{.name = "indices.npy", .data = npy_vector<std::int32_t>("<i4", {0, 2, 1})},
          {.name = "indptr.npy", .data = npy_vector<std::int32_t>("<i4", {0, 2, 3})},
          {.name = "format.npy", .data = npy("|S3", "", "csr")},
          {.name = "shape.npy", .data = npy_vector<std::int64_t>("<i8", {2, 3})},
          {.name = "data.npy", .data = npy_vector<double>("<f8", {1, 2, 3})}};
}
const ElementsByPlace small_elements{{{0, 0}, 1}, {{0, 2}, 2}, {{1, 1}, 3}};

class Npz : public testing::Test {
 protected:
  fs::path file_ = fs::temp_directory_path() / ("switchyard-npz-" + std::to_string(getpid()));
  ~Npz() override { fs::remove(file_); }

  std::string save(const std::string& bytes) {
    std::ofstream(file_, std::ios::binary) << bytes;
    return file_;
  }

  /// What reading ends with, "read" or an error on one line that names the file.
  std::string outcome_of(const std::string& bytes) {
    try {
      static_cast<void>(read_matrix<float>(save(bytes)));
    } catch (const Error& error) {
      EXPECT_EQ(error.where().rfind(file_.string(), 0), 0U) << error.what();
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      return std::string(name(error.code())) + ": " + error.what();
    }
    return "read";
  }

  /// The outcome for the small matrix with one array replaced.
  std::string with(const std::string& array, const std::string& data) {
    auto entries = small_csr();
    std::erase_if(entries, [&](const ZipEntry& entry) { return entry.name == array + ".npy"; });
    entries.push_back({.name = array + ".npy", .data = data, .deflate = true});
    return outcome_of(zip(entries));
  }
};

TEST_F(Npz, WhatSciPyWritesIsRead) {
  const ElementsByPlace expected{{{0, 0}, 1}, {{0, 1}, -2.5}, {{1, 2}, 3},   {{1, 3}, 0.25},
                                 {{2, 4}, 7}, {{3, 5}, -8},   {{3, 0}, 1e-3}};
  int read = 0;
  for (const auto& entry : fs::directory_iterator(SWITCHYARD_NPZ_DIR)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("scipy-") || !name.ends_with(".npz")) continue;
    ++read;
    const auto storage = read_matrix<double>(entry.path());
    EXPECT_EQ(rows_of(storage), 4) << name;
    EXPECT_EQ(cols_of(storage), 6) << name;
    EXPECT_EQ(format_of(storage), Format::Csr) << name;
    ElementsByPlace elements = elements_of(storage);
    // Blocks hold zeros.
    std::erase_if(elements, [](const auto& element) { return element.second == 0; });
    EXPECT_NEAR((elements[{3, 0}]), 1e-3, 1e-9) << name;
    elements[{3, 0}] = 1e-3;  // as float it is another number
    EXPECT_EQ(elements, expected) << name;
  }
  EXPECT_GE(read, 12);
}

TEST_F(Npz, EveryElementAndIndexTypeIsRead) {
  for (const bool deflate : {false, true}) {
    auto entries = small_csr();
    for (ZipEntry& entry : entries) entry.deflate = deflate;
    EXPECT_EQ(elements_of(read_matrix<double>(save(zip(entries)))), small_elements);
    EXPECT_EQ(elements_of(read_matrix<float>(save(zip(entries, "a comment PK\x05\x06")))),
              small_elements);
  }
  EXPECT_EQ(with("data", npy_vector<float>("<f4", {1, 2, 3})), "read");
  EXPECT_EQ(with("data", npy_vector<std::int64_t>("<i8", {1, 2, 3})), "read");
  EXPECT_EQ(with("data", npy_vector<std::uint8_t>("|u1", {1, 2, 3})), "read");
  EXPECT_EQ(with("data", npy_vector<std::uint8_t>("|b1", {1, 1, 0})), "read");
  EXPECT_EQ(with("indptr", npy_vector<std::int64_t>("<i8", {0, 2, 3})), "read");
  EXPECT_EQ(with("indices", npy_vector<std::int64_t>("<i8", {0, 2, 1})), "read");
  EXPECT_EQ(with("format", npy("<U3", "", std::string("c\0\0\0s\0\0\0r\0\0\0", 12))), "read");
}

TEST_F(Npz, UnsortedAndRepeatedColumnsAreSortedAndAdded) {
  auto entries = small_csr();
  entries[0].data = npy_vector<std::int32_t>("<i4", {2, 2, 1});
  EXPECT_EQ(elements_of(read_matrix<double>(save(zip(entries)))),
            (ElementsByPlace{{{0, 2}, 3}, {{1, 1}, 3}}));
  entries[0].data = npy_vector<std::int32_t>("<i4", {2, 0, 1});
  EXPECT_EQ(elements_of(read_matrix<double>(save(zip(entries)))),
            (ElementsByPlace{{{0, 2}, 1}, {{0, 0}, 2}, {{1, 1}, 3}}));
}

TEST_F(Npz, NumbersTooLargeForTheElementTypeAreRefusedUnlessLenient) {
  EXPECT_EQ(with("data", npy_vector<double>("<f8", {1, 1e300, 3})).rfind("out_of_range", 0), 0U);
  EXPECT_EQ(elements_of(read_matrix<float>(file_, {.lenient = true})).at({0, 2}),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(elements_of(read_matrix<double>(file_)).at({0, 2}), 1e300);
}

TEST_F(Npz, OtherArraysAreUnsupported) {
  const std::string complex(48, '\0');
  for (const std::string& outcome :
       {with("data", npy("<c16", "3,", complex)),
        with("data", npy(">f8", "3,", complex.substr(24))),
        with("data", npy("<f2", "3,", "123456")), with("data", npy("|O", "3,", "123")),
        with("data", npy("|S1", "3,", "123")),
        with("indices", npy_vector<double>("<f8", {0, 2, 1})),
        with("format", npy("|S3", "", "lil")), with("shape", npy_vector<std::int64_t>("<i8", {3})),
        outcome_of(zip({{.name = "x.npy", .data = npy("|S3", "", "csr")}})), outcome_of(zip({})),
        outcome_of(zip({{.name = "format.npy", .data = "x", .flags = 1}})),
        outcome_of(zip({{.name = "format.npy", .data = "x", .method = 14}}))}) {
    EXPECT_EQ(outcome.rfind("unsupported: ", 0), 0U) << outcome;
  }
  auto entries = small_csr();
  entries[2].data = npy("|S3", "", "dia");
  entries[4].data =
      npy_of("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 3)}", std::string(24, '\0'));
  entries.push_back({.name = "offsets.npy", .data = npy_vector<std::int32_t>("<i4", {0})});
  EXPECT_NE(outcome_of(zip(entries)).find("Fortran order"), std::string::npos);
}

TEST_F(Npz, ArraysThatContradictEachOtherAreDamaged) {
  const std::string nothing;
  for (const std::string& outcome :
       {with("indptr", npy_vector<std::int32_t>("<i4", {0, 2})),
        with("indptr", npy_vector<std::int32_t>("<i4", {0, 2, 4})),
        with("indptr", npy_vector<std::int32_t>("<i4", {1, 2, 3})),
        with("indptr", npy_vector<std::int32_t>("<i4", {0, 4, 3})),
        with("indptr", npy_vector<std::int32_t>("<i4", {0, -1, 3})),
        with("indices", npy_vector<std::int32_t>("<i4", {0, 3, 1})),
        with("indices", npy_vector<std::int32_t>("<i4", {0, -1, 1})),
        with("data", npy_vector<double>("<f8", {1, 2})), with("data", npy("<f8", "3", "short")),
        with("data", npy("<f8", "1, 3", std::string(24, '\0'))), with("data", "no array at all"),
        with("data", npy("<f8", "9223372036854775807, 9", nothing)),
        with("data", npy("<f8", "-1,", nothing)),
        with("data", npy("<f8", "99999999999999999999,", "")), with("data", npy_of("{}", nothing)),
        with("data", npy_of("", nothing)), with("data", npy_of("{'descr': '<f8'", nothing)),
        with("format", npy("|S0", "", nothing)),
        with("shape", npy_vector<std::int64_t>("<i8", {3, 3}))}) {
    EXPECT_EQ(outcome.rfind("data_corrupt: ", 0), 0U) << outcome;
  }
}

TEST_F(Npz, SizesBeyondAnyBoundAreOutOfRange) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const std::string& outcome :
       {with("shape", npy_vector<std::int64_t>("<i8", {most, 3})),
        with("shape", npy_vector<std::int64_t>("<i8", {2, most})),
        with("shape", npy_vector<std::int64_t>("<i8", {-1, 3})),
        with("shape", npy_vector<std::uint64_t>("<u8", {std::uint64_t{1} << 63U, 3})),
        with("shape", npy_vector<std::int64_t>("<i8", {std::int64_t{1} << 40, 3})),
        with("indices", npy_vector<std::int64_t>("<i8", {0, std::int64_t{1} << 31, 1}))}) {
    EXPECT_EQ(outcome.rfind("out_of_range: ", 0), 0U) << outcome;
  }
}

TEST_F(Npz, BombsAreRefusedBeforeTheyUnpack) {
  // Two megabytes cannot hold more than two gigabytes, and may not hold as much.
  auto entries = small_csr();
  entries[4].data = std::string(2 << 20, '\0');
  entries[4].method = 8;
  entries[4].size = std::int64_t{2060} << 20;
  EXPECT_EQ(outcome_of(zip(entries)).rfind("out_of_range: ", 0), 0U);
  entries[4].size = std::int64_t{2070} << 20;
  EXPECT_EQ(outcome_of(zip(entries)).rfind("data_corrupt: ", 0), 0U);
  // The same bytes, a thousand times over.
  entries = small_csr();
  const std::string zeros(1 << 20, '\0');
  entries.push_back({.name = "zeros", .data = zeros, .deflate = true, .offset = 0});
  for (int i = 0; i < 2000; ++i) {
    entries.push_back(
        {.name = "more", .data = {}, .deflate = true, .size = 1 << 20, .compressed = 1100});
  }
  EXPECT_EQ(outcome_of(zip(entries)).rfind("out_of_range: ", 0), 0U);
}

TEST_F(Npz, DamagedArchivesAreRefused) {
  const auto changed = [&](const std::function<void(ZipEntry&)>& change) {
    auto entries = small_csr();
    for (ZipEntry& entry : entries) entry.deflate = true;
    change(entries[4]);
    return outcome_of(zip(entries));
  };
  for (const std::string& outcome :
       {changed([](ZipEntry& e) { e.crc = 1; }), changed([](ZipEntry& e) { e.size = 0; }),
        changed([](ZipEntry& e) { e.size = 5000; }), changed([](ZipEntry& e) { e.compressed = 3; }),
        changed([](ZipEntry& e) { e.compressed = 0xFFFFFFFE; }),
        changed([](ZipEntry& e) { e.offset = 0xFFFFFFFE; }),
        changed([](ZipEntry& e) { e.offset = 0xFFFFFFFF; }),
        changed([](ZipEntry& e) { e.offset = 3; }), changed([](ZipEntry& e) { e.method = 0; })}) {
    EXPECT_EQ(outcome.rfind("data_corrupt: ", 0), 0U) << outcome;
  }
}

TEST_F(Npz, EveryCutAndEveryChangedByteIsReadOrRefused) {
  for (const bool deflate : {false, true}) {
    auto entries = small_csr();
    for (ZipEntry& entry : entries) entry.deflate = deflate;
    const std::string archive = zip(entries);
    for (std::size_t size = 4; size < archive.size(); size += 3) {
      EXPECT_EQ(outcome_of(archive.substr(0, size)).rfind("data_corrupt: ", 0), 0U) << size;
    }
    for (std::size_t k = 4; k < archive.size(); ++k) {
      for (const int c : {0, 0xFF}) {
        std::string bad = archive;
        bad[k] = static_cast<char>(c);
        outcome_of(bad);
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
