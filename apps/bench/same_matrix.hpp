// Whether two matrices are the same, bit for bit.
#pragma once

#include <switchyard/containers/formats.hpp>

namespace switchyard::command::bench {

/// Shape, and every byte of every array. REQUIRES: both in host memory.
template <Element T>
[[nodiscard]] bool same_bits(const Storage<T>& a, const Storage<T>& b);

/// The dense form of a CSR matrix, by the plainest loop; what conversions are compared with.
template <Element T>
[[nodiscard]] Dense<T> plain_dense(const Csr<T>& csr);

/// The CSR form of a dense matrix, by the plainest loop.
template <Element T>
[[nodiscard]] Csr<T> plain_csr(const Dense<T>& dense);

/// The CSC form of a CSR matrix, by the plainest loop.
template <Element T>
[[nodiscard]] Csc<T> plain_csc(const Csr<T>& csr);

}  // namespace switchyard::command::bench
