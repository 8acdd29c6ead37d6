// From the arrays of a .npz file to CSR. All formats but CSR go through triplets.
#include "npz_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "npy_array.hpp"
#include "row_buckets.hpp"

namespace switchyard {
namespace {

/// What all arrays together may take whatever their sizes say, and how much more for each byte of
/// the file. Deflate packs a thousand zeros into a byte. Matrices with one value, or one stencil,
/// are packed like that, too, so the free part is large.
constexpr double free_bytes = 1 << 30;
constexpr double bytes_per_byte = 64;
/// What the offsets of rows may take without being in the file; see `read_matrix_market`.
constexpr double free_offset_bytes = 16 << 20;
constexpr double offset_bytes_per_byte = 8;

/// The arrays of one file.
class NpzFile {
 public:
  NpzFile(const RandomAccess& file, const ReadOptions& options)
      : file_(file), options_(options), members_(list_zip(file)) {
    for (const ZipMember& member : members_) bytes_ += static_cast<double>(member.size);
    if (bytes_ > free_bytes + bytes_per_byte * static_cast<double>(file.size)) {
      fail(ErrorCode::OutOfRange,
           fmt::format("{:.0f} bytes in a file of {} bytes are out of range", bytes_, file.size),
           "write it with save_npz(..., compressed=False)");
    }
  }

  [[noreturn]] void fail(ErrorCode code, const std::string& what,
                         const std::string& hint = {}) const {
    throw Error(code, what, file_.name, hint);
  }
  [[noreturn]] void damaged(const std::string& what) const { fail(ErrorCode::DataCorrupt, what); }

  [[nodiscard]] std::string text(const std::string& name) const {
    ZipReader reader = open(name);
    return read_npy_text(reader);
  }

  /// An array of so many dimensions. Sets `shape` where it is not null.
  template <class To>
  [[nodiscard]] std::vector<To> array(const std::string& name, std::size_t dimensions,
                                      std::vector<Index>* shape = nullptr) const {
    ZipReader reader = open(name);
    const NpyHeader header = read_npy_header(reader);
    if (header.shape.size() != dimensions) {
      damaged(fmt::format("the array {} has {} dimensions and should have {}", name,
                          header.shape.size(), dimensions));
    }
    if (shape != nullptr) *shape = header.shape;
    return read_npy_elements<To>(reader, header, options_);
  }

  /// Bytes of all arrays.
  [[nodiscard]] double bytes() const noexcept { return bytes_; }

 private:
  [[nodiscard]] ZipReader open(const std::string& name) const {
    const auto found = std::ranges::find(members_, name + ".npy", &ZipMember::name);
    if (found == members_.end()) {
      fail(ErrorCode::Unsupported,
           fmt::format("the zip archive holds no array '{}': it is no file of SciPy's save_npz",
                       name),
           "write the matrix with scipy.sparse.save_npz");
    }
    return {file_, *found};
  }

  const RandomAccess& file_;
  const ReadOptions& options_;
  std::vector<ZipMember> members_;
  double bytes_ = 0;
};

struct Shape {
  Index rows = 0;
  Index cols = 0;
};

Shape shape_of(const NpzFile& file) {
  const auto sizes = file.array<Index>("shape", 1);
  if (sizes.size() != 2) {
    file.fail(ErrorCode::Unsupported,
              fmt::format("an array of {} dimensions is no matrix", sizes.size()));
  }
  const Shape shape{sizes[0], sizes[1]};
  if (shape.rows < 0 || shape.cols < 0 || shape.rows > RowBuckets::largest_rows ||
      shape.cols > std::numeric_limits<Column>::max()) {
    file.fail(ErrorCode::OutOfRange,
              fmt::format("a matrix of {} x {} is out of range", shape.rows, shape.cols));
  }
  const double offset_bytes = static_cast<double>(shape.rows) * sizeof(Column);
  if (offset_bytes > free_offset_bytes + offset_bytes_per_byte * file.bytes()) {
    file.fail(ErrorCode::OutOfRange,
              fmt::format("{} rows in arrays of {:.0f} bytes are out of range", shape.rows,
                          file.bytes()));
  }
  return shape;
}

/// Entries in any order on their way to CSR.
template <Element T>
class Collector {
 public:
  Collector(const NpzFile& file, Shape shape) : file_(file), shape_(shape), buckets_(shape.rows) {}

  void add(Index row, Index col, T value) {
    if (row < 0 || row >= shape_.rows || col < 0 || col >= shape_.cols) {
      file_.damaged(fmt::format("the element ({}, {}) lies outside {} x {}", row, col, shape_.rows,
                                shape_.cols));
    }
    entries_.push_back({row, col, value});
    if (entries_.size() == at_once) flush();
  }

  [[nodiscard]] Storage<T> assemble() && {
    flush();
    return assemble_csr(shape_.rows, shape_.cols, buckets_, std::move(groups_));
  }

 private:
  static constexpr std::size_t at_once = 1 << 16;

  void flush() {
    if (entries_.empty()) return;
    groups_.push_back(group_entries(std::span<const Triplet<T>>(entries_), buckets_));
    entries_.clear();
  }

  const NpzFile& file_;
  Shape shape_;
  RowBuckets buckets_;
  std::vector<Triplet<T>> entries_;
  std::deque<EntryGroup<T>> groups_;
};

/// The arrays that CSR, CSC and BSR share. `lines` are rows, columns, or rows of blocks.
struct Pattern {
  std::vector<Index> offsets;
  std::vector<Column> indices;
};

Pattern read_pattern(const NpzFile& file, Index lines, Index elements) {
  Pattern pattern{file.array<Index>("indptr", 1), file.array<Column>("indices", 1)};
  const auto& offsets = pattern.offsets;
  if (std::ssize(offsets) != lines + 1) {
    file.damaged(
        fmt::format("indptr has {} elements and should have {}", offsets.size(), lines + 1));
  }
  // SciPy, too, takes indices and data that are longer than needed.
  if (offsets.front() != 0 || !std::ranges::is_sorted(offsets) || offsets.back() > elements ||
      offsets.back() > std::ssize(pattern.indices)) {
    file.damaged("indptr does not ascend from 0 to the number of elements");
  }
  return pattern;
}

/// Calls visit(line, k) for each element in the order of the arrays.
template <class Visit>
void for_each_element(const Pattern& pattern, const Visit& visit) {
  for (std::size_t line = 0; line + 1 < pattern.offsets.size(); ++line) {
    for (Index k = pattern.offsets[line]; k < pattern.offsets[line + 1]; ++k) {
      visit(static_cast<Index>(line), static_cast<std::size_t>(k));
    }
  }
}

/// Whether columns ascend strictly in each row and lie within the matrix.
bool is_canonical(const Pattern& pattern, Index cols) {
  bool canonical = true;
  for_each_element(pattern, [&](Index row, std::size_t k) {
    const Column column = pattern.indices[k];
    const bool first = static_cast<Index>(k) == pattern.offsets[static_cast<std::size_t>(row)];
    canonical &= column >= 0 && column < cols && (first || pattern.indices[k - 1] < column);
  });
  return canonical;
}

template <Element T>
Storage<T> read_csr(const NpzFile& file, Shape shape) {
  auto values = file.array<T>("data", 1);
  Pattern pattern = read_pattern(file, shape.rows, std::ssize(values));
  if (is_canonical(pattern, shape.cols)) {
    const auto nnz = static_cast<std::size_t>(pattern.offsets.back());
    values.resize(nnz);
    pattern.indices.resize(nnz);
    return csr_from_arrays<T>(shape.rows, shape.cols, pattern.offsets, std::move(pattern.indices),
                              std::move(values));
  }
  Collector<T> collector(file, shape);
  for_each_element(pattern, [&](Index row, std::size_t k) {
    collector.add(row, pattern.indices[k], values[k]);
  });
  return std::move(collector).assemble();
}

template <Element T>
Storage<T> read_csc(const NpzFile& file, Shape shape) {
  const auto values = file.array<T>("data", 1);
  const Pattern pattern = read_pattern(file, shape.cols, std::ssize(values));
  Collector<T> collector(file, shape);
  for_each_element(pattern, [&](Index col, std::size_t k) {
    collector.add(pattern.indices[k], col, values[k]);
  });
  return std::move(collector).assemble();
}

template <Element T>
Storage<T> read_bsr(const NpzFile& file, Shape shape) {
  std::vector<Index> sizes;
  const auto values = file.array<T>("data", 3, &sizes);
  const Index height = sizes[1];
  const Index width = sizes[2];
  if (height < 1 || width < 1 || shape.rows % height != 0 || shape.cols % width != 0) {
    file.damaged(fmt::format("blocks of {} x {} do not fill {} x {}", height, width, shape.rows,
                             shape.cols));
  }
  const Pattern pattern = read_pattern(file, shape.rows / height, sizes[0]);
  const Index last_block = shape.cols / width - 1;
  Collector<T> collector(file, shape);
  for_each_element(pattern, [&](Index block_row, std::size_t block) {
    // Checked before it is multiplied.
    if (pattern.indices[block] < 0 || pattern.indices[block] > last_block) {
      file.damaged(fmt::format("the block column {} is out of range", pattern.indices[block]));
    }
    const T* value = values.data() + static_cast<Index>(block) * height * width;
    for (Index i = 0; i < height; ++i) {
      for (Index j = 0; j < width; ++j) {
        collector.add(block_row * height + i, pattern.indices[block] * width + j, *value++);
      }
    }
  });
  return std::move(collector).assemble();
}

template <Element T>
Storage<T> read_coo(const NpzFile& file, Shape shape) {
  const auto values = file.array<T>("data", 1);
  const auto rows = file.array<Index>("row", 1);
  const auto cols = file.array<Index>("col", 1);
  if (rows.size() != values.size() || cols.size() != values.size()) {
    file.damaged(fmt::format("row, col and data have {}, {} and {} elements", rows.size(),
                             cols.size(), values.size()));
  }
  Collector<T> collector(file, shape);
  for (std::size_t k = 0; k < values.size(); ++k) collector.add(rows[k], cols[k], values[k]);
  return std::move(collector).assemble();
}

/// data[d, j] is the element of column j on diagonal d. Zeros are padding, as they are for SciPy.
template <Element T>
Storage<T> read_dia(const NpzFile& file, Shape shape) {
  std::vector<Index> sizes;
  const auto values = file.array<T>("data", 2, &sizes);
  const auto diagonals = file.array<Index>("offsets", 1);
  if (std::ssize(diagonals) != sizes[0]) {
    file.damaged(fmt::format("there are {} offsets and {} diagonals", diagonals.size(), sizes[0]));
  }
  Collector<T> collector(file, shape);
  for (std::size_t d = 0; d < diagonals.size(); ++d) {
    const Index offset = diagonals[d];
    if (offset <= -shape.rows || offset >= shape.cols) continue;
    const T* const diagonal = values.data() + static_cast<Index>(d) * sizes[1];
    const Index end = std::min({sizes[1], shape.cols, shape.rows + offset});
    for (Index col = std::max(offset, Index{0}); col < end; ++col) {
      if (diagonal[col] != T{0}) collector.add(col - offset, col, diagonal[col]);
    }
  }
  return std::move(collector).assemble();
}

template <Element T>
using Reader = Storage<T> (*)(const NpzFile& file, Shape shape);

template <Element T>
Reader<T> reader_of(const NpzFile& file) {
  const std::string format = file.text("format");
  if (format == "csr") return &read_csr<T>;
  if (format == "csc") return &read_csc<T>;
  if (format == "bsr") return &read_bsr<T>;
  if (format == "coo") return &read_coo<T>;
  if (format == "dia") return &read_dia<T>;
  std::string shown = format.substr(0, 24);
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  file.fail(ErrorCode::Unsupported, "'" + shown + "' is no format that is read",
            "csr, csc, coo, bsr and dia are");
}

}  // namespace

template <Element T>
Storage<T> read_npz(const RandomAccess& file, const ReadOptions& options) {
  const NpzFile arrays(file, options);
  const Reader<T> read = reader_of<T>(arrays);
  return read(arrays, shape_of(arrays));
}

template Storage<float> read_npz(const RandomAccess&, const ReadOptions&);
template Storage<double> read_npz(const RandomAccess&, const ReadOptions&);

}  // namespace switchyard
