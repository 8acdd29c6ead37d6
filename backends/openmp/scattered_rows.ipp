// The transpose of compressed rows times a row-major X: each row of X is added, times a nonzero, to
// the sums of the nonzero's column.
#include "column_panels.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// One panel of the rows [begin, end).
template <class T, class Offset, int width, int vectors>
void scatter_panel(const ScatteredRows<T, Offset>& work, std::int64_t begin, std::int64_t end,
                   std::int64_t first, std::int64_t count) {
  using Lanes = typename LanesOf<T, width>::type;
  const auto place = [&](int v) { return v + 1 < vectors ? v * width : count - width; };
  for (std::int64_t i = begin; i < end; ++i) {
    Lanes x[vectors];
    for (int v = 0; v < vectors; ++v)
      x[v] = load<Lanes>(work.x + i * work.count + first + place(v));
    for (std::int64_t k = work.offsets[i]; k < work.offsets[i + 1]; ++k) {
      T* const to = work.sums + work.columns[k] * work.count + first;
      // Where vectors overlap, sums are read before any are written.
      Lanes sums[vectors];
      for (int v = 0; v < vectors; ++v)
        sums[v] = load<Lanes>(to + place(v)) + work.values[k] * x[v];
      for (int v = 0; v < vectors; ++v) store(to + place(v), sums[v]);
    }
  }
}

template <class T, class Offset>
void scattered_rows(const ScatteredRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t first = 0; first < work.count;) {
    const std::int64_t count = next_panel<T>(work.count - first);
    with_panel<T>(count, [&]<int width, int vectors>() {
      scatter_panel<T, Offset, width, vectors>(work, begin, end, first, count);
    });
    first += count;
  }
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
