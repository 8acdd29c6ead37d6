// csr_scatter.cl, launched as csr_scatter.cpp does.
#include "warp.hpp"

namespace {
#include "csr_scatter.inc"
}  // namespace

namespace switchyard::warps {

std::vector<REAL> EMULATED(const Product<REAL>& a, KeptSums& sums) {
  constexpr long tile = LARGE_GROUP * ITEM_ELEMENTS;
  const auto nnz = static_cast<long>(a.columns.size());
  const long tiles = (nnz + tile - 1) / tile;
  const Planes planes(a, sums);
  std::vector<REAL> y(static_cast<std::size_t>(a.cols), REAL(7));
  const REAL alpha = 1, beta = 0;
  const int* const offsets = a.offsets.data();
  const int* const columns = a.columns.data();
  std::vector<long> found(static_cast<std::size_t>(tiles * (TEAMS_OF_TILE + 1) + 1));
  launch(tiles, LARGE_GROUP, [&] {
    const uint tiles_at_once = a.combines ? 0 : 1000;
    scatter_look(tiles, tiles_at_once, a.rows, nnz, offsets, columns, found.data());
  });
  // Fewer groups than tiles, so that each has several.
  const uint adding = static_cast<uint>(std::min(tiles, 3L));
  const long finishing = a.finishes_at_once ? (a.cols + LARGE_GROUP - 1) / LARGE_GROUP : 0;
  launch(adding + finishing, LARGE_GROUP, [&] {
    scatter_add(nnz, tiles, adding, a.cols, planes.count, planes.width, sums.turn, offsets, columns,
                a.values.data(), a.x.data(), found.data(), planes.words, alpha, beta, y.data());
  });
  const long columns_of_groups = (a.cols + GROUP - 1) / GROUP;
  if (!a.finishes_at_once) {
    launch(columns_of_groups, GROUP, [&] {
      scatter_finish(a.cols, planes.count, planes.width, sums.turn, planes.words, alpha, beta,
                     y.data());
    });
  }
  if (a.few_planes) {
    launch(tiles, LARGE_GROUP, [&] {
      scatter_largest(nnz, a.cols, planes.count, planes.width, sums.turn, offsets, columns,
                      a.values.data(), a.x.data(), found.data(), planes.words);
    });
    launch(tiles, LARGE_GROUP, [&] {
      scatter_again(nnz, a.cols, planes.count, planes.width, sums.turn, offsets, columns,
                    a.values.data(), a.x.data(), found.data(), planes.words);
    });
    launch(columns_of_groups, GROUP, [&] {
      scatter_finish_again(a.cols, planes.count, planes.width, sums.turn, planes.words, alpha, beta,
                           y.data());
    });
  }
  ++sums.turn;
  return y;
}

}  // namespace switchyard::warps
