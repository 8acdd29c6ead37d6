// csr_columns.cl and csr_staged.cl, launched as columns.cpp does.
#include "vectors.hpp"
#include "warp.hpp"

namespace {

using REAL4 = Four<REAL>;
int4 streamed_ints(const int* address) { return {address[0], address[1], address[2], address[3]}; }
REAL4 streamed_reals(const REAL* address) {
  return {address[0], address[1], address[2], address[3]};
}

#include "csr_staged.inc"

using Kernel = void(long rows, uint k, uint width, uint across, uint lanes, uint panels_or_groups,
                    uint long_row, const int* offsets, const int* columns, const REAL* values,
                    REAL alpha, const REAL* x, REAL beta, REAL* y);

/// In the order of `Way`.
constexpr Kernel* by_strides[]{csr_columns_one,  csr_columns_pair, csr_columns_two,
                               csr_columns_four, nullptr,          csr_columns_single};
constexpr Kernel* by_quads[]{csr_columns_one_quads,
                             csr_columns_pair_quads,
                             csr_columns_two_quads,
                             csr_columns_four_quads,
                             nullptr,
                             csr_columns_single_quads};
#ifdef REAL_IS_DOUBLE
constexpr Kernel* const* by_chunks = nullptr;
#else
constexpr Kernel* by_chunks[]{csr_columns_one_chunks,
                              csr_columns_pair_large,
                              csr_columns_two_chunks,
                              csr_columns_four_chunks,
                              nullptr,
                              csr_columns_single_chunks};
#endif
constexpr Kernel* staged[]{csr_staged_one, csr_staged_pair, csr_staged_two, csr_staged_four};
constexpr Kernel* alone[]{csr_staged_one, csr_staged_pair_alone, csr_staged_two_alone,
                          csr_staged_four_alone, csr_staged_eight_alone};

}  // namespace

namespace switchyard::warps {
namespace {

/// The teams of each row: as many as are wanted, where there are kernels for so many.
uint teams_of(const ColumnProduct<REAL>& a, uint across) {
  if (a.way == Way::Eight) return 1;
  const uint fewest = a.by == By::Chunks ? std::max(8 / across, 1U) : 1;
  const uint teams = std::max(a.teams, fewest);
  const bool by_rows = a.by == By::Strides || a.by == By::Quads;
  // More than a warp are as many as each warp of a group has (sum_beside).
  if (by_rows && teams * across > WARP) {
    return std::clamp(teams, LARGE_GROUP / WARP, LARGE_GROUP / across);
  }
  return std::min(teams, WARP / across);
}

}  // namespace

std::vector<REAL> EMULATED(const ColumnProduct<REAL>& a) {
  const long k = a.count;
  const long each = a.way == Way::Single  ? 1
                    : a.way == Way::Pair  ? 2
                    : a.way == Way::Eight ? 2 * EACH
                                          : EACH;
  const auto across = std::min(std::bit_ceil(static_cast<uint>((k + each - 1) / each)), WARP);
  const long panels = (k + across * each - 1) / (across * each);
  const uint teams = teams_of(a, across);
  const bool is_staged = a.by == By::Stage;
  const Kernel* const* const family = a.by == By::Strides  ? by_strides
                                      : a.by == By::Quads  ? by_quads
                                      : a.by == By::Chunks ? by_chunks
                                      : teams == 1         ? alone
                                                           : staged;
  Kernel* const kernel = family[static_cast<int>(a.way)];
  const uint items = is_staged ? GROUP : a.by == By::Chunks ? CHUNKS_GROUP : LARGE_GROUP;
  const long rows_of_group = items / (across * teams);
  const long groups = (a.rows + rows_of_group - 1) / rows_of_group;
  std::vector<REAL> y(static_cast<std::size_t>(a.rows * k), REAL(7));
  launch(groups * panels, items, [&] {
    kernel(a.rows, static_cast<uint>(k), static_cast<uint>(a.width), across, across * teams,
           static_cast<uint>(is_staged ? groups : panels), a.long_row, a.offsets.data(),
           a.columns.data(), a.values.data(), REAL(2), a.x.data(), REAL(-1), y.data());
  });
  return y;
}

}  // namespace switchyard::warps
