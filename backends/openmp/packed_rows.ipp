// Rows of packed CSR times a vector: the loops of csr_rows.ipp over other readers of columns and
// values. Columns of 16 bits count from the base of their tile, which is added to x's address once.
#include "blocked_rows.ipp"
#include "packed_kernels.hpp"
#include "packed_readers.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

template <class T, class Offset, class Values, class Column>
void packed(const PackedRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  const ReadRows<T, Offset, Values, const Column*> read{
      {static_cast<const Column*>(work.columns), reader(work.values, Values{}), work.nnz,
       work.alpha, work.x, work.beta, work.y},
      work.offsets};
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

template <class T, class Values>
constexpr BlockedKernel<T> blocked_kernel_of() {
  return {&blocked<T, std::int32_t, Values>, &blocked<T, std::int64_t, Values>,
          &blocked_sum<T, std::int32_t, Values>, &blocked_sum<T, std::int64_t, Values>};
}

}  // namespace

template <class T>
PackedKernels<T> packed_kernels() {
  return {
      .narrow = {kernel_of<T, const T*, std::uint16_t>(),
                 kernel_of<T, Constant<T>, std::uint16_t>(),
                 kernel_of<T, Coded<T>, std::uint16_t>()},
      .wide = {kernel_of<T, const T*, std::int32_t>(), kernel_of<T, Constant<T>, std::int32_t>(),
               kernel_of<T, Coded<T>, std::int32_t>()},
      .blocked = {blocked_kernel_of<T, const T*>(), blocked_kernel_of<T, Constant<T>>(),
                  blocked_kernel_of<T, Coded<T>>()}};
}

template PackedKernels<float> packed_kernels();
template PackedKernels<double> packed_kernels();

}  // namespace switchyard::openmp::SWITCHYARD_ISA
