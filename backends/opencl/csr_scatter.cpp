// Products of CSR with the other operand: launching the kernels of csr_scatter.cl.
#include <bit>
#include <type_traits>

#include "csr_kernel.hpp"
#include "element_tiles.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

/// As in csr_scatter.cl.
template <Element T>
constexpr Index words_of_scratch(Index cols, Index tiles) {
  const Index words_of_sum = std::is_same_v<T, double> ? 2 : 1;
  return cols * words_of_sum + divided_up(cols, 2) + tiles + 1;
}

/// Bits between the last bit of a column's largest product and the unit of its sum: as many as
/// leave room for a product of each row. Of double precision, halves of products leave it in any
/// case.
template <Element T>
cl_uint room_for(Index rows) {
  if constexpr (std::is_same_v<T, double>) return 10;
  const auto bits_of_count = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows)));
  return static_cast<cl_uint>(std::max(39 - bits_of_count, 0));
}

}  // namespace

template <Element T>
void multiply_csr_scatter(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const Csr<T>& a = compressed_rows(arguments.matrix);
  if (a.cols == 0) return;
  const cl_uint room = room_for<T>(a.rows);
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey program{"csr_scatter", precision_of<T>, width_of(offsets)};
        Kernel& begin = device.kernel(program, "scatter_begin");
        Kernel& add = device.kernel(program, "scatter_add");
        const Index tiles = divided_up(a.nnz, tile_elements(add.group));
        const Device::Scratch scratch = device.scratch(words_of_scratch<T>(a.cols, tiles));
        device.launch(begin, divided_up(std::max(a.cols, tiles + 1), begin.group), a.rows, a.cols,
                      a.nnz, tiles, offsets, scratch.array);
        if (tiles > 0) {
          device.launch(device.kernel(program, "scatter_largest"), tiles, a.nnz, a.cols, offsets,
                        a.columns, a.values, arguments.x, scratch.array);
          device.launch(add, tiles, a.nnz, a.cols, room, offsets, a.columns, a.values, arguments.x,
                        scratch.array);
        }
        Kernel& finish = device.kernel(program, "scatter_finish");
        device.launch(finish, divided_up(a.cols, finish.group), a.cols, room, scratch.array,
                      arguments.alpha, arguments.beta, arguments.y);
      },
      a.offsets);
}

template void multiply_csr_scatter(const MultiplyArguments<float>&);
template void multiply_csr_scatter(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
