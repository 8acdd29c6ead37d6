// The rows of the table of multiplications that take many columns.
#pragma once

#include <algorithm>
#include <array>
#include <switchyard/backends/operations.hpp>

#include "joined.hpp"
#include "opencl/bitmap.hpp"
#include "opencl/bsr.hpp"
#include "opencl/columns.hpp"
#include "opencl/coo.hpp"
#include "opencl/dia.hpp"
#include "opencl/ell.hpp"
#include "opencl/hyb.hpp"
#include "opencl/operations.hpp"
#include "opencl/packed.hpp"
#include "opencl/packet.hpp"
#include "opencl/sell.hpp"
#include "openmp/columns.hpp"
#include "openmp/operations.hpp"

namespace switchyard {

/// A row for many columns on all threads of the host.
template <Element T>
constexpr MultiplyOperation<T> host_columns(Format format, std::string_view variant,
                                            void (*kernel)(const MultiplyArguments<T>&),
                                            Operand operand = Operand::Matrix) {
  return {format, Backend::OpenMP, variant, "", kernel, nullptr, Threads::All, operand, true};
}

/// The same on one thread, on half of them and on all.
template <Element T>
constexpr std::array<MultiplyOperation<T>, 3> host_columns_by_threads(
    Format format, std::string_view variant, void (*kernel)(const MultiplyArguments<T>&),
    Operand operand = Operand::Matrix) {
  return {{{format, Backend::OpenMP, "serial", "", kernel, &openmp::suits_one_thread, Threads::One,
            operand, true},
           {format, Backend::OpenMP, "half", "", kernel, &openmp::suits_half_of_threads,
            Threads::Half, operand, true},
           host_columns<T>(format, variant, kernel, operand)}};
}

/// A dense matrix's transpose on the host, times one vector and many.
template <Element T>
constexpr std::array dense_transposed_multiplies{
    MultiplyOperation<T>{Format::Dense, Backend::OpenMP, "columns", "",
                         &openmp::multiply_dense_transposed<T>, nullptr, Threads::All,
                         Operand::Transpose},
    host_columns<T>(Format::Dense, "columns", &openmp::multiply_dense_transposed<T>,
                    Operand::Transpose)};

/// Every format that is decoded on the host, rows at a time.
template <Element T>
constexpr auto decoded_column_multiplies() {
  constexpr std::array formats{
      Format::Ell,       Format::Sell8,      Format::Sell32,     Format::Bitmap, Format::Csr16,
      Format::CsrConst,  Format::CsrDict8,   Format::Coo,        Format::Bsr2,   Format::Bsr3,
      Format::Bsr4,      Format::Csr16Const, Format::Csr16Dict8, Format::Csr8,   Format::Csr8Const,
      Format::Csr8Dict8, Format::Packet,     Format::Hyb,        Format::Dia};
  std::array<MultiplyOperation<T>, formats.size()> rows{};
  std::ranges::transform(formats, rows.begin(), [](Format format) {
    return host_columns<T>(format, "rows", &openmp::multiply_decoded_columns<T>);
  });
  return rows;
}

/// A row for many columns on devices.
template <Element T>
constexpr MultiplyOperation<T> device_columns(
    Format format, std::string_view variant, std::string_view program,
    void (*kernel)(const MultiplyArguments<T>&), Operand operand = Operand::Matrix,
    bool (*suits)(const ExecutorFacts&, const Structure&) = nullptr) {
  return {format, Backend::OpenCL, variant, program, kernel, suits, Threads::All, operand, true};
}

/// The same by a kernel for one vector, column by column.
template <Element T, void (*kernel)(const MultiplyArguments<T>&)>
constexpr MultiplyOperation<T> each_column(Format format, std::string_view program) {
  return device_columns<T>(format, "each", program, &opencl::multiply_each_column<T, kernel>);
}

/// The same where the format has kernels of its own for many columns.
template <Element T, void (*kernel)(const MultiplyArguments<T>&)>
constexpr MultiplyOperation<T> each_column_of_processors(Format format, std::string_view program,
                                                         Operand operand = Operand::Matrix) {
  return device_columns<T>(format, "each", program, &opencl::multiply_each_column<T, kernel>,
                           operand, &opencl::suits_each_column);
}

template <Element T>
constexpr MultiplyOperation<T> each_packed_column(Format format, std::string_view program) {
  return each_column<T, &opencl::multiply_packed_vector<T>>(format, program);
}

/// Products of CSR and CSC with the operand that they are not made for, column by column.
template <Element T, Format format>
constexpr std::array<MultiplyOperation<T>, 2> scattered_columns(Operand operand) {
  return {{device_columns<T>(format, "each", "csr_scatter",
                             &opencl::multiply_each_column<T, &opencl::multiply_csr_scatter<T>>,
                             operand, &opencl::suits_scatter<format>),
           device_columns<T>(format, "windows", "csr_windows",
                             &opencl::multiply_each_column<T, &opencl::multiply_csr_windows<T>>,
                             operand, &opencl::suits_windows<format>)}};
}

/// All rows for many columns on devices.
template <Element T>
constexpr std::array device_column_multiplies{
    each_column_of_processors<T, &opencl::multiply_csr_merge<T>>(Format::Csr, "csr_merge"),
    device_columns<T>(Format::Csr, "rows", "csr_columns", &opencl::multiply_csr_columns<T>,
                      Operand::Matrix, &opencl::suits_csr_columns<T>),
    device_columns<T>(Format::Csr, "staged", "csr_staged", &opencl::multiply_csr_staged<T>,
                      Operand::Matrix, &opencl::suits_csr_staged<T>),
    device_columns<T>(Format::Csr, "binned", "csr_columns_binned",
                      &opencl::multiply_csr_columns_binned<T>, Operand::Matrix,
                      &opencl::suits_csr_columns_binned<T>),
    each_column_of_processors<T, &opencl::multiply_csr_merge<T>>(Format::Csc, "csr_merge",
                                                                 Operand::Transpose),
    // Not staged: of the columns of CSC nobody knows how long they are.
    device_columns<T>(Format::Csc, "rows", "csr_columns", &opencl::multiply_csr_columns<T>,
                      Operand::Transpose),
    device_columns<T>(Format::Csc, "binned", "csr_columns_binned",
                      &opencl::multiply_csr_columns_binned<T>, Operand::Transpose,
                      &opencl::suits_csc_columns_binned),
    each_column_of_processors<T, &opencl::multiply_dense_group<T>>(Format::Dense, "dense_multiply"),
    device_columns<T>(Format::Dense, "panels", "dense_columns", &opencl::multiply_dense_columns<T>),
    MultiplyOperation<T>{Format::Dense, Backend::OpenCL, "columns", "dense_columns",
                         &opencl::multiply_dense_transposed<T>, nullptr, Threads::All,
                         Operand::Transpose},
    device_columns<T>(Format::Dense, "columns", "dense_columns",
                      &opencl::multiply_dense_transposed<T>, Operand::Transpose),
    each_column<T, &opencl::multiply_ell<T>>(Format::Ell, "ell_multiply"),
    each_column<T, &opencl::multiply_sell<T>>(Format::Sell8, "sell_multiply"),
    each_column<T, &opencl::multiply_sell<T>>(Format::Sell32, "sell_multiply"),
    each_column<T, &opencl::multiply_bitmap_rows<T>>(Format::Bitmap, "bitmap_multiply"),
    each_column<T, &opencl::multiply_coo<T>>(Format::Coo, "coo_multiply"),
    each_column<T, &opencl::multiply_hyb<T>>(Format::Hyb, "ell_multiply"),
    each_column<T, &opencl::multiply_dia<T>>(Format::Dia, "dia_multiply"),
    each_column<T, &opencl::multiply_packets<T>>(Format::Packet, "packet_multiply"),
    each_column<T, &opencl::multiply_bsr<T>>(Format::Bsr2, "bsr2_multiply"),
    each_column<T, &opencl::multiply_bsr<T>>(Format::Bsr3, "bsr3_multiply"),
    each_column<T, &opencl::multiply_bsr<T>>(Format::Bsr4, "bsr4_multiply"),
    each_packed_column<T>(Format::Csr16, "csr16_multiply"),
    each_packed_column<T>(Format::CsrConst, "csr_const_multiply"),
    each_packed_column<T>(Format::CsrDict8, "csr_dict8_multiply"),
    each_packed_column<T>(Format::Csr16Const, "csr16_const_multiply"),
    each_packed_column<T>(Format::Csr16Dict8, "csr16_dict8_multiply"),
    each_packed_column<T>(Format::Csr8, "csr8_multiply"),
    each_packed_column<T>(Format::Csr8Const, "csr8_const_multiply"),
    each_packed_column<T>(Format::Csr8Dict8, "csr8_dict8_multiply"),
};

/// All rows for many columns, and those for the transpose of a dense matrix.
template <Element T>
constexpr auto column_multiplies =
    joined(host_columns_by_threads<T>(Format::Csr, "balanced", &openmp::multiply_csr_columns<T>),
           host_columns_by_threads<T>(Format::Csc, "balanced", &openmp::multiply_csr_columns<T>,
                                      Operand::Transpose),
           host_columns_by_threads<T>(Format::Dense, "rows", &openmp::multiply_dense_columns<T>),
           dense_transposed_multiplies<T>,
           std::array{MultiplyOperation<T>{Format::Csr, Backend::OpenMP, "sums", "",
                                           &openmp::scatter_csr<T>, &openmp::suits_scatter,
                                           Threads::All, Operand::Transpose, true}},
           decoded_column_multiplies<T>(), device_column_multiplies<T>,
           scattered_columns<T, Format::Csr>(Operand::Transpose),
           scattered_columns<T, Format::Csc>(Operand::Matrix));

}  // namespace switchyard
