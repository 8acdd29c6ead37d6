// Conversions between formats, wholly on the device.
#include <string_view>

#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

constexpr std::string_view to_csr_program = "dense_to_csr";

/// Stretches that one item of the scanning kernels takes (STRETCHES_PER_ITEM in dense_to_csr.cl).
constexpr Index stretches_per_item = 8;
/// Columns of a stretch: 32 items go over it in as many rounds of four elements each.
constexpr Index stretch_width = 4096;
/// Lanes whose nonzeros fill_csr can count in one byte, and a warp's.
constexpr Index most_lanes = 32;
/// Columns of a lane that one word of its masks covers (4 * ROUNDS_PER_WORD in dense_to_csr.cl).
constexpr Index columns_per_word = 32;
/// Columns of a row that one lane puts together (COLUMNS_PER_LANE in csr_to_dense.cl).
constexpr Index columns_per_lane = 8;

/// A dense matrix cut into stretches of rows, and the nonzeros of each.
struct Stretches {
  Index count = 0;
  Index parts = 1;  ///< of a row
  Index width = 1;  ///< columns of each part but the last
  Index chunks = 0;
  Array<std::uint32_t> nonzeros;      ///< of each stretch
  Array<std::uint64_t> before_chunk;  ///< nonzeros before each chunk of stretches, then of all
  bool masked = false;
  Array<std::uint32_t> masks;  ///< where masked, a bit for each element
};

/// Items that share a stretch, where they do.
Index lanes_of(const Stretches& stretches, Index group) {
  return lanes_for(divided_up(stretches.width, 4), std::min(most_lanes, group));
}

/// Room for the masks, where stretches are long enough to fill their words.
void add_masks(Device& device, Index group, Stretches& stretches) {
  const Index per_word = lanes_of(stretches, group) * columns_per_word;
  stretches.masked = device.facts().is_gpu && stretches.width >= per_word;
  if (!stretches.masked) return;
  const Index words = divided_up(stretches.width, per_word) * lanes_of(stretches, group);
  stretches.masks = Array<std::uint32_t>(checked_product(stretches.count, words), device.memory());
}

Stretches cut(Device& device, const Kernel& scanning, Index rows, Index cols) {
  Stretches cut;
  cut.width = std::clamp<Index>(cols, 1, stretch_width);
  cut.parts = std::max<Index>(1, divided_up(cols, cut.width));
  cut.count = checked_product(rows, cut.parts);
  // The end of the last stretch is written as well.
  cut.chunks = divided_up(cut.count + 1, scanning.group * stretches_per_item);
  cut.nonzeros = Array<std::uint32_t>(cut.count, device.memory());
  cut.before_chunk = Array<std::uint64_t>(cut.chunks + 1, device.memory());
  add_masks(device, scanning.group, cut);
  return cut;
}

/// A kernel that exists twice: for items that share a stretch, and for one item to each.
struct StretchKernel {
  std::string_view shared;
  std::string_view scalar;
};

/// Launches over all stretches in the way that suits the device: GPUs are fast where neighbouring
/// items touch neighbouring elements, processors where each stays in its own stretch (PoCL, half
/// of 1024 x 1024 to CSR: 0.8 ms against 6.7).
template <class... Arguments>
void launch_over(Device& device, const ProgramKey& key, const StretchKernel& names,
                 const Stretches& stretches, Index cols, const Arguments&... rest) {
  const auto parts = static_cast<cl_uint>(stretches.parts);
  const auto width = static_cast<cl_uint>(stretches.width);
  if (device.facts().is_gpu) {
    Kernel& kernel = device.kernel(key, names.shared);
    const Index lanes = lanes_of(stretches, kernel.group);
    const auto masked = static_cast<cl_uint>(stretches.masked ? 1 : 0);
    device.launch(kernel, groups_for(stretches.count, lanes, kernel.group), stretches.count, cols,
                  parts, width, rest..., masked, stretches.masks, static_cast<cl_uint>(lanes));
  } else {
    Kernel& kernel = device.kernel(key, names.scalar);
    device.launch(kernel, divided_up(stretches.count, kernel.group), stretches.count, cols, parts,
                  width, rest...);
  }
}

template <Element T>
Stretches count(Device& device, const Dense<T>& dense) {
  const ProgramKey key{to_csr_program, precision_of<T>, OffsetWidth::Narrow};
  Kernel& sum_chunks = device.kernel(key, "sum_chunks");
  Stretches stretches = cut(device, sum_chunks, dense.rows, dense.cols);
  if (stretches.count > 0) {
    launch_over(device, key, {"count_nonzeros", "count_nonzeros_scalar"}, stretches, dense.cols,
                dense.values, stretches.nonzeros);
  }
  device.launch(sum_chunks, stretches.chunks, stretches.count, stretches.nonzeros,
                stretches.before_chunk);
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
  launch_over(device, key, {"fill_csr", "fill_csr_scalar"}, stretches, dense.cols, dense.values,
              starts, csr.columns, csr.values);
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
      const Index lanes = lanes_for(divided_up(csr.cols, columns_per_lane), kernel.group);
      // Rows are cut only where there are too few of them to keep the device busy.
      const Index most = divided_up(csr.cols, lanes * columns_per_lane);
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
