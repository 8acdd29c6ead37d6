// Every operation that exists. A new format, variant or backend is a line here.
#include "opencl/operations.hpp"

#include <algorithm>
#include <array>
#include <switchyard/backends/operations.hpp>

#include "column_operations.hpp"
#include "joined.hpp"
#include "opencl/bitmap.hpp"
#include "opencl/bsr.hpp"
#include "opencl/coo.hpp"
#include "opencl/csc.hpp"
#include "opencl/dia.hpp"
#include "opencl/ell.hpp"
#include "opencl/hyb.hpp"
#include "opencl/packet.hpp"
#include "opencl/sell.hpp"
#include "openmp/bitmap.hpp"
#include "openmp/bsr.hpp"
#include "openmp/coo.hpp"
#include "openmp/csc.hpp"
#include "openmp/dia.hpp"
#include "openmp/ell.hpp"
#include "openmp/hyb.hpp"
#include "openmp/operations.hpp"
#include "openmp/packet.hpp"
#include "openmp/scatter.hpp"
#include "openmp/sell.hpp"
#include "packed_operations.hpp"

namespace switchyard {
namespace {

/// The multiplications of a BSR format; `program` is its program of bsr_multiply.cl.
template <Element T>
constexpr std::array<MultiplyOperation<T>, 4> bsr_multiplies(Format format,
                                                             std::string_view program) {
  return {{{format, Backend::OpenMP, "serial", "", &openmp::multiply_bsr<T>,
            &openmp::suits_one_thread, Threads::One},
           {format, Backend::OpenMP, "half", "", &openmp::multiply_bsr<T>,
            &openmp::suits_half_of_threads, Threads::Half},
           {format, Backend::OpenMP, "blocks", "", &openmp::multiply_bsr<T>},
           {format, Backend::OpenCL, "blocks", program, &opencl::multiply_bsr<T>}}};
}

/// The multiplications with the transpose of a matrix in CSC: those of CSR. None of the rules for
/// rows is asked: of the columns' lengths nothing is known.
template <Element T>
constexpr std::array csc_multiplies{
    MultiplyOperation<T>{Format::Csc, Backend::OpenMP, "serial", "", &openmp::multiply_csr<T>,
                         &openmp::suits_one_thread, Threads::One, Operand::Transpose},
    MultiplyOperation<T>{Format::Csc, Backend::OpenMP, "half", "", &openmp::multiply_csr<T>,
                         &openmp::suits_half_of_threads, Threads::Half, Operand::Transpose},
    MultiplyOperation<T>{Format::Csc, Backend::OpenMP, "balanced", "", &openmp::multiply_csr<T>,
                         nullptr, Threads::All, Operand::Transpose},
    MultiplyOperation<T>{Format::Csc, Backend::OpenCL, "vector", "csr_multiply",
                         &opencl::multiply_csr_vector<T>, nullptr, Threads::All,
                         Operand::Transpose},
    MultiplyOperation<T>{Format::Csc, Backend::OpenCL, "merge", "csr_merge",
                         &opencl::multiply_csr_merge<T>, nullptr, Threads::All,
                         Operand::Transpose}};

/// Products with the operand that a format is not made for, one thread's work.
template <Element T>
constexpr auto scattered_multiplies = [] {
  std::array<MultiplyOperation<T>, 2 * number_of_formats> all{};
  auto* next = all.begin();
  for (const FormatFacts& facts : format_table) {
    const auto operand = facts.format == Format::Csc ? Operand::Matrix : Operand::Transpose;
    for (const bool many : {false, true}) {
      *next++ = {facts.format, Backend::OpenMP, "scatter", "",  &openmp::multiply_by_scatter<T>,
                 nullptr,      Threads::One,    operand,   many};
    }
  }
  return all;
}();

/// The same of CSR and CSC on all threads and on devices.
template <Element T>
constexpr std::array shared_scatters{
    MultiplyOperation<T>{Format::Csr, Backend::OpenMP, "sums", "", &openmp::multiply_by_scatter<T>,
                         &openmp::suits_shared_scatter, Threads::All, Operand::Transpose},
    MultiplyOperation<T>{Format::Csc, Backend::OpenMP, "sums", "", &openmp::multiply_by_scatter<T>,
                         &openmp::suits_shared_scatter, Threads::All, Operand::Matrix},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "scatter", "csr_scatter",
                         &opencl::multiply_csr_scatter<T>, &opencl::suits_scatter<Format::Csr>,
                         Threads::All, Operand::Transpose},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "windows", "csr_windows",
                         &opencl::multiply_csr_windows<T>, &opencl::suits_windows<Format::Csr>,
                         Threads::All, Operand::Transpose},
    MultiplyOperation<T>{Format::Csc, Backend::OpenCL, "scatter", "csr_scatter",
                         &opencl::multiply_csr_scatter<T>, &opencl::suits_scatter<Format::Csc>,
                         Threads::All, Operand::Matrix},
    MultiplyOperation<T>{Format::Csc, Backend::OpenCL, "windows", "csr_windows",
                         &opencl::multiply_csr_windows<T>, &opencl::suits_windows<Format::Csc>,
                         Threads::All, Operand::Matrix}};

/// The conversions of a BSR format; `program` is its program of bsr_convert.cl.
template <Element T, Format format>
constexpr std::array<ConvertOperation<T>, 4> bsr_conversions(std::string_view program) {
  return {{{Format::Csr, format, Backend::OpenMP, "", &openmp::convert_csr_to_bsr<T, format>},
           {format, Format::Csr, Backend::OpenMP, "", &openmp::convert_bsr_to_csr<T>},
           {Format::Csr, format, Backend::OpenCL, program, &opencl::convert_csr_to_bsr<T, format>},
           {format, Format::Csr, Backend::OpenCL, program, &opencl::convert_bsr_to_csr<T>}}};
}

template <Element T>
constexpr std::array plain_multiplies{
    MultiplyOperation<T>{Format::Dense, Backend::OpenMP, "serial", "", &openmp::multiply_dense<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Dense, Backend::OpenMP, "half", "", &openmp::multiply_dense<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Dense, Backend::OpenMP, "rows", "", &openmp::multiply_dense<T>},
    MultiplyOperation<T>{Format::Csr, Backend::OpenMP, "serial", "", &openmp::multiply_csr<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Csr, Backend::OpenMP, "half", "", &openmp::multiply_csr<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Csr, Backend::OpenMP, "balanced", "", &openmp::multiply_csr<T>},
    MultiplyOperation<T>{Format::Ell, Backend::OpenMP, "serial", "", &openmp::multiply_ell<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Ell, Backend::OpenMP, "half", "", &openmp::multiply_ell<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Ell, Backend::OpenMP, "columns", "", &openmp::multiply_ell<T>},
    MultiplyOperation<T>{Format::Sell8, Backend::OpenMP, "serial", "", &openmp::multiply_sell<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Sell8, Backend::OpenMP, "half", "", &openmp::multiply_sell<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Sell8, Backend::OpenMP, "slices", "", &openmp::multiply_sell<T>},
    MultiplyOperation<T>{Format::Sell32, Backend::OpenMP, "serial", "", &openmp::multiply_sell<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Sell32, Backend::OpenMP, "half", "", &openmp::multiply_sell<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Sell32, Backend::OpenMP, "slices", "", &openmp::multiply_sell<T>},
    MultiplyOperation<T>{Format::Bitmap, Backend::OpenMP, "serial", "", &openmp::multiply_bitmap<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Bitmap, Backend::OpenMP, "half", "", &openmp::multiply_bitmap<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Bitmap, Backend::OpenMP, "rows", "", &openmp::multiply_bitmap<T>},
    MultiplyOperation<T>{Format::Dense, Backend::OpenCL, "scalar", "dense_multiply",
                         &opencl::multiply_dense_scalar<T>, &opencl::suits_dense_scalar},
    MultiplyOperation<T>{Format::Dense, Backend::OpenCL, "group", "dense_multiply",
                         &opencl::multiply_dense_group<T>},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "scalar", "csr_multiply",
                         &opencl::multiply_csr_scalar<T>, &opencl::suits_csr_scalar},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "vector", "csr_multiply",
                         &opencl::multiply_csr_vector<T>, &opencl::suits_csr_vector},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "stream", "csr_stream",
                         &opencl::multiply_csr_stream<T>, &opencl::suits_csr_stream},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "merge", "csr_merge",
                         &opencl::multiply_csr_merge<T>, &opencl::suits_csr_merge},
    MultiplyOperation<T>{Format::Csr, Backend::OpenCL, "binned", "csr_binned",
                         &opencl::multiply_csr_binned<T>, &opencl::suits_csr_binned},
    MultiplyOperation<T>{Format::Ell, Backend::OpenCL, "columns", "ell_multiply",
                         &opencl::multiply_ell<T>},
    MultiplyOperation<T>{Format::Sell8, Backend::OpenCL, "slices", "sell_multiply",
                         &opencl::multiply_sell<T>},
    MultiplyOperation<T>{Format::Sell32, Backend::OpenCL, "slices", "sell_multiply",
                         &opencl::multiply_sell<T>},
    MultiplyOperation<T>{Format::Bitmap, Backend::OpenCL, "scalar", "bitmap_multiply",
                         &opencl::multiply_bitmap_scalar<T>, &opencl::suits_bitmap_scalar},
    MultiplyOperation<T>{Format::Bitmap, Backend::OpenCL, "rows", "bitmap_multiply",
                         &opencl::multiply_bitmap_rows<T>, &opencl::suits_bitmap_rows},
    MultiplyOperation<T>{Format::Bitmap, Backend::OpenCL, "staged", "bitmap_staged",
                         &opencl::multiply_bitmap_staged<T>, &opencl::suits_bitmap_staged},
    MultiplyOperation<T>{Format::Coo, Backend::OpenMP, "serial", "", &openmp::multiply_coo<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Coo, Backend::OpenMP, "half", "", &openmp::multiply_coo<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Coo, Backend::OpenMP, "runs", "", &openmp::multiply_coo<T>},
    MultiplyOperation<T>{Format::Coo, Backend::OpenCL, "tiles", "coo_multiply",
                         &opencl::multiply_coo<T>},
    MultiplyOperation<T>{Format::Hyb, Backend::OpenMP, "serial", "", &openmp::multiply_hyb<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Hyb, Backend::OpenMP, "half", "", &openmp::multiply_hyb<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Hyb, Backend::OpenMP, "columns", "", &openmp::multiply_hyb<T>},
    MultiplyOperation<T>{Format::Hyb, Backend::OpenCL, "columns", "ell_multiply",
                         &opencl::multiply_hyb<T>},
    MultiplyOperation<T>{Format::Dia, Backend::OpenMP, "serial", "", &openmp::multiply_dia<T>,
                         &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Dia, Backend::OpenMP, "half", "", &openmp::multiply_dia<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Dia, Backend::OpenMP, "rows", "", &openmp::multiply_dia<T>},
    MultiplyOperation<T>{Format::Dia, Backend::OpenCL, "rows", "dia_multiply",
                         &opencl::multiply_dia<T>},
};

template <Element T>
constexpr std::array packet_multiplies{
    MultiplyOperation<T>{Format::Packet, Backend::OpenMP, "serial", "",
                         &openmp::multiply_packets<T>, &openmp::suits_one_thread, Threads::One},
    MultiplyOperation<T>{Format::Packet, Backend::OpenMP, "half", "", &openmp::multiply_packets<T>,
                         &openmp::suits_half_of_threads, Threads::Half},
    MultiplyOperation<T>{Format::Packet, Backend::OpenMP, "packets", "",
                         &openmp::multiply_packets<T>},
    MultiplyOperation<T>{Format::Packet, Backend::OpenCL, "packets", "packet_multiply",
                         &opencl::multiply_packets<T>},
};

/// Packets are cut on the host, and unpacked anywhere.
template <Element T>
constexpr std::array packet_conversions{
    ConvertOperation<T>{Format::Csr, Format::Packet, Backend::OpenMP, "",
                        &openmp::convert_csr_to_packets<T>},
    ConvertOperation<T>{Format::Packet, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_packets_to_csr<T>},
    ConvertOperation<T>{Format::Packet, Format::Csr, Backend::OpenCL, "packet_convert",
                        &opencl::convert_packets_to_csr<T>},
};

template <Element T>
constexpr auto multiply_table =
    joined(plain_multiplies<T>, packed_multiplies<T>(Format::Csr16, "csr16_multiply"),
           packed_multiplies<T>(Format::CsrConst, "csr_const_multiply"),
           packed_multiplies<T>(Format::CsrDict8, "csr_dict8_multiply"),
           packed_multiplies<T>(Format::Csr16Const, "csr16_const_multiply"),
           packed_multiplies<T>(Format::Csr16Dict8, "csr16_dict8_multiply"),
           bsr_multiplies<T>(Format::Bsr2, "bsr2_multiply"),
           bsr_multiplies<T>(Format::Bsr3, "bsr3_multiply"),
           bsr_multiplies<T>(Format::Bsr4, "bsr4_multiply"),
           packed_multiplies<T>(Format::Csr8, "csr8_multiply"),
           packed_multiplies<T>(Format::Csr8Const, "csr8_const_multiply"),
           packed_multiplies<T>(Format::Csr8Dict8, "csr8_dict8_multiply"), packed_merges<T>,
           packet_multiplies<T>, csc_multiplies<T>, scattered_multiplies<T>, shared_scatters<T>,
           column_multiplies<T>);

template <Element T>
constexpr std::array plain_conversions{
    ConvertOperation<T>{Format::Dense, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_dense_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Dense, Backend::OpenMP, "",
                        &openmp::convert_csr_to_dense<T>},
    ConvertOperation<T>{Format::Csr, Format::Ell, Backend::OpenMP, "",
                        &openmp::convert_csr_to_ell<T>},
    ConvertOperation<T>{Format::Ell, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_ell_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Sell8, Backend::OpenMP, "",
                        &openmp::convert_csr_to_sell<T, Format::Sell8>},
    ConvertOperation<T>{Format::Sell8, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_sell_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Sell32, Backend::OpenMP, "",
                        &openmp::convert_csr_to_sell<T, Format::Sell32>},
    ConvertOperation<T>{Format::Sell32, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_sell_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Bitmap, Backend::OpenMP, "",
                        &openmp::convert_csr_to_bitmap<T>},
    ConvertOperation<T>{Format::Bitmap, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_bitmap_to_csr<T>},
    ConvertOperation<T>{Format::Dense, Format::Bitmap, Backend::OpenMP, "",
                        &openmp::convert_dense_to_bitmap<T>},
    ConvertOperation<T>{Format::Bitmap, Format::Dense, Backend::OpenMP, "",
                        &openmp::convert_bitmap_to_dense<T>},
    ConvertOperation<T>{Format::Dense, Format::Csr, Backend::OpenCL, "dense_to_csr",
                        &opencl::convert_dense_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Dense, Backend::OpenCL, "csr_to_dense",
                        &opencl::convert_csr_to_dense<T>},
    ConvertOperation<T>{Format::Csr, Format::Ell, Backend::OpenCL, "ell_convert",
                        &opencl::convert_csr_to_ell<T>},
    ConvertOperation<T>{Format::Ell, Format::Csr, Backend::OpenCL, "ell_convert",
                        &opencl::convert_ell_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Sell8, Backend::OpenCL, "sell_convert",
                        &opencl::convert_csr_to_sell<T, Format::Sell8>},
    ConvertOperation<T>{Format::Sell8, Format::Csr, Backend::OpenCL, "sell_convert",
                        &opencl::convert_sell_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Sell32, Backend::OpenCL, "sell_convert",
                        &opencl::convert_csr_to_sell<T, Format::Sell32>},
    ConvertOperation<T>{Format::Sell32, Format::Csr, Backend::OpenCL, "sell_convert",
                        &opencl::convert_sell_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Bitmap, Backend::OpenCL, "bitmap_csr",
                        &opencl::convert_csr_to_bitmap<T>},
    ConvertOperation<T>{Format::Bitmap, Format::Csr, Backend::OpenCL, "bitmap_csr",
                        &opencl::convert_bitmap_to_csr<T>},
    ConvertOperation<T>{Format::Dense, Format::Bitmap, Backend::OpenCL, "bitmap_dense",
                        &opencl::convert_dense_to_bitmap<T>},
    ConvertOperation<T>{Format::Bitmap, Format::Dense, Backend::OpenCL, "bitmap_dense",
                        &opencl::convert_bitmap_to_dense<T>},
    ConvertOperation<T>{Format::Csr, Format::Csr16, Backend::OpenCL, "csr16_convert",
                        &opencl::convert_csr_to_packed<T, Format::Csr16>},
    ConvertOperation<T>{Format::Csr, Format::Coo, Backend::OpenMP, "",
                        &openmp::convert_csr_to_coo<T>},
    ConvertOperation<T>{Format::Coo, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_coo_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Coo, Backend::OpenCL, "coo_convert",
                        &opencl::convert_csr_to_coo<T>},
    ConvertOperation<T>{Format::Coo, Format::Csr, Backend::OpenCL, "coo_convert",
                        &opencl::convert_coo_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Csr8, Backend::OpenCL, "csr8_convert",
                        &opencl::convert_csr_to_packed<T, Format::Csr8>},
    ConvertOperation<T>{Format::Csr, Format::Hyb, Backend::OpenMP, "",
                        &openmp::convert_csr_to_hyb<T>},
    ConvertOperation<T>{Format::Hyb, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_hyb_to_csr<T>},
    ConvertOperation<T>{Format::Hyb, Format::Csr, Backend::OpenCL, "hyb_convert",
                        &opencl::convert_hyb_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Csc, Backend::OpenMP, "",
                        &openmp::convert_csr_to_csc<T>},
    ConvertOperation<T>{Format::Csc, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_csc_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Csc, Backend::OpenCL, "csc_convert",
                        &opencl::convert_csr_to_csc<T>},
    ConvertOperation<T>{Format::Csc, Format::Csr, Backend::OpenCL, "csc_convert",
                        &opencl::convert_csc_to_csr<T>},
    ConvertOperation<T>{Format::Csr, Format::Dia, Backend::OpenMP, "",
                        &openmp::convert_csr_to_dia<T>},
    ConvertOperation<T>{Format::Dia, Format::Csr, Backend::OpenMP, "",
                        &openmp::convert_dia_to_csr<T>},
    ConvertOperation<T>{Format::Dia, Format::Csr, Backend::OpenCL, "dia_convert",
                        &opencl::convert_dia_to_csr<T>},
};

template <Element T>
constexpr auto convert_table =
    joined(plain_conversions<T>, packed_conversions<T, Format::Csr16>("csr16_convert"),
           packed_conversions<T, Format::CsrConst>("csr_const_convert"),
           packed_conversions<T, Format::CsrDict8>("csr_dict8_convert"),
           packed_conversions<T, Format::Csr16Const>("csr16_const_convert"),
           packed_conversions<T, Format::Csr16Dict8>("csr16_dict8_convert"),
           bsr_conversions<T, Format::Bsr2>("bsr2_convert"),
           bsr_conversions<T, Format::Bsr3>("bsr3_convert"),
           bsr_conversions<T, Format::Bsr4>("bsr4_convert"),
           packed_conversions<T, Format::Csr8>("csr8_convert"),
           packed_conversions<T, Format::Csr8Const>("csr8_const_convert"),
           packed_conversions<T, Format::Csr8Dict8>("csr8_dict8_convert"), packet_conversions<T>);

}  // namespace

template <Element T>
std::span<const MultiplyOperation<T>> multiply_operations() {
  return multiply_table<T>;
}

template <Element T>
std::span<const ConvertOperation<T>> convert_operations() {
  return convert_table<T>;
}

template <Element T>
const MultiplyOperation<T>* find_multiply(Format format, Backend backend, std::string_view variant,
                                          const Request& request) {
  const auto& table = multiply_table<T>;
  const auto found = std::ranges::find_if(table, [&](const MultiplyOperation<T>& entry) {
    return entry.format == format && entry.backend == backend && entry.variant == variant &&
           entry.computes(request);
  });
  return found == table.end() ? nullptr : &*found;
}

template <Element T>
const ConvertOperation<T>* find_convert(Format from, Format to, Backend backend) {
  const auto& table = convert_table<T>;
  const auto found = std::ranges::find_if(table, [&](const ConvertOperation<T>& entry) {
    return entry.from == from && entry.to == to && entry.backend == backend;
  });
  return found == table.end() ? nullptr : &*found;
}

template std::span<const MultiplyOperation<float>> multiply_operations();
template std::span<const MultiplyOperation<double>> multiply_operations();
template std::span<const ConvertOperation<float>> convert_operations();
template std::span<const ConvertOperation<double>> convert_operations();
template const MultiplyOperation<float>* find_multiply(Format, Backend, std::string_view,
                                                       const Request&);
template const MultiplyOperation<double>* find_multiply(Format, Backend, std::string_view,
                                                        const Request&);
template const ConvertOperation<float>* find_convert(Format, Format, Backend);
template const ConvertOperation<double>* find_convert(Format, Format, Backend);

}  // namespace switchyard
