// Maps of the elements of a matrix that are not zero with vectors beside it, on a device.
#include "device.hpp"
#include "lanes.hpp"
#include "matrix_skeletons.hpp"
#include "recorded_launch.hpp"

namespace switchyard::opencl {

template <Element T>
void map_beside(Executor& executor, const BesideMap<T>& work, Storage<T>& matrix) {
  const Array<T>& values = values_of(matrix);
  if (values.size() == 0) return;
  Device& device = device_of(executor);
  const RecordedProgram program{.skeleton = "places",
                                .function = work.function.recorded,
                                .operands = work.of_rows && work.of_columns ? 3U : 2U,
                                .takes_values = true};
  MoreArguments more;
  more.add_constants(*program.function);
  // Of one vector there is no second: the kernel does not look at it.
  const Array<T>& first = work.of_rows ? *work.of_rows : *work.of_columns;
  const Array<T>& second = work.of_columns ? *work.of_columns : *work.of_rows;
  const cl_uint first_of_columns = work.of_rows ? 0 : 1;
  const auto launch = [&](Kernel& kernel, const auto&... of_format) {
    const Index share = kernel.group * device.tuning().elements_per_item;
    device.launch_with(kernel, divided_up(values.size(), share), more.all(), of_format..., first,
                       first_of_columns, second);
  };
  if (std::holds_alternative<Dense<T>>(matrix)) {
    return launch(device.kernel(program, precision_of<T>, "map_dense_beside"), values.size(),
                  cols_of(matrix), values);
  }
  const Csr<T>& rows = compressed_rows(matrix);
  const cl_uint by_columns = format_of(matrix) == Format::Csc ? 1 : 0;
  std::visit(
      [&](const auto& offsets) {
        launch(device.kernel(program, precision_of<T>, "map_csr_beside", width_of(offsets)),
               rows.rows, rows.nnz, by_columns, offsets, rows.columns, values);
      },
      rows.offsets);
}

template void map_beside(Executor&, const BesideMap<float>&, Storage<float>&);
template void map_beside(Executor&, const BesideMap<double>&, Storage<double>&);

}  // namespace switchyard::opencl
