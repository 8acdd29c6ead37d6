// The compressed sparse row format: making one from sizes, from triplets and from arrays.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/csr_check.hpp>
#include <switchyard/containers/threads.hpp>

#include "also_avx2.hpp"
#include "first_error.hpp"
#include "row_buckets.hpp"

namespace switchyard {
namespace {

constexpr Index slice = 1 << 16;  // triplets grouped at a time: about what a core's cache holds

void check_shape(Index rows, Index cols, Index nnz) {
  const auto place = [&] {
    return fmt::format("a {} x {} matrix of {} nonzero{}", rows, cols, nnz, nnz == 1 ? "" : "s");
  };
  if (rows < 0 || cols < 0 || nnz < 0) {
    throw Error(ErrorCode::OutOfRange, "a size is negative", place());
  }
  if (cols > std::numeric_limits<Column>::max()) {
    throw Error(ErrorCode::OutOfRange, "there are more columns than 2^31-1", place());
  }
  if (rows > RowBuckets::largest_rows) {
    throw Error(ErrorCode::OutOfRange, "there are more rows than 2^42", place());
  }
}

template <Element T>
void check_triplets(Index rows, Index cols, std::span<const Triplet<T>> triplets) {
  for (const auto& [row, col, value] : triplets) {
    if (row < 0 || row >= rows || col < 0 || col >= cols) {
      throw Error(ErrorCode::OutOfRange,
                  fmt::format("the element ({}, {}) is outside the matrix", row, col),
                  fmt::format("a {} x {} matrix", rows, cols));
    }
  }
}

void check_array_sizes(Index rows, std::span<const Index> offsets, std::size_t columns,
                       std::size_t values) {
  if (std::ssize(offsets) != rows + 1) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} rows need {} offsets, not {}", rows, rows + 1, offsets.size()));
  }
  if (columns != values) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("there are {} columns and {} values", columns, values));
  }
  if (offsets.front() != 0 || offsets.back() != static_cast<Index>(values)) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("the offsets go from {} to {}", offsets.front(), offsets.back()), {},
                fmt::format("they go from 0 to the number of values, here {}", values));
  }
}

/// REQUIRES: begin and end within the columns.
void check_row(Index row, std::span<const Column> columns, Index cols) {
  Column last = -1;
  for (const Column column : columns) {
    if (column < 0 || column >= cols) {
      throw Error(ErrorCode::OutOfRange,
                  fmt::format("column {} is outside 0..{}", column, cols - 1),
                  fmt::format("row {}", row));
    }
    if (column <= last) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("column {} follows column {}", column, last),
                  fmt::format("row {}", row), "columns ascend strictly within a row");
    }
    last = column;
  }
}

/// Throws for the first row that is not sound. REQUIRES: rows + 1 offsets.
template <class Offset>
void check_rows(Index rows, Index cols, const Offset* offsets, std::span<const Column> columns) {
  const std::span all(offsets, static_cast<std::size_t>(rows) + 1);
  if (!pattern_faults(all, columns, cols).any()) return;
  for (Index i = 0; i < rows; ++i) {
    const Index begin = offsets[i];
    const Index end = offsets[i + 1];
    if (begin < 0 || begin > end || end > std::ssize(columns)) {
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("the offsets {} and {} do not ascend", begin, end),
                  fmt::format("row {}", i));
    }
    check_row(
        i, columns.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
        cols);
  }
}

template <class Offset>
SWITCHYARD_ALSO_AVX2 void differences(const Offset* at, Index* into, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] = at[i + 1] - at[i];
}

}  // namespace

template <Element T>
Csr<T> Csr<T>::sized(Index rows, Index cols, Index nnz,
                     const std::shared_ptr<MemorySpace>& memory) {
  check_shape(rows, cols, nnz);
  return {rows,
          cols,
          nnz,
          sized_offsets(rows + 1, nnz, memory),
          Array<Column>(nnz, memory),
          Array<T>(nnz, memory)};
}

template <Element T>
void Csr<T>::check() const {
  const bool sizes_fit = rows >= 0 && cols >= 0 && size_of(offsets) == rows + 1 &&
                         columns.size() == nnz && values.size() == nnz;
  if (sizes_fit && offset(0) == 0 && offset(rows) == nnz) return;
  throw Error(ErrorCode::InvalidArgument,
              "a CSR matrix needs rows + 1 offsets, and as many columns as values");
}

template <Element T>
void Csr<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::visit(
      [&](const auto& array) { differences(array.data() + first, lengths.data(), lengths.size()); },
      offsets);
}

double csr_bytes(const Structure& structure, Index element_bytes) {
  return static_cast<double>(structure.nnz) *
             static_cast<double>(element_bytes + Index{sizeof(Column)}) +
         static_cast<double>(structure.rows + 1) * static_cast<double>(offset_bytes(structure.nnz));
}

template <Element T>
Csr<T> csr_from_triplets(Index rows, Index cols, std::span<const Triplet<T>> triplets) {
  check_shape(rows, cols, std::ssize(triplets));
  return with_enough_memory([&] {
    const RowBuckets buckets(rows);
    const Index slices = (std::ssize(triplets) + slice - 1) / slice;
    std::deque<EntryGroup<T>> groups(static_cast<std::size_t>(slices));
    FirstError error;
    share_out_steps(slices, slices > 1, [&](Index s) {
      error.run(s, [&] {
        const auto begin = static_cast<std::size_t>(s * slice);
        const auto part = triplets.subspan(
            begin, std::min(static_cast<std::size_t>(slice), triplets.size() - begin));
        check_triplets(rows, cols, part);
        groups[static_cast<std::size_t>(s)] = group_entries(part, buckets);
      });
    });
    error.rethrow();
    return assemble_csr(rows, cols, buckets, std::move(groups));
  });
}

template <Element T>
Csr<T> csr_from_arrays(Index rows, Index cols, std::span<const Index> offsets,
                       std::vector<Column> columns, std::vector<T> values) {
  const auto nnz = std::ssize(values);
  check_shape(rows, cols, nnz);
  check_array_sizes(rows, offsets, columns.size(), values.size());
  check_rows(rows, cols, offsets.data(), columns);
  return with_enough_memory([&] {
    Csr<T> matrix{rows,
                  cols,
                  nnz,
                  sized_offsets(rows + 1, nnz, plain_host_memory()),
                  Array<Column>(std::move(columns)),
                  Array<T>(std::move(values))};
    std::visit(
        [&](auto& stored) {
          using Offset = std::remove_reference_t<decltype(stored[0])>;
          std::transform(offsets.begin(), offsets.end(), stored.data(),
                         [](Index offset) { return static_cast<Offset>(offset); });
        },
        matrix.offsets);
    return matrix;
  });
}

namespace {

template <Element T>
Csr<T> checked_view(Index rows, Index cols, Offsets offsets, std::span<const Column> columns,
                    std::span<const T> values) {
  if (columns.size() != values.size()) {
    throw Error(ErrorCode::InvalidArgument, "there are " + std::to_string(columns.size()) +
                                                " columns and " + std::to_string(values.size()) +
                                                " values");
  }
  Csr<T> matrix{rows,
                cols,
                std::ssize(values),
                std::move(offsets),
                Array<Column>::borrow(columns),
                Array<T>::borrow(values)};
  check_elements(matrix);
  return matrix;
}

}  // namespace

template <Element T>
Csr<T> csr_view(Index rows, Index cols, std::span<const std::int32_t> offsets,
                std::span<const Column> columns, std::span<const T> values) {
  return with_enough_memory([&] {
    if (!offsets_are_narrow(std::ssize(values))) {
      throw Error(ErrorCode::OutOfRange, "offsets of 32 bits cannot count the values", {},
                  "give offsets of 64 bits");
    }
    return checked_view(rows, cols, Array<std::int32_t>::borrow(offsets), columns, values);
  });
}

template <Element T>
Csr<T> csr_view(Index rows, Index cols, std::span<const std::int64_t> offsets,
                std::span<const Column> columns, std::span<const T> values) {
  return with_enough_memory([&] {
    const Index nnz = std::ssize(values);
    if (!offsets_are_narrow(nnz)) {
      return checked_view(rows, cols, Array<std::int64_t>::borrow(offsets), columns, values);
    }
    Array<std::int32_t> narrowed(std::ssize(offsets), plain_host_memory());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] < 0 || offsets[i] > nnz) {
        throw Error(ErrorCode::InvalidArgument, "the offset " + std::to_string(offsets[i]) +
                                                    " is outside 0.." + std::to_string(nnz));
      }
      narrowed[static_cast<Index>(i)] = static_cast<std::int32_t>(offsets[i]);
    }
    return checked_view(rows, cols, Offsets(std::move(narrowed)), columns, values);
  });
}

template <Element T>
void check_elements(const Csr<T>& matrix) {
  check_shape(matrix.rows, matrix.cols, matrix.nnz);
  matrix.check();
  std::visit(
      [&](const auto& offsets) {
        check_rows(matrix.rows, matrix.cols, offsets.data(), matrix.columns.span());
      },
      matrix.offsets);
}

template struct Csr<float>;
template struct Csr<double>;
template Csr<float> csr_from_triplets(Index, Index, std::span<const Triplet<float>>);
template Csr<double> csr_from_triplets(Index, Index, std::span<const Triplet<double>>);
template Csr<float> csr_from_arrays(Index, Index, std::span<const Index>, std::vector<Column>,
                                    std::vector<float>);
template Csr<double> csr_from_arrays(Index, Index, std::span<const Index>, std::vector<Column>,
                                     std::vector<double>);
template Csr<float> csr_view(Index, Index, std::span<const std::int32_t>, std::span<const Column>,
                             std::span<const float>);
template Csr<double> csr_view(Index, Index, std::span<const std::int32_t>, std::span<const Column>,
                              std::span<const double>);
template Csr<float> csr_view(Index, Index, std::span<const std::int64_t>, std::span<const Column>,
                             std::span<const float>);
template Csr<double> csr_view(Index, Index, std::span<const std::int64_t>, std::span<const Column>,
                              std::span<const double>);
template void check_elements(const Csr<float>&);
template void check_elements(const Csr<double>&);

}  // namespace switchyard
