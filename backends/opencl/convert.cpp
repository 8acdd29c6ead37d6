// Conversions between formats, wholly on the device.
#include <string>
#include <string_view>

#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"

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
  Index chunks = 0;
  By by = By::Item;
  Array<std::uint32_t> nonzeros;      ///< of each stretch
  Array<std::uint64_t> before_chunk;  ///< nonzeros before each chunk of stretches, then of all
  Array<std::uint32_t> masks;         ///< by a warp: a bit for each element
};

/// GPUs are fast where neighbouring items touch neighbouring elements, processors where each stays
/// in its own stretch (PoCL, half of 1024 x 1024 to CSR: 0.8 ms against 6.7).
By way_over(const Device& device, Index width) {
  if (!device.facts().is_gpu) return By::Item;
  return device.has_warps() && width >= device.tuning().least_warp_width ? By::Warp : By::Lanes;
}

Stretches cut(Device& device, const Kernel& scanning, Index rows, Index cols) {
  Stretches cut;
  cut.width = std::clamp<Index>(cols, 1, device.tuning().stretch_width);
  cut.parts = std::max<Index>(1, divided_up(cols, cut.width));
  cut.count = checked_product(rows, cut.parts);
  // The end of the last stretch is written as well.
  cut.chunks = divided_up(cut.count + 1, scanning.group * device.tuning().stretches_per_item);
  cut.by = way_over(device, cut.width);
  cut.nonzeros = Array<std::uint32_t>(cut.count, device.memory());
  cut.before_chunk = Array<std::uint64_t>(cut.chunks + 1, device.memory());
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
  Kernel& sum_chunks = device.kernel(key, "sum_chunks");
  Stretches stretches = cut(device, sum_chunks, dense.rows, dense.cols);
  if (stretches.count > 0) {
    launch_over(device, key, "count_nonzeros", stretches, dense.cols, dense.values,
                stretches.nonzeros);
  }
  const bool meet = device.groups_can_meet();
  const Device::Scratch scratch = device.scratch(0);
  device.launch(sum_chunks, stretches.chunks, stretches.count, stretches.nonzeros,
                stretches.before_chunk, cl_uint{meet}, scratch.arrivals);
  if (meet) return stretches;
  device.launch(device.kernel(key, "scan_chunks"), 1, stretches.chunks, stretches.before_chunk);
  return stretches;
}

/// All nonzeros; waits for the counting.
Index total(Device& device, const Stretches& stretches) {
  std::uint64_t nonzeros = 0;
  device.memory()->copy_out(&nonzeros, stretches.before_chunk.handle(),
                            static_cast<std::size_t>(stretches.chunks) * sizeof nonzeros,
                            sizeof nonzeros);
  return narrow<Index>(nonzeros);
}

template <Element T, class Offset>
void fill(Device& device, const Dense<T>& dense, const Stretches& stretches, Array<Offset>& offsets,
          Csr<T>& csr) {
  const ProgramKey key{to_csr_program, precision_of<T>, width_of(offsets)};
  const Array<Offset> starts(stretches.count + 1, device.memory());
  device.launch(device.kernel(key, "write_offsets"), stretches.chunks, stretches.count,
                static_cast<cl_uint>(stretches.parts), stretches.nonzeros, stretches.before_chunk,
                starts, offsets);
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
  auto csr = Csr<T>::sized(dense.rows, dense.cols, total(device, stretches), device.memory());
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
