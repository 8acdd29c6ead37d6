// The rows of the tables of multiplications and conversions that are of packed formats.
#pragma once

#include <array>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/packed.hpp>

#include "opencl/operations.hpp"
#include "opencl/packed.hpp"
#include "openmp/operations.hpp"
#include "openmp/packed.hpp"

namespace switchyard {

/// The multiplications of a packed format; `program` is its program of packed_multiply.cl.
template <Element T>
constexpr std::array<MultiplyOperation<T>, 6> packed_multiplies(Format format,
                                                                std::string_view program) {
  return {{{format, Backend::OpenMP, "serial", "", &openmp::multiply_packed<T>,
            &openmp::suits_one_thread, Threads::One},
           {format, Backend::OpenMP, "half", "", &openmp::multiply_packed<T>,
            &openmp::suits_half_of_threads, Threads::Half},
           {format, Backend::OpenMP, "balanced", "", &openmp::multiply_packed<T>},
           {format, Backend::OpenCL, "scalar", program, &opencl::multiply_packed_scalar<T>,
            &opencl::suits_csr_scalar},
           {format, Backend::OpenCL, "vector", program, &opencl::multiply_packed_vector<T>,
            &opencl::suits_packed_vector},
           {format, Backend::OpenCL, "wide", program, &opencl::multiply_packed_wide<T>,
            &opencl::suits_packed_wide}}};
}

/// The same for uneven rows; `program` is its program of csr_merge.cl.
template <Element T>
constexpr MultiplyOperation<T> packed_merge(Format format, std::string_view program) {
  return {format,
          Backend::OpenCL,
          "merge",
          program,
          &opencl::multiply_packed_merge<T>,
          &opencl::suits_packed_merge};
}
template <Element T>
constexpr std::array packed_merges{packed_merge<T>(Format::Csr16, "csr16_merge"),
                                   packed_merge<T>(Format::CsrConst, "csr_const_merge"),
                                   packed_merge<T>(Format::CsrDict8, "csr_dict8_merge"),
                                   packed_merge<T>(Format::Csr16Const, "csr16_const_merge"),
                                   packed_merge<T>(Format::Csr16Dict8, "csr16_dict8_merge"),
                                   packed_merge<T>(Format::Csr8, "csr8_merge"),
                                   packed_merge<T>(Format::Csr8Const, "csr8_const_merge"),
                                   packed_merge<T>(Format::Csr8Dict8, "csr8_dict8_merge")};

/// The conversions of a packed format; `program` is its program of packed_convert.cl. Coded values
/// are found on the host, and unpacked anywhere.
template <Element T, Format format>
constexpr std::array<ConvertOperation<T>, 3> packed_conversions(std::string_view program) {
  return {{{Format::Csr, format, Backend::OpenMP, "", &openmp::convert_csr_to_packed<T, format>},
           {format, Format::Csr, Backend::OpenMP, "", &openmp::convert_packed_to_csr<T>},
           {format, Format::Csr, Backend::OpenCL, program, &opencl::convert_packed_to_csr<T>}}};
}

}  // namespace switchyard
