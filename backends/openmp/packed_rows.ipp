// Rows of packed CSR times a vector: the loops of csr_rows.ipp over other readers of columns and
// values. Columns of 16 bits count from the base of their tile, which is added to x's address once.
#include "csr_rows.ipp"
#include "packed_kernels.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// `PackedRows` with the types of what it reads.
template <class T, class Offset, class Values, class Column>
struct ReadRows {
  using Element = T;
  const Offset* offsets;
  const Column* columns;
  Values values;
  std::int64_t nnz;
  T alpha;
  const T* x;
  T beta;
  T* y;
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

template <class T, class Offset, class Values, class Column>
void packed(const PackedRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  const ReadRows<T, Offset, Values, Column> read{work.offsets,
                                                 static_cast<const Column*>(work.columns),
                                                 reader(work.values, Values{}),
                                                 work.nnz,
                                                 work.alpha,
                                                 work.x,
                                                 work.beta,
                                                 work.y};
  csr_between(read, work.readable, begin, end);
}

template <class T, class Values, class Column>
T packed_sum(const PackedValues<T>& values, const void* columns, const T* x, std::int64_t begin,
             std::int64_t end) {
  return exact_row<true>(reader(values, Values{}) + begin,
                         static_cast<const Column*>(columns) + begin, x, end - begin);
}

template <class T, class Values, class Column>
constexpr PackedKernel<T> kernel_of() {
  return {&packed<T, std::int32_t, Values, Column>, &packed<T, std::int64_t, Values, Column>,
          &packed_sum<T, Values, Column>};
}

}  // namespace

template <class T>
PackedKernels<T> packed_kernels() {
  return {
      .narrow = {kernel_of<T, const T*, std::uint16_t>(),
                 kernel_of<T, Constant<T>, std::uint16_t>(),
                 kernel_of<T, Coded<T>, std::uint16_t>()},
      .wide = {kernel_of<T, const T*, std::int32_t>(), kernel_of<T, Constant<T>, std::int32_t>(),
               kernel_of<T, Coded<T>, std::int32_t>()}};
}

template PackedKernels<float> packed_kernels();
template PackedKernels<double> packed_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
