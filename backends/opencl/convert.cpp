// Conversions between formats, wholly on the device.
#include <string>
#include <string_view>

#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

constexpr std::string_view to_csr_program = "dense_to_csr";

/// Lanes whose nonzeros fill_csr can count in one byte.
constexpr Index most_lanes = 32;
/// Columns of a block: a word of as many bits for each lane of a warp (BLOCK in dense_to_csr.cl).
constexpr Index block_words = nvidia_warp;
constexpr Index block_columns = nvidia_warp * block_words;

/// What goes over a stretch.
enum class By { Item, Lanes, Warp };

/// A dense matrix cut into stretches of rows, and the nonzeros of each.
struct Stretches {
  Index count = 0;
  Index parts = 1;  ///< of a row
  Index width = 1;  ///< columns of each part but the last
  By by = By::Item;
  Array<std::uint32_t> nonzeros;  ///< of each stretch
  ChunkSums sums;                 ///< of the nonzeros
  Array<std::uint32_t> masks;     ///< by a warp: a bit for each element
};

/// GPUs are fast where neighbouring items touch neighbouring elements, processors where each stays
/// in its own stretch (PoCL, half of 1024 x 1024 to CSR: 0.8 ms against 6.7).
By way_over(const Device& device, Index width) {
  if (!device.facts().is_gpu) return By::Item;
  return device.has_warps() && width >= device.tuning().least_warp_width ? By::Warp : By::Lanes;
}

Stretches cut(Device& device, Index rows, Index cols) {
  Stretches cut;
  cut.width = std::clamp<Index>(cols, 1, device.tuning().stretch_width);
  cut.parts = std::max<Index>(1, divided_up(cols, cut.width));
  cut.count = checked_product(rows, cut.parts);
  cut.by = way_over(device, cut.width);
  cut.nonzeros = Array<std::uint32_t>(cut.count, device.memory());
  if (cut.by == By::Warp) {
    const Index words = divided_up(cut.width, block_columns) * block_words;
    cut.masks = Array<std::uint32_t>(checked_product(cut.count, words), device.memory());
  }
  return cut;
}

/// Launches the kernel for each way over all stretches.
template <class... Arguments>
void launch_over(Device& device, const ProgramKey& key, const std::string& name,
                 const Stretches& stretches, Index cols, const Arguments&... rest) {
  const auto parts = static_cast<cl_uint>(stretches.parts);
  const auto width = static_cast<cl_uint>(stretches.width);
  const auto launch = [&](Kernel& kernel, Index lanes, const auto&... last) {
    device.launch(kernel, groups_for(stretches.count, lanes, kernel.group), stretches.count, cols,
                  parts, width, rest..., last...);
  };
  switch (stretches.by) {
    case By::Item:
      return launch(device.kernel(key, name + "_scalar"), 1);
    case By::Warp:
      return launch(device.kernel(key, name + "_warp"), nvidia_warp, stretches.masks);
    case By::Lanes: {
      Kernel& kernel = device.kernel(key, name);
      const Index most = std::min(most_lanes, kernel.group);
      const Index lanes = lanes_for(divided_up(stretches.width, 4), most);
      return launch(kernel, lanes, static_cast<cl_uint>(lanes));
    }
  }
}

template <Element T>
Stretches count(Device& device, const Dense<T>& dense) {
  const ProgramKey key{to_csr_program, precision_of<T>, OffsetWidth::Narrow};
  Stretches stretches = cut(device, dense.rows, dense.cols);
  if (stretches.count > 0) {
    launch_over(device, key, "count_nonzeros", stretches, dense.cols, dense.values,
                stretches.nonzeros);
  }
  stretches.sums = sum_chunks(device, precision_of<T>, stretches.count, stretches.nonzeros);
  return stretches;
}

template <Element T, class Offset>
void fill(Device& device, const Dense<T>& dense, const Stretches& stretches, Array<Offset>& offsets,
          Csr<T>& csr) {
  const ProgramKey key{to_csr_program, precision_of<T>, width_of(offsets)};
  const Array<Offset> starts(stretches.count + 1, device.memory());
  write_offsets(device, precision_of<T>, stretches.count, stretches.parts, stretches.nonzeros,
                stretches.sums, starts, offsets);
  if (csr.nnz == 0) return;
  launch_over(device, key, "fill_csr", stretches, dense.cols, dense.values, starts, csr.columns,
              csr.values);
}

}  // namespace

template <Element T>
Storage<T> convert_dense_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& dense = std::get<Dense<T>>(matrix);
  (void)narrow<Column>(dense.cols);  // columns must fit
  const Stretches stretches = count(device, dense);
  auto csr =
      Csr<T>::sized(dense.rows, dense.cols, total_of(device, stretches.sums), device.memory());
  std::visit([&](auto& offsets) { fill(device, dense, stretches, offsets, csr); }, csr.offsets);
  return csr;
}

template <Element T>
Storage<T> convert_csr_to_dense(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& csr = std::get<Csr<T>>(matrix);
  auto dense = Dense<T>::sized(csr.rows, csr.cols, device.memory());
  if (dense.values.size() == 0) return dense;
  const auto launch = [&](const auto& offsets) {
    const ProgramKey key{"csr_to_dense", precision_of<T>, width_of(offsets)};
    if (device.facts().is_gpu) {
      Kernel& kernel = device.kernel(key, "fill_dense");
      const Index per_lane = device.tuning().columns_per_lane;
      const Index lanes = lanes_for(divided_up(csr.cols, per_lane), kernel.group);
      // Rows are cut only where there are too few of them to keep the device busy.
      const Index most = divided_up(csr.cols, lanes * per_lane);
      const Index parts = std::clamp<Index>(device.groups_wanted() / csr.rows, 1, most);
      device.launch(kernel, groups_for(csr.rows * parts, lanes, kernel.group), csr.rows, csr.cols,
                    static_cast<cl_uint>(parts), divided_up(csr.cols, parts),
                    static_cast<cl_uint>(lanes), offsets, csr.columns, csr.values, dense.values);
    } else {
      Kernel& kernel = device.kernel(key, "fill_dense_scalar");
      device.launch(kernel, divided_up(csr.rows, kernel.group), csr.rows, csr.cols, offsets,
                    csr.columns, csr.values, dense.values);
    }
  };
  std::visit(launch, csr.offsets);
  return dense;
}

template Storage<float> convert_dense_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_dense_to_csr(Executor&, const Storage<double>&);
template Storage<float> convert_csr_to_dense(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_dense(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
