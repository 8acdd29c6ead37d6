// Products of CSR with the other operand: launching the kernels of csr_scatter.cl and
// csr_windows.cl.
#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <type_traits>

#include "csr_kernel.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

// As in fixed_sums.cl.

/// The most bits of a piece of a product, and how far what is added of it lies above its last bit.
template <Element T>
constexpr Index piece_bits = std::is_same_v<T, double> ? 27 : 24;
template <Element T>
constexpr Index most_above = std::is_same_v<T, double> ? 34 : 5;
/// The reciprocal of the places of a bin is exact up to it.
constexpr Index most_width = 30;
/// Words before the planes: those of two products.
constexpr Index control_words = 4;

/// Elements of each item: ITEM_ELEMENTS in csr_scatter.cl.
constexpr Index item_elements = 8;

/// Places of all planes, if there are not enough for all bins: a product takes 24 in single
/// precision and 53 in double.
template <Element T>
constexpr Index fewest_places = std::is_same_v<T, double> ? 128 : 64;

/// Planes of sums, each with one of so many bins that they can be exceeded, or with its own.
struct Planes {
  cl_uint count = 0;
  cl_uint width = 0;  ///< places of a bin
  bool can_be_exceeded = false;
};

[[nodiscard]] Index floored_to_power(Index value) {
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(value)));
}

/// Bins so wide that each has room for a product of each row.
template <Element T>
Planes planes_for(const Device& device, Index rows, Index cols) {
  const auto bits_of_count = std::bit_width(static_cast<std::uint64_t>(rows));
  const Index width = std::min(63 - piece_bits<T> - static_cast<Index>(bits_of_count), most_width);
  const Index highest_place = 2 * std::numeric_limits<T>::max_exponent - 2 + most_above<T> + width;
  const Index bins = highest_place / width + 1;
  const auto bytes = static_cast<Index>(device.facts().memory_bytes) / device.tuning().sums_share;
  const Index affordable = bytes / Index{sizeof(std::uint64_t)} / cols;
  const bool can_be_exceeded = affordable < bins;
  const Index fewest = floored_to_power(fewest_places<T> / width) * 2;
  const Index count = can_be_exceeded ? std::max(floored_to_power(affordable), fewest) : bins;
  return {static_cast<cl_uint>(count), static_cast<cl_uint>(width), can_be_exceeded};
}

/// The product of a matrix in CSR, and what its launches share.
template <Element T, class Offset>
struct Scatter {
  Device& device;
  const Csr<T>& a;
  const Array<Offset>& offsets;
  const MultiplyArguments<T>& arguments;
  Planes planes = planes_for<T>(device, a.rows, a.cols);
  ProgramKey program{"csr_scatter", precision_of<T>, width_of(offsets)};

  [[nodiscard]] Kernel& kernel(std::string_view name) const { return device.kernel(program, name); }

  [[nodiscard]] Kernel& window_kernel(std::string_view name) const {
    return device.kernel({"csr_windows", precision_of<T>, width_of(offsets)}, name);
  }

  [[nodiscard]] Index groups_at_once() const {
    return device.tuning().scatter_groups_per_unit * device.facts().compute_units;
  }

  /// Tiles of work-groups of so many items, and their teams.
  [[nodiscard]] Index tiles(Index group) const { return divided_up(a.nnz, group * item_elements); }
  [[nodiscard]] Index teams(Index group) const {
    return tiles(group) * (device.has_warps() ? group / nvidia_warp : group);
  }

  /// What scatter_look finds of the matrix, now if it is not there.
  [[nodiscard]] const Array<std::uint64_t>& team_rows() const {
    const auto look_now = [&] {
      Kernel& look = kernel("scatter_look");
      const Index its_tiles = tiles(look.group);
      Array<std::uint64_t> found(teams(look.group) + 1 + its_tiles, device.memory());
      device.launch(look, its_tiles, its_tiles, static_cast<cl_uint>(groups_at_once()), a.rows,
                    a.nnz, offsets, a.columns, found);
      return found;
    };
    return device.derived().find_or_keep(offsets.handle(), DerivedKind::TeamRows, look_now).array;
  }

  /// Where the rows' parts in windows begin, found now if they are not there.
  [[nodiscard]] const Array<std::uint64_t>& part_begins(Index windows) const {
    const auto look_now = [&] {
      const Index parts = a.rows * windows;
      Array<std::uint64_t> found(divided_up(parts, 2), device.memory());
      Kernel& look = window_kernel("windows_look");
      device.launch(look, divided_up(parts, look.group), a.rows, static_cast<cl_uint>(windows),
                    offsets, a.columns, found);
      return found;
    };
    return device.derived()
        .find_or_keep(a.columns.handle(), DerivedKind::WindowParts, look_now)
        .array;
  }

  [[nodiscard]] Device::Cleared sums() const {
    const Index words = control_words + a.cols * (Index{planes.count} + 1);
    return device.cleared(words, [&](const Array<std::uint64_t>& made) {
      Kernel& clear = kernel("scatter_clear");
      device.launch(clear, divided_up(made.size(), clear.group), made.size(), made);
    });
  }

  /// Launches what adds all products, by so many groups, and finishes y. `own` are the arguments
  /// of the kernel before those of all, and after them.
  template <class... Own>
  void launch_adding(Kernel& add, Index groups, const Device::Cleared& sums,
                     const std::tuple<Own...>& own, const auto&... more) const {
    const bool at_once = device.groups_can_wait() && a.nnz <= device.tuning().most_nonzeros_at_once;
    const Index finishing = at_once ? divided_up(a.cols, add.group) : 0;
    std::apply(
        [&](const auto&... its) {
          device.launch(add, groups + finishing, its..., static_cast<cl_uint>(groups), a.cols,
                        planes.count, planes.width, sums.turn, offsets, a.columns, a.values,
                        arguments.x, more..., sums.words, arguments.alpha, arguments.beta,
                        arguments.y);
        },
        own);
    if (finishing == 0) launch_finish("scatter_finish", sums);
  }

  void launch_tiles(const Device::Cleared& sums) const {
    Kernel& add = kernel("scatter_add");
    const Index its_tiles = tiles(add.group);
    launch_adding(add, std::min(its_tiles, groups_at_once()), sums, std::tuple{a.nnz, its_tiles},
                  team_rows());
  }

  void launch_windows(const Device::Cleared& sums) const {
    const Tuning& tuning = device.tuning();
    Kernel& add = window_kernel("windows_add");
    const Index windows = divided_up(a.cols, tuning.window_columns);
    // So few rows that 32 bits count their elements.
    const Index most_rows = std::min(tuning.stretch_rows, ((Index{1} << 32) - 128) / a.cols);
    const Index rows = std::clamp(divided_up(a.rows, divided_up(groups_at_once(), windows)),
                                  std::min(tuning.fewest_stretch_rows, most_rows), most_rows);
    launch_adding(add, windows * divided_up(a.rows, rows), sums,
                  std::tuple{a.rows, static_cast<cl_uint>(rows)}, part_begins(windows));
  }

  void launch_finish(std::string_view name, const Device::Cleared& sums) const {
    Kernel& finish = kernel(name);
    device.launch(finish, divided_up(a.cols, finish.group), a.cols, planes.count, planes.width,
                  sums.turn, sums.words, arguments.alpha, arguments.beta, arguments.y);
  }

  /// Of every tile, in case that planes are exceeded.
  void launch_again(std::string_view name, const Device::Cleared& sums) const {
    Kernel& again = kernel(name);
    device.launch(again, tiles(again.group), a.nnz, a.cols, planes.count, planes.width, sums.turn,
                  offsets, a.columns, a.values, arguments.x, team_rows(), sums.words);
  }

  /// `add` launches what adds all products and finishes y.
  template <class Add>
  void run(const Add& add) const {
    const Device::Cleared its = sums();
    its.is_clear = false;
    if (a.nnz == 0) {
      launch_finish("scatter_finish", its);
    } else {
      add(its);
    }
    if (a.nnz > 0 && planes.can_be_exceeded) {
      device.health().completing([&] {
        launch_again("scatter_largest", its);
        launch_again("scatter_again", its);
        launch_finish("scatter_finish_again", its);
      });
    }
    its.is_clear = true;
  }
};

/// Calls `act` with the product, unless it has no columns.
template <Element T, class Act>
void with_scatter(const MultiplyArguments<T>& arguments, const Act& act) {
  const Csr<T>& a = compressed_rows(arguments.matrix);
  if (a.cols == 0) return;
  const auto act_with = [&]<class Offset>(const Array<Offset>& offsets) {
    act(Scatter<T, Offset>{device_of(arguments.executor), a, offsets, arguments});
  };
  std::visit(act_with, a.offsets);
}

}  // namespace

template <Element T>
void multiply_csr_scatter(const MultiplyArguments<T>& arguments) {
  with_scatter(arguments, [](const auto& scatter) {
    scatter.run([&](const Device::Cleared& sums) { scatter.launch_tiles(sums); });
  });
}

template <Element T>
void multiply_csr_windows(const MultiplyArguments<T>& arguments) {
  with_scatter(arguments, [](const auto& scatter) {
    scatter.run([&](const Device::Cleared& sums) { scatter.launch_windows(sums); });
  });
}

template void multiply_csr_scatter(const MultiplyArguments<float>&);
template void multiply_csr_scatter(const MultiplyArguments<double>&);
template void multiply_csr_windows(const MultiplyArguments<float>&);
template void multiply_csr_windows(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
