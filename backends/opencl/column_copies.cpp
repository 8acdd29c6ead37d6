// Products of several columns by way of copies: each column as a vector, or longer rows.
#include <string_view>

#include "columns.hpp"
#include "csr_kernel.hpp"
#include "lanes.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
constexpr ProgramKey vector_program{"vector_operations", precision_of<T>, OffsetWidth::Narrow};

/// Launches a kernel that copies `size` elements, ELEMENTS_PER_ITEM by each item.
template <Element T, class... Arguments>
void launch_copy(Device& device, std::string_view name, Index size, const Arguments&... arguments) {
  if (size == 0) return;
  Kernel& kernel = device.kernel(vector_program<T>, name);
  const Index share = kernel.group * device.tuning().elements_per_item;
  device.launch(kernel, divided_up(size, share), arguments...);
}

/// Copies column `column` of a row-major array to a vector, or back.
template <Element T>
void copy_column(Device& device, std::string_view name, const Array<T>& vector, Index columns,
                 Index column, const Array<T>& from, const Array<T>& to) {
  launch_copy<T>(device, name, vector.size(), vector.size(), columns, column, from, to);
}

/// The columns of the next longer rows, or of these, that are whole loads of the widest kind (WIDE
/// in prelude.cl).
template <Element T>
Index widened(Index columns) {
  constexpr Index at_once = 16 / Index{sizeof(T)};
  return divided_up(columns, at_once) * at_once;
}

/// The fewest products for which a copy repays, also where an item has one column otherwise.
template <Element T>
Index fewest_to_widen(const Tuning& tuning, bool singly) {
  if (sizeof(T) == 8) {
    return singly ? tuning.fewest_products_to_widen_single_doubles
                  : tuning.fewest_products_to_widen_doubles;
  }
  return singly ? tuning.fewest_products_to_widen_single_floats
                : tuning.fewest_products_to_widen_floats;
}

}  // namespace

template <Element T>
void multiply_each_column(const MultiplyArguments<T>& arguments,
                          void (*kernel)(const MultiplyArguments<T>& arguments)) {
  Device& device = device_of(arguments.executor);
  const Index columns = arguments.columns;
  const Array<T> x(arguments.x.size() / columns, device.memory());
  Array<T> y(arguments.y.size() / columns, device.memory());
  const auto multiply_one = [&](Index c) {
    copy_column(device, "take_column", x, columns, c, arguments.x, x);
    if (arguments.beta != T{0}) copy_column(device, "take_column", y, columns, c, arguments.y, y);
    kernel({device, arguments.matrix, arguments.alpha, x, arguments.beta, y});
    copy_column(device, "put_column", y, columns, c, y, arguments.y);
  };
  multiply_one(0);
  device.health().completing([&] {
    for (Index c = 1; c < columns; ++c) multiply_one(c);
  });
}

template <Element T>
bool takes_single(const MultiplyArguments<T>& arguments) {
  const Device& device = device_of(arguments.executor);
  const Index columns = arguments.columns;
  return device.has_warps() && columns % 2 != 0 && columns <= device.tuning().most_singles;
}

template <Element T>
bool worth_widening(const MultiplyArguments<T>& arguments, bool has_single) {
  const Index columns = arguments.columns;
  if (columns <= 2 || widened<T>(columns) == columns) return false;
  const Tuning& tuning = device_of(arguments.executor).tuning();
  const Index fewest = fewest_to_widen<T>(tuning, has_single && takes_single(arguments));
  const Index each = columns % 2 == 0 ? tuning.nonzeros_to_widen_even : tuning.nonzeros_to_widen;
  const Index nnz = compressed_rows(arguments.matrix).nnz;
  return nnz * columns >= fewest && nnz >= each * (arguments.x.size() / columns);
}

template <Element T>
void multiply_widened(const MultiplyArguments<T>& arguments, ColumnsKernel<T> kernel) {
  Device& device = device_of(arguments.executor);
  const Index columns = arguments.columns;
  const Index width = widened<T>(columns);
  const Index rows = arguments.x.size() / columns;
  const Array<T> x(rows * width, device.memory());
  launch_copy<T>(device, "widen_rows", x.size(), rows, static_cast<cl_uint>(columns),
                 static_cast<cl_uint>(width), arguments.x, x);
  kernel({device, arguments.matrix, arguments.alpha, x, arguments.beta, arguments.y,
          arguments.threads, columns},
         width);
}

template <Element T>
void multiply_by_wide_rows(const MultiplyArguments<T>& arguments, ColumnsKernel<T> kernel,
                           bool has_single) {
  // Kernels count the bytes of a row of X in 32 bits, with a sign; a copy's row has less than 16
  // more.
  if (arguments.columns > (INT32_MAX - 16) / Index{sizeof(T)}) {
    throw Error(ErrorCode::Unsupported, "a device multiplies rows of X of less than 2 GiB only");
  }
  if (worth_widening(arguments, has_single)) {
    try {
      return multiply_widened(arguments, kernel);
    } catch (const Error& error) {
      // The product can do without. Some drivers tell of missing memory only at a launch; nothing
      // has been written to Y then (see `Health::completing`).
      const bool lacks_room =
          error.code() == ErrorCode::DeviceOutOfMemory || error.code() == ErrorCode::Unsupported;
      if (!lacks_room) throw;
    }
  }
  kernel(arguments, arguments.columns);
}

template void multiply_each_column(const MultiplyArguments<float>&,
                                   void (*)(const MultiplyArguments<float>&));
template void multiply_each_column(const MultiplyArguments<double>&,
                                   void (*)(const MultiplyArguments<double>&));

template bool takes_single(const MultiplyArguments<float>&);
template bool takes_single(const MultiplyArguments<double>&);
template bool worth_widening(const MultiplyArguments<float>&, bool);
template bool worth_widening(const MultiplyArguments<double>&, bool);

template void multiply_widened(const MultiplyArguments<float>&, ColumnsKernel<float>);
template void multiply_widened(const MultiplyArguments<double>&, ColumnsKernel<double>);

template void multiply_by_wide_rows(const MultiplyArguments<float>&, ColumnsKernel<float>, bool);
template void multiply_by_wide_rows(const MultiplyArguments<double>&, ColumnsKernel<double>, bool);

}  // namespace switchyard::opencl
