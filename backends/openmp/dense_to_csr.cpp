// Dense to CSR on the host's threads, reading the dense matrix once.
//
// The elements are cut into blocks (see dense_blocks.hpp). While a thread fills one in, its next
// block is on the way into its cache.
#include "dense_blocks.hpp"
#include "openmp/operations.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Writes packed elements by way of a small buffer where they are to go past the caches.
template <Element T>
class Writer {
 public:
  Writer(Csr<T>& to, bool past_caches)
      : values_(to.values.data()), columns_(to.columns.data()), past_caches_(past_caches) {}

  /// Packs a stretch of a row at `place` and returns how many nonzeros it had. `room`: elements
  /// that this block may write from there.
  Index pack(const T* elements, Index count, Column first, Index place, Index room) {
    // Behind the last of the block's nonzeros another thread may have written already.
    if (!past_caches_ && count + compress_slack <= room) {
      return kernels_.compress(elements, count, first, values_ + place, columns_ + place);
    }
    const Index found = kernels_.compress(elements, count, first, buffer_.values, buffer_.columns);
    kernels_.stream(values_ + place, buffer_.values, found * Index{sizeof(T)});
    kernels_.stream(columns_ + place, buffer_.columns, found * Index{sizeof(Column)});
    return found;
  }

 private:
  struct Buffer {
    T values[stretch + compress_slack];
    Column columns[stretch + compress_slack];
  };
  const RowKernels<T>& kernels_ = best_row_kernels<T>();
  T* values_;
  Column* columns_;
  bool past_caches_;
  Buffer buffer_;
};

/// A block's elements, and where its nonzeros go.
struct Block {
  Index begin;
  Index end;
  Index place;
  Index place_end;
};

/// Fills in a block, asking for elements from `next` on meanwhile.
template <Element T, class Offset>
void fill(const Dense<T>& from, const Block& block, Writer<T>& writer, Offset* offsets,
          const T* next) {
  Index row = block.begin / from.cols;
  Index column = block.begin - row * from.cols;
  Index place = block.place;
  for (Index at = block.begin; at < block.end;) {
    const Index count = std::min({stretch, from.cols - column, block.end - at});
    for (Index j = 0; j < count; j += 64 / Index{sizeof(T)}) {
      __builtin_prefetch(next + (at - block.begin) + j);
    }
    place += writer.pack(from.values.data() + at, count, static_cast<Column>(column), place,
                         block.place_end - place);
    at += count;
    column += count;
    if (column == from.cols) {
      offsets[++row] = static_cast<Offset>(place);
      column = 0;
    }
  }
}

/// All blocks in order. Returns the nonzeros; where they are more than there is room for, the rest
/// of them is counted only.
template <Element T, class Offset>
Index fill_all(const Executor& executor, const Dense<T>& from, Csr<T>& to, Offset* offsets) {
  const Index bytes_of_result = to.values.size() * Index{sizeof(T) + sizeof(Column)};
  const bool past_caches = exceeds_caches(executor, static_cast<std::size_t>(bytes_of_result));
  constexpr Index block = block_bytes / Index{sizeof(T)};
  const Index elements = from.values.size();
  const Index blocks = (elements + block - 1) / block;
  // Each row's end is written by whoever fills in its last element, if it has one.
  offsets[0] = 0;
  if (elements == 0) std::fill(offsets, offsets + from.rows + 1, Offset{0});
  const auto end_of = [&](Index b) { return std::min((b + 1) * block, elements); };
  const auto count = [&](Index b) {
    return best_row_kernels<T>().count_nonzeros(from.values.data() + b * block,
                                                end_of(b) - b * block);
  };
  const auto fill_in = [&](const CountedBlock& b) {
    Writer<T> writer(to, past_caches);
    fill(from, {b.index * block, end_of(b.index), b.begin, b.end}, writer, offsets,
         from.values.data() + b.next * block);
  };
  return scan_blocks(shares_of_work(executor, elements * Index{sizeof(T)}),
                     {blocks, to.values.size()}, count, count, fill_in);
}

/// A matrix of room for `room` nonzeros, cut to those that were found; nothing if they are more.
/// Throws `Error(OutOfMemory)`.
template <Element T>
std::optional<Csr<T>> try_fill(Executor& executor, const Dense<T>& from, Index room) {
  auto to = Csr<T>::sized(from.rows, from.cols, room, executor.memory());
  const Index nnz = std::visit(
      [&](auto& offsets) { return fill_all(executor, from, to, offsets.data()); }, to.offsets);
  if (nnz > room) return std::nullopt;
  to.nnz = nnz;
  to.columns.shrink(nnz);
  to.values.shrink(nnz);
  return to;
}

}  // namespace

template <Element T>
Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Dense<T>>(matrix);
  auto to = filled_from(executor, from, [&](Index room) { return try_fill(executor, from, room); });
  narrow_offsets(to, executor.memory());
  return to;
}

template Storage<float> convert_dense_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_dense_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
