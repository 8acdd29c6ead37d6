// Borrowing NumPy's arrays, and handing arrays to NumPy.
#include "storage.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>

namespace switchyard::python {
namespace {

/// NumPy's view of an array that it then owns.
template <class T, class... Sizes>
nb::object numpy_array(Array<T> array, Sizes... sizes) {
  auto* const kept = new Array<T>(std::move(array));
  const nb::capsule owner(kept,
                          [](void* memory) noexcept { delete static_cast<Array<T>*>(memory); });
  return nb::cast(
      nb::ndarray<nb::numpy, T>(kept->data(), {static_cast<std::size_t>(sizes)...}, owner));
}

/// As the library keeps offsets, in 32 bits where they fit; other widths are copied.
Offsets stored_offsets(const Buffer& indptr, Index nnz) {
  if (indptr.holds<std::int32_t>()) {
    return Array<std::int32_t>::borrow(indptr.elements<const std::int32_t>());
  }
  const auto wide = indptr.elements<const std::int64_t>();
  if (!offsets_are_narrow(nnz)) return Array<std::int64_t>::borrow(wide);
  Array<std::int32_t> narrowed(std::ssize(wide));
  std::ranges::transform(wide, narrowed.data(),
                         [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
  return narrowed;
}

/// The CSR matrix of the arrays: by columns that of the transpose.
template <Element T>
Storage<T> as_given(Csr<T> csr, bool by_columns) {
  if (!by_columns) return csr;
  const Index rows = csr.cols;
  const Index cols = csr.rows;
  const Index nnz = csr.nnz;
  return Csc<T>{rows, cols, nnz, std::move(csr)};
}

template <class Offset, Element T>
std::vector<Triplet<T>> triplets_of(std::span<const T> values, std::span<const Column> columns,
                                    std::span<const Offset> offsets) {
  std::vector<Triplet<T>> triplets(values.size());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (auto k = static_cast<std::size_t>(offsets[i]);
         k < static_cast<std::size_t>(offsets[i + 1]); ++k) {
      triplets[k] = {static_cast<Index>(i), columns[k], values[k]};
    }
  }
  return triplets;
}

}  // namespace

template <Element T>
Borrowed<T> borrowed_compressed(const CompressedArrays& arrays) {
  Borrowed<T> result;
  result.owners.push_back(viewed<T>(arrays.data, "data"));
  result.owners.push_back(viewed<Column>(arrays.indices, "indices"));
  result.owners.emplace_back(arrays.indptr, false);
  const auto& [data, indices, indptr] =
      std::tie(result.owners[0], result.owners[1], result.owners[2]);
  const auto values = data.template elements<const T>();
  const Index nnz = std::ssize(values);
  Csr<T> csr{arrays.by_columns ? arrays.cols : arrays.rows,
             arrays.by_columns ? arrays.rows : arrays.cols,
             nnz,
             stored_offsets(indptr, nnz),
             Array<Column>::borrow(indices.template elements<const Column>()),
             Array<T>::borrow(values)};
  result.storage = as_given(std::move(csr), arrays.by_columns);
  return result;
}

template <Element T>
Borrowed<T> summed_compressed(const CompressedArrays& arrays) {
  const Buffer data = viewed<T>(arrays.data, "data");
  const Buffer indices = viewed<Column>(arrays.indices, "indices");
  const Buffer indptr(arrays.indptr, false);
  const auto values = data.elements<const T>();
  const auto columns = indices.elements<const Column>();
  const auto triplets = with_enough_memory([&] {
    if (indptr.holds<std::int32_t>()) {
      return triplets_of(values, columns, indptr.elements<const std::int32_t>());
    }
    return triplets_of(values, columns, indptr.elements<const std::int64_t>());
  });
  const Index rows = arrays.by_columns ? arrays.cols : arrays.rows;
  const Index cols = arrays.by_columns ? arrays.rows : arrays.cols;
  auto csr = csr_from_triplets(rows, cols, std::span<const Triplet<T>>(triplets));
  return {as_given(std::move(csr), arrays.by_columns), {}};
}

template <Element T>
Borrowed<T> borrowed_dense(nb::handle array) {
  Borrowed<T> result;
  result.owners.push_back(viewed<T>(array, "the array"));
  const Buffer& view = result.owners.front();
  result.storage =
      Dense<T>{view.size(0), view.size(1), Array<T>::borrow(view.template elements<const T>())};
  return result;
}

template <Element T>
nb::object kept_array(Index rows, std::optional<Index> columns) {
  Array<T> elements(checked_product(rows, columns.value_or(1)));
  if (columns) return numpy_array(std::move(elements), rows, *columns);
  return numpy_array(std::move(elements), rows);
}

template <Element T>
nb::tuple arrays_of(Storage<T> storage) {
  Csr<T>& csr = std::get<Csr<T>>(storage);
  const Index nnz = csr.nnz;
  const Index offsets = csr.rows + 1;
  const nb::object indptr =
      std::visit([&](auto& array) { return numpy_array(std::move(array), offsets); }, csr.offsets);
  return nb::make_tuple(numpy_array(std::move(csr.values), nnz),
                        numpy_array(std::move(csr.columns), nnz), indptr);
}

template <Element T>
nb::object array_of(Storage<T> storage) {
  Dense<T>& dense = std::get<Dense<T>>(storage);
  return numpy_array(std::move(dense.values), dense.rows, dense.cols);
}

template Borrowed<float> borrowed_compressed(const CompressedArrays&);
template Borrowed<double> borrowed_compressed(const CompressedArrays&);
template Borrowed<float> summed_compressed(const CompressedArrays&);
template Borrowed<double> summed_compressed(const CompressedArrays&);
template Borrowed<float> borrowed_dense(nb::handle);
template Borrowed<double> borrowed_dense(nb::handle);
template nb::object kept_array<float>(Index, std::optional<Index>);
template nb::object kept_array<double>(Index, std::optional<Index>);
template nb::tuple arrays_of(Storage<float>);
template nb::tuple arrays_of(Storage<double>);
template nb::object array_of(Storage<float>);
template nb::object array_of(Storage<double>);

}  // namespace switchyard::python
