// What the kernels of packed CSR are called and take.
#pragma once

#include <string_view>
#include <switchyard/containers/packed.hpp>
#include <tuple>

#include "cl.hpp"

namespace switchyard::opencl {

/// The programs of a format, as `defined_programs` names them.
struct PackedPrograms {
  std::string_view multiply;
  std::string_view convert;
  std::string_view merge;
};
[[nodiscard]] constexpr PackedPrograms packed_programs(Format format) {
  switch (format) {
    case Format::CsrConst:
      return {"csr_const_multiply", "csr_const_convert", "csr_const_merge"};
    case Format::CsrDict8:
      return {"csr_dict8_multiply", "csr_dict8_convert", "csr_dict8_merge"};
    case Format::Csr16Const:
      return {"csr16_const_multiply", "csr16_const_convert", "csr16_const_merge"};
    case Format::Csr16Dict8:
      return {"csr16_dict8_multiply", "csr16_dict8_convert", "csr16_dict8_merge"};
    case Format::Csr8:
      return {"csr8_multiply", "csr8_convert", "csr8_merge"};
    case Format::Csr8Const:
      return {"csr8_const_multiply", "csr8_const_convert", "csr8_const_merge"};
    case Format::Csr8Dict8:
      return {"csr8_dict8_multiply", "csr8_dict8_convert", "csr8_dict8_merge"};
    default:
      return {"csr16_multiply", "csr16_convert", "csr16_merge"};
  }
}

/// What the kernels for its format take of the columns. With offsets of that type, `first_heads`
/// has them as well.
template <class Offset, Element T, class Function>
void with_columns(const Packed<T>& a, const Function& function) {
  if (a.coding().columns == ColumnCoding::Tiled16) {
    function(std::tie(a.tiles, a.narrow, a.wide));
  } else if (a.coding().columns == ColumnCoding::Blocked8) {
    const auto words = static_cast<cl_uint>(words_of_head(a.cols));
    function(std::tie(std::get<Array<Offset>>(a.first_heads), a.heads, words, a.low));
  } else {
    function(std::tie(a.wide));
  }
}

/// Calls `function` with the arrays of offsets, columns and values that the kernels for its format
/// take, in one tuple. The first is the offsets.
template <Element T, class Function>
void with_arrays(const Packed<T>& a, const Function& function) {
  std::visit(
      [&]<class Offset>(const Array<Offset>& offsets) {
        with_columns<Offset>(a, [&](const auto& columns) {
          const auto some = std::tuple_cat(std::tie(offsets), columns);
          if (a.coding().values == ValueCoding::Dictionary8) {
            function(std::tuple_cat(some, std::tie(a.values, a.codes)));
          } else {
            function(std::tuple_cat(some, std::tie(a.values)));
          }
        });
      },
      a.offsets);
}

}  // namespace switchyard::opencl
