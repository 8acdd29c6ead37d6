// Skeletons on a device: launching kernels made of recorded functions, and fetching folds.
#include "skeletons.hpp"

#include <algorithm>

#include "device.hpp"
#include "lanes.hpp"
#include "recorded_launch.hpp"

namespace switchyard::opencl {
namespace {

/// Tiles on each level that the last of them folds for the next, in scan.cl.
constexpr Index tiles_per_level = 32;

template <Element T>
RecordedProgram program_of(std::string_view skeleton, const SkeletonOperands<T>& operands) {
  return {.skeleton = skeleton,
          .function = operands.recorded,
          .operands = operands.arrays.size(),
          .edge = static_cast<int>(operands.edge.kind)};
}

template <class Folded, Element T>
double reduced(Device& device, const RecordedProgram& program, const SkeletonOperands<T>& operands,
               const UserFold<T>& fold) {
  Kernel& kernel = device.kernel(program, precision_of<T>, "reduce_elements");
  MoreArguments more;
  more.add_operands(operands);
  more.add_constants(*program.function);
  more.add_constants(*program.fold);
  const Index share = kernel.group * device.tuning().elements_per_item;
  const Index groups = std::min(divided_up(operands.size, share), most_groups);
  // Held until the numbers are fetched: the next launch that needs scratch would overwrite them.
  const Device::Scratch scratch = device.scratch(groups);
  const bool meet = device.groups_can_meet();
  device.launch_with(kernel, groups, more.all(), operands.size, operands.columns,
                     static_cast<Folded>(fold.identity), scratch.array, cl_uint{meet},
                     scratch.arrivals);
  return folded_on_host<Folded>(fold, scratch.array, meet ? 1 : groups);
}

/// Parts on all levels of that many tiles, or 0 if groups of so many items cannot read so many
/// levels.
Index parts_of(Index tiles, Index group) {
  Index parts = 0;
  for (Index level = 0; level < group / tiles_per_level; ++level, tiles /= tiles_per_level) {
    parts += tiles + 1;
  }
  return tiles == 0 ? parts : 0;
}

/// In one launch. False if groups cannot wait for each other, or not for so many.
template <class Folded, Element T>
bool scanned_once(Device& device, const RecordedProgram& program, const UserFold<T>& fold,
                  const Array<T>& in, Array<T>& out) {
  if (!device.groups_can_wait()) return false;
  Kernel& begin = device.kernel(program, precision_of<T>, "scan_begin");
  Kernel& once = device.kernel(program, precision_of<T>, "scan_once");
  const Index tiles = divided_up(in.size(), once.group * device.tuning().scan_run);
  const Index words = parts_of(tiles, once.group) * Index{sizeof(Folded) / 4};
  if (words == 0) return false;
  MoreArguments more;
  more.add_constants(*program.fold);
  const Device::Scratch scratch = device.scratch(words);
  device.launch(begin, divided_up(words, begin.group), words, scratch.array);
  device.launch_with(once, tiles, more.all(), in.size(), static_cast<Folded>(fold.identity), tiles,
                     in, scratch.array, out);
  return true;
}

template <class Folded, Element T>
void scanned(Device& device, const RecordedProgram& program, const UserFold<T>& fold,
             const Array<T>& in, Array<T>& out) {
  if (scanned_once<Folded>(device, program, fold, in, out)) return;
  Kernel& folds = device.kernel(program, precision_of<T>, "scan_folds");
  Kernel& starts = device.kernel(program, precision_of<T>, "scan_starts");
  Kernel& tiles = device.kernel(program, precision_of<T>, "scan_tiles");
  MoreArguments more;
  more.add_constants(*program.fold);
  const Index count = divided_up(in.size(), folds.group * device.tuning().scan_run);
  const auto identity = static_cast<Folded>(fold.identity);
  const Device::Scratch scratch = device.scratch(count);
  device.launch_with(folds, count, more.all(), in.size(), identity, in, scratch.array);
  device.launch_with(starts, 1, more.all(), count, identity, scratch.array);
  device.launch_with(tiles, count, more.all(), in.size(), identity, in, scratch.array, out);
}

}  // namespace

template <Element T>
void map(Executor& executor, const SkeletonOperands<T>& operands, Array<T>& out) {
  if (operands.size == 0) return;
  Device& device = device_of(executor);
  Kernel& kernel = device.kernel(program_of("map", operands), precision_of<T>, "map_elements");
  MoreArguments more;
  more.add_operands(operands);
  more.add_constants(*operands.recorded);
  const Index share = kernel.group * device.tuning().elements_per_item;
  device.launch_with(kernel, divided_up(operands.size, share), more.all(), operands.size,
                     operands.columns, out);
}

template <Element T>
double reduce(Executor& executor, const SkeletonOperands<T>& operands, const UserFold<T>& fold,
              const RecordedFunction* recorded_fold) {
  if (operands.size == 0) return fold.identity;
  Device& device = device_of(executor);
  const bool in_double = folds_in_double(device, fold);
  RecordedProgram program = program_of("reduce", operands);
  program.fold = recorded_fold;
  program.folded = folded_type(in_double);
  return in_double ? reduced<double>(device, program, operands, fold)
                   : reduced<float>(device, program, operands, fold);
}

template <Element T>
void scan(Executor& executor, const UserFold<T>& fold, const RecordedFunction* recorded_fold,
          const Array<T>& in, Array<T>& out) {
  if (in.size() == 0) return;
  Device& device = device_of(executor);
  const bool in_double = folds_in_double(device, fold);
  const RecordedProgram program{
      .skeleton = "scan", .fold = recorded_fold, .folded = folded_type(in_double)};
  return in_double ? scanned<double>(device, program, fold, in, out)
                   : scanned<float>(device, program, fold, in, out);
}

template void map(Executor&, const SkeletonOperands<float>&, Array<float>&);
template void map(Executor&, const SkeletonOperands<double>&, Array<double>&);
template double reduce(Executor&, const SkeletonOperands<float>&, const UserFold<float>&,
                       const RecordedFunction*);
template double reduce(Executor&, const SkeletonOperands<double>&, const UserFold<double>&,
                       const RecordedFunction*);
template void scan(Executor&, const UserFold<float>&, const RecordedFunction*, const Array<float>&,
                   Array<float>&);
template void scan(Executor&, const UserFold<double>&, const RecordedFunction*,
                   const Array<double>&, Array<double>&);

}  // namespace switchyard::opencl
