// csr_windows.cl, launched as csr_scatter.cpp does.
#include "warp.hpp"

namespace {
#include "csr_windows.inc"
}  // namespace

namespace switchyard::warps {

std::vector<REAL> EMULATED(const Product<REAL>& a, KeptSums& sums) {
  const uint windows = static_cast<uint>((a.cols + WINDOW - 1) / WINDOW);
  const Planes planes(a, sums);
  std::vector<REAL> y(static_cast<std::size_t>(a.cols), REAL(7));
  std::vector<uint> begins(static_cast<std::size_t>(a.rows) * windows);
  launch((static_cast<long>(begins.size()) + GROUP - 1) / GROUP, GROUP,
         [&] { windows_look(a.rows, windows, a.offsets.data(), a.columns.data(), begins.data()); });
  constexpr uint stretch = 100;
  const auto stretches = static_cast<uint>((a.rows + stretch - 1) / stretch);
  const uint adding = windows * stretches;
  launch(adding + (a.cols + LARGE_GROUP - 1) / LARGE_GROUP, LARGE_GROUP, [&] {
    windows_add(a.rows, stretch, adding, a.cols, planes.count, planes.width, sums.turn,
                a.offsets.data(), a.columns.data(), a.values.data(), a.x.data(), begins.data(),
                planes.words, REAL(1), REAL(0), y.data());
  });
  ++sums.turn;
  return y;
}

}  // namespace switchyard::warps
