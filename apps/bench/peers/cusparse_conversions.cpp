// cuSPARSE: dense to CSR and back.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "cusparse.hpp"

namespace switchyard::command::bench::cusparse {
namespace {

// Both conversions, and the analysis of the first, have this form; a bufferSize has a size's
// address instead of the buffer.
using Convert = int(Handle handle, Descriptor from, Descriptor to, int algorithm, void* buffer);
using BufferSize = int(Handle handle, Descriptor from, Descriptor to, int algorithm,
                       std::size_t* bytes);

std::size_t buffer_bytes(const char* name, const Owned& from, const Owned& to) {
  std::size_t bytes = 0;
  check(library().get<BufferSize>(name)(handle(), from.get(), to.get(), 0, &bytes), name);
  return bytes;
}

void run(Convert* function, const char* name, const Owned& from, const Owned& to,
         const CudaArray& buffer) {
  check(function(handle(), from.get(), to.get(), 0, buffer.data()), name);
}

/// From dense to CSR; memory for the result is there from the second run on.
template <Element T>
struct ToCsr {
  std::int64_t rows;
  std::int64_t cols;
  CudaArray dense_values;
  CudaArray offsets;
  Owned dense;
  Owned csr;
  CudaArray buffer;
  std::int64_t nnz = -1;
  std::optional<CudaArray> columns = {};
  std::optional<CudaArray> values = {};

  explicit ToCsr(const Dense<T>& a)
      : rows(narrow<std::int32_t>(a.rows)),
        cols(narrow<std::int32_t>(a.cols)),
        dense_values(a.values.span()),
        offsets((static_cast<std::size_t>(rows) + 1) * sizeof(std::int32_t)),
        dense(matrix_of(rows, cols, dense_values.data(), cuda_type<T>, row_order)),
        csr(csr_of({.rows = rows, .cols = cols, .offsets = offsets.data()}, cuda_type<T>)),
        buffer(buffer_bytes("cusparseDenseToSparse_bufferSize", dense, csr)) {}

  void convert() {
    static auto* const analyse = library().get<Convert>("cusparseDenseToSparse_analysis");
    static auto* const finish = library().get<Convert>("cusparseDenseToSparse_convert");
    run(analyse, "cusparseDenseToSparse_analysis", dense, csr, buffer);
    make_room();
    run(finish, "cusparseDenseToSparse_convert", dense, csr, buffer);
  }

  void make_room() {
    using GetSize = int(Descriptor, std::int64_t*, std::int64_t*, std::int64_t*);
    using SetPointers = int(Descriptor, void*, void*, void*);
    static auto* const get_size = library().get<GetSize>("cusparseSpMatGetSize");
    static auto* const set_pointers = library().get<SetPointers>("cusparseCsrSetPointers");
    std::int64_t count = 0;
    check(get_size(csr.get(), &rows, &cols, &count), "cusparseSpMatGetSize");
    if (count != nnz) {
      nnz = count;
      columns.emplace(static_cast<std::size_t>(nnz) * sizeof(std::int32_t));
      values.emplace(static_cast<std::size_t>(nnz) * sizeof(T));
    }
    check(set_pointers(csr.get(), offsets.data(), columns->data(), values->data()),
          "cusparseCsrSetPointers");
  }

  [[nodiscard]] Storage<T> fetch() const {
    auto result = Csr<T>::sized(rows, cols, nnz);
    offsets.copy_out(std::get<Array<std::int32_t>>(result.offsets).data());
    columns->copy_out(result.columns.data());
    values->copy_out(result.values.data());
    sort_rows(result);
    return result;
  }

  /// The order of elements within a row is cuSPARSE's own.
  static void sort_rows(Csr<T>& csr) {
    std::vector<std::pair<Column, T>> row;
    for (Index i = 0; i < csr.rows; ++i) {
      const Index begin = csr.offset(i);
      const Index end = csr.offset(i + 1);
      row.clear();
      for (Index k = begin; k < end; ++k) row.emplace_back(csr.columns[k], csr.values[k]);
      std::ranges::sort(row, {}, &std::pair<Column, T>::first);
      for (Index k = begin; k < end; ++k) {
        std::tie(csr.columns[k], csr.values[k]) = row[static_cast<std::size_t>(k - begin)];
      }
    }
  }
};

template <Element T>
struct ToDense {
  std::int64_t rows;
  std::int64_t cols;
  DeviceCsr<T> csr;
  CudaArray dense_values;
  Owned dense;
  CudaArray buffer;

  explicit ToDense(const Csr<T>& a)
      : rows(a.rows),
        cols(a.cols),
        csr(NarrowCsr<T>(a)),
        dense_values(static_cast<std::size_t>(checked_product(rows, cols)) * sizeof(T)),
        dense(matrix_of(rows, cols, dense_values.data(), cuda_type<T>, row_order)),
        buffer(buffer_bytes("cusparseSparseToDense_bufferSize", csr.descriptor, dense)) {}

  void convert() {
    static auto* const function = library().get<Convert>("cusparseSparseToDense");
    run(function, "cusparseSparseToDense", csr.descriptor, dense, buffer);
  }

  [[nodiscard]] Storage<T> fetch() const {
    auto result = Dense<T>::sized(rows, cols);
    dense_values.copy_out(result.values.data());
    return result;
  }
};

template <Element T, class Work, class Source>
PeerConversion<T> prepare(const Storage<T>& matrix) {
  const auto work = std::make_shared<Work>(std::get<Source>(matrix));
  return {.call = [work] { work->convert(); },
          .settle = [] { Cuda::runtime().finish(); },
          .fetch = [work] { return work->fetch(); }};
}

}  // namespace

std::vector<ConversionPeer> conversions() {
  return {
      {"cusparse", Format::Dense, Format::Csr, PeerPlace::Nvidia,
       &prepare<float, ToCsr<float>, Dense<float>>, &prepare<double, ToCsr<double>, Dense<double>>},
      {"cusparse", Format::Csr, Format::Dense, PeerPlace::Nvidia,
       &prepare<float, ToDense<float>, Csr<float>>,
       &prepare<double, ToDense<double>, Csr<double>>}};
}

}  // namespace switchyard::command::bench::cusparse
