// The SELL-C-sigma format: sizes, checks and estimates.
#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <switchyard/containers/sell.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

/// Windows are sampled where there are more than so many, one in so many.
constexpr Index fewest_windows = 16;
constexpr Index windows_for_one = 8;
/// Windows are alike where no row is longer than so many mean ones.
constexpr double longest_for_mean_row = 8;
/// Where a loop over row lengths is worth waking the threads.
constexpr Index rows_worth_threads = 1 << 14;

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a SELL matrix needs ") + why);
}

/// The slots of one window: of each slice, its longest row's.
Index slots_of_window(std::span<Index> lengths, Index height) {
  // Rows of most matrices are short: counted by length, which is faster than sorted.
  constexpr Index counted = 512;
  const Index longest = *std::ranges::max_element(lengths);
  Index widths = 0;
  if (longest >= counted) {
    std::ranges::sort(lengths, std::greater<>{});
    for (std::size_t p = 0; p < lengths.size(); p += static_cast<std::size_t>(height)) {
      widths += lengths[p];
    }
    return widths * height;
  }
  std::array<Index, counted> rows{};
  for (const Index length : lengths) ++rows[static_cast<std::size_t>(length)];
  Index before = 0;
  for (Index length = longest; length > 0; --length) {
    const Index after = before + rows[static_cast<std::size_t>(length)];
    // Slices whose first, and longest, row is one of these.
    widths += length * ((after + height - 1) / height - (before + height - 1) / height);
    before = after;
  }
  return widths * height;
}

template <Element T>
void check_order(const Sell<T>& matrix) {
  const Index window = matrix.shape().window;
  for (Index first = 0; first < matrix.rows; first += window) {
    std::array<bool, largest_sell_window> seen{};
    const Index rows = std::min(window, matrix.rows - first);
    for (Index p = first; p < first + rows; ++p) {
      const Index row = matrix.order[p];
      if (row < 0 || row >= rows || seen[static_cast<std::size_t>(row)]) {
        refuse("an order that has each row of a window once");
      }
      seen[static_cast<std::size_t>(row)] = true;
    }
  }
}

template <Element T>
void check_lengths(const Sell<T>& matrix) {
  const Index height = matrix.shape().height;
  Index elements = 0;
  for (Index p = 0; p < matrix.lengths.size(); ++p) {
    const Index width = matrix.starts[p / height + 1] - matrix.starts[p / height];
    const Index length = matrix.lengths[p];
    if (length < 0 || length > width || (p >= matrix.rows && length != 0)) {
      refuse("rows that are no longer than their slice");
    }
    elements += length;
  }
  if (elements != matrix.nnz) refuse("lengths that add up to its number of elements");
}

}  // namespace

template <Element T>
Sell<T> Sell<T>::sized(const Sell& header, const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(header.cols);  // columns and lengths must fit
  (void)checked_product(header.rows, header.shape().height);
  Sell sell = header.header();
  sell.starts = Array<Index>(sell.slices() + 1, memory);
  sell.order = Array<Column>(sell.rows, memory);
  sell.lengths = Array<Column>(sell.slices() * sell.shape().height, memory);
  return sell;
}

template <Element T>
void Sell<T>::add_slots(Index widths, const std::shared_ptr<MemorySpace>& memory) {
  const Index slots = checked_product(widths, shape().height);
  columns = Array<Column>(slots, memory);
  values = Array<T>(slots, memory);
}

template <Element T>
void Sell<T>::check() const {
  if (rows < 0 || cols < 0 || order.size() != rows || starts.size() != slices() + 1 ||
      lengths.size() != slices() * shape().height) {
    refuse("a start for each slice, and an order and lengths for its rows");
  }
  if (starts[0] != 0 || !std::ranges::is_sorted(starts.span())) refuse("starts that ascend from 0");
  const Index slots_needed = checked_product(starts[slices()], shape().height);
  if (columns.size() != slots_needed || values.size() != slots_needed) {
    refuse("as many columns and values as its slices have slots");
  }
  check_lengths(*this);
  check_order(*this);
}

template <Element T>
Index Sell<T>::position_of(Index i) const noexcept {
  const Index window = shape().window;
  const Index first = window_of(i);
  const Column* const begin = order.data() + first;
  const Column* const end = order.data() + std::min(first + window, rows);
  return first + (std::find(begin, end, static_cast<Column>(i - first)) - begin);
}

template <Element T>
void Sell<T>::row_lengths(Index first, std::span<Index> into) const noexcept {
  const Index last = first + std::ssize(into);
  if (last - first == 1) {
    into[0] = lengths[position_of(first)];
    return;
  }
  const Index window = shape().window;
  const Index end = std::min((last + window - 1) / window * window, rows);
  for (Index p = window_of(first); p < end; ++p) {
    const Index i = row_at(p);
    if (i >= first && i < last) into[static_cast<std::size_t>(i - first)] = lengths[p];
  }
}

double sell_slots(SellShape shape, const Structure& structure, const RowView* rows) {
  const Index windows = (structure.rows + shape.window - 1) / shape.window;
  if (windows == 0) return 0;
  const auto height = static_cast<double>(shape.height);
  const auto nnz = static_cast<double>(structure.nnz);
  if (!rows) {
    // Widths descend within a window, so that its padding is at most `height` longest rows.
    const double longest = ell_slots(structure, nullptr) / static_cast<double>(structure.rows);
    return nnz + structure.nnz_error + static_cast<double>(windows) * height * longest;
  }
  const Index step =
      windows <= fewest_windows ? 1 : std::min(windows / fewest_windows, windows_for_one);
  // Few windows may hold most of the padding, as in graphs. There the longest row of each is read;
  // sampled is only the padding for each slot of those rows.
  const bool all_are_read =
      static_cast<double>(structure.longest_row) > longest_for_mean_row * structure.mean_row();
  std::atomic<Index> longest{0};
  std::atomic<Index> longest_sampled{0};
  std::atomic<Index> padding{0};
  const Shares shares = all_threads(structure.rows > rows_worth_threads);
  share_out(shares, [&](int part) {
    const Index end = part_begin(windows, part + 1, shares.parts);
    Index own_longest = 0;
    Index own_sampled = 0;
    Index own_padding = 0;
    for (Index w = part_begin(windows, part, shares.parts); w < end; ++w) {
      const bool is_sampled = w % step == step / 2;
      if (!is_sampled && !all_are_read) continue;
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
      std::array<Index, largest_sell_window> buffer;
      const Index first = w * shape.window;
      const std::span lengths(
          buffer.data(), static_cast<std::size_t>(std::min(shape.window, structure.rows - first)));
      rows->lengths(first, lengths);
      const Index longest_here = *std::ranges::max_element(lengths);
      own_longest += longest_here;
      if (!is_sampled) continue;
      own_sampled += longest_here;
      own_padding -= std::accumulate(lengths.begin(), lengths.end(), Index{0});
      own_padding += slots_of_window(lengths, shape.height);
    }
    longest += own_longest;
    longest_sampled += own_sampled;
    padding += own_padding;
  });
  if (step == 1 || longest_sampled == 0) return nnz + static_cast<double>(padding);
  if (!all_are_read) return nnz + static_cast<double>(padding) * static_cast<double>(step);
  const double share = static_cast<double>(padding) / static_cast<double>(longest_sampled);
  return nnz + share * static_cast<double>(longest);
}

double sell_bytes(Format format, const Structure& structure, Index element_bytes) {
  const Index height = sell_shape(format).height;
  const Index slices = (structure.rows + height - 1) / height;
  constexpr auto column_bytes = Index{sizeof(Column)};
  const Index row_bytes = (structure.rows + slices * height) * column_bytes;
  return structure.slots[static_cast<std::size_t>(format)] *
             static_cast<double>(element_bytes + column_bytes) +
         static_cast<double>(row_bytes + (slices + 1) * Index{sizeof(Index)});
}

template struct Sell<float>;
template struct Sell<double>;

}  // namespace switchyard
