// y = alpha A x + beta y for SELL, and its conversions from and to CSR, on the host's threads.
#include "sell.hpp"

#include <array>
#include <limits>

#include "room.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

constexpr Index largest_height = 32;

template <Element T>
void multiply_slices(const MultiplyArguments<T>& arguments, Index begin, Index end) {
  const auto& a = std::get<Sell<T>>(arguments.matrix);
  const auto& kernels = best_row_kernels<T>();
  const Index height = a.shape().height;
  std::array<T, largest_height> sums;
  T* const y = arguments.y.data();
  for (Index s = begin; s < end; ++s) {
    const Index first = s * height;
    const Index slot = a.starts[s] * height;
    const SlicedRows<T> work{a.values.data() + slot, a.columns.data() + slot, height,
                             a.lengths.data() + first, arguments.x.data()};
    kernels.sliced_sums(work, height, sums.data());
    const Index window = a.window_of(first);
    for (Index p = first; p < std::min(first + height, a.rows); ++p) {
      const Index row = window + a.order[p];
      y[row] = updated(arguments.alpha, sums[static_cast<std::size_t>(p - first)], arguments.beta,
                       y[row]);
    }
  }
}

/// The first slice of a thread's share: shares have the same number of slices and slots together.
template <Element T>
Index share_begin(const Sell<T>& a, int part, int parts) {
  const Index slices = a.slices();
  const Index target = part_begin(a.starts[slices] + slices, part, parts);
  Index low = 0;
  Index high = slices;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (a.starts[middle] + middle < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Puts the rows of one window in descending order of their lengths, and the width of each of its
/// slices into `starts`, one place beyond the slice's own.
template <Element T>
void order_window(const Csr<T>& from, Sell<T>& to, Index first) {
  const auto [height, window] = to.shape();
  const Index rows = std::min(window, to.rows - first);
  std::array<Index, largest_sell_window> lengths;
  from.row_lengths(first, {lengths.data(), static_cast<std::size_t>(rows)});
  // Longest first, equal ones in the order of their rows.
  std::array<std::uint64_t, largest_sell_window> keys;
  for (Index i = 0; i < rows; ++i) {
    const auto shortness =
        static_cast<std::uint64_t>(std::numeric_limits<Column>::max() - lengths[std::size_t(i)]);
    keys[static_cast<std::size_t>(i)] = shortness << 32 | static_cast<std::uint64_t>(i);
  }
  const auto end = keys.begin() + rows;
  if (!std::is_sorted(keys.begin(), end)) std::sort(keys.begin(), end);
  for (Index p = 0; p < rows; ++p) {
    const std::uint64_t row = keys[static_cast<std::size_t>(p)] & 0xffffffffU;
    to.order[first + p] = static_cast<Column>(row);
    to.lengths[first + p] = static_cast<Column>(lengths[row]);
  }
  const Index padded = (rows + height - 1) / height * height;
  for (Index p = rows; p < padded; ++p) to.lengths[first + p] = 0;
  for (Index p = 0; p < padded; p += height) {
    to.starts[(first + p) / height + 1] = to.lengths[first + p];
  }
}

template <Element T>
void fill_slice(const Csr<T>& from, Sell<T>& to, Index s) {
  const Index height = to.shape().height;
  const Index width = to.starts[s + 1] - to.starts[s];
  for (Index r = 0; r < height; ++r) {
    const Index p = s * height + r;
    const Index length = to.lengths[p];
    const Index begin = length > 0 ? from.offset(to.row_at(p)) : 0;
    Index slot = to.starts[s] * height + r;
    for (Index k = 0; k < width; ++k, slot += height) {
      const bool is_element = k < length;
      to.columns[slot] = is_element ? from.columns[begin + k] : 0;
      to.values[slot] = is_element ? from.values[begin + k] : T{0};
    }
  }
}

}  // namespace

template <Element T>
void multiply_sell(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Sell<T>>(arguments.matrix);
  const Index slots = slots_of(arguments.matrix);
  const Shares shares = shares_of_product(arguments, slots * Index{sizeof(T) + sizeof(Column)});
  if (shares.parts == 1) return multiply_slices(arguments, 0, a.slices());
  const auto share_end = [&](int part) {
    return part == shares.parts ? a.slices() : share_begin(a, part, shares.parts);
  };
  share_out(shares,
            [&](int part) { multiply_slices(arguments, share_end(part), share_end(part + 1)); });
}

template <Element T, Format format>
Storage<T> convert_csr_to_sell(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  const Sell<T> header{format, from.rows, from.cols, from.nnz, {}, {}, {}, {}, {}};
  auto to = Sell<T>::sized(header, executor.memory());
  const Shares shares = shares_of_work(executor, from.nnz * Index{sizeof(T)});
  const Index window = to.shape().window;
  to.starts[0] = 0;
  share_out_items(shares, to.rows, window, [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += window) order_window(from, to, first);
  });
  const Index slices = to.slices();
  for (Index s = 0; s < slices; ++s) to.starts[s + 1] += to.starts[s];
  require_room(executor, to.starts[slices], to.shape().height, sizeof(T) + sizeof(Column));
  to.add_slots(to.starts[slices], executor.memory());
  share_out_items(shares, slices, 1, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) fill_slice(from, to, s);
  });
  return to;
}

template <Element T>
Storage<T> convert_sell_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Sell<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        Offset* const at = offsets.data();
        at[0] = 0;
        for (Index p = 0; p < from.rows; ++p) at[from.row_at(p) + 1] = Offset{from.lengths[p]};
        for (Index i = 0; i < from.rows; ++i) at[i + 1] += at[i];
      },
      to.offsets);
  const Index height = from.shape().height;
  share_out_items(shares_of_work(executor, from.nnz * Index{sizeof(T)}), from.rows, height,
                  [&](Index first, Index end) {
                    for (Index p = first; p < end; ++p) {
                      const Index begin = to.offset(from.row_at(p));
                      Index slot = from.starts[p / height] * height + p % height;
                      for (Index k = 0; k < from.lengths[p]; ++k, slot += height) {
                        to.columns[begin + k] = from.columns[slot];
                        to.values[begin + k] = from.values[slot];
                      }
                    }
                  });
  return to;
}

template void multiply_sell(const MultiplyArguments<float>&);
template void multiply_sell(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_sell<float, Format::Sell8>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_sell<double, Format::Sell8>(Executor&,
                                                                    const Storage<double>&);
template Storage<float> convert_csr_to_sell<float, Format::Sell32>(Executor&,
                                                                   const Storage<float>&);
template Storage<double> convert_csr_to_sell<double, Format::Sell32>(Executor&,
                                                                     const Storage<double>&);
template Storage<float> convert_sell_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_sell_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
