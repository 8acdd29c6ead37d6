// The host's operations, as the table names them.
#pragma once

#include <switchyard/backends/operations.hpp>

namespace switchyard::openmp {

// y = alpha A x + beta y: see `MultiplyArguments`.

template <Element T>
void multiply_dense(const MultiplyArguments<T>& arguments);
template <Element T>
void multiply_csr(const MultiplyArguments<T>& arguments);

// Where a number of threads is a choice of its own: see `MultiplyOperation::suits`.

/// Where one thread is not all there are.
[[nodiscard]] bool suits_one_thread(const ExecutorFacts& facts, const Structure& structure);
/// Where half of the threads are more than one and some are left to others.
[[nodiscard]] bool suits_half_of_threads(const ExecutorFacts& facts, const Structure& structure);

// Conversions: see `ConvertOperation`.

template <Element T>
[[nodiscard]] Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix);
template <Element T>
[[nodiscard]] Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix);

}  // namespace switchyard::openmp
