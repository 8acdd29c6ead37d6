// Packed rows with readers of their columns and values, for the loops of csr_rows.ipp.
#pragma once

#include "packed_kernels.hpp"
#include "readers.hpp"

// Nothing but fixed-width integers may be included here (see row_kernels.hpp).

namespace switchyard::openmp::SWITCHYARD_ISA {

/// What `ReadRows` has but for the offsets.
template <class T, class Values, class Columns>
struct ReadElements {
  using Element = T;
  Columns columns;
  Values values;
  std::int64_t nnz;
  T alpha;
  const T* x;
  T beta;
  T* y;
};
/// `PackedRows` with the types of what it reads.
template <class T, class Offset, class Values, class Columns>
struct ReadRows : ReadElements<T, Values, Columns> {
  using Elements = ReadElements<T, Values, Columns>;
  const Offset* offsets;
};

template <class T>
const T* reader(const PackedValues<T>& values, const T* /*of_type*/) {
  return values.values;
}
template <class T>
Constant<T> reader(const PackedValues<T>& values, Constant<T> /*of_type*/) {
  return {*values.values};
}
template <class T>
Coded<T> reader(const PackedValues<T>& values, Coded<T> /*of_type*/) {
  return {values.codes, values.values};
}

}  // namespace switchyard::openmp::SWITCHYARD_ISA
