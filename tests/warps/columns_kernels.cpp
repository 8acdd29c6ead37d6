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

using Kernel = void(long rows, uint k, uint across, uint lanes, uint panels_or_groups,
                    uint long_row, const int* offsets, const int* columns, const REAL* values,
                    REAL alpha, const REAL* x, REAL beta, REAL* y);

/// For rows of X that are read by fours, as the two elements that they are, by twos or one by one.
constexpr Kernel* by_strides[]{csr_columns_four, csr_columns_both, csr_columns_two,
                               csr_columns_one};
constexpr Kernel* by_quads[]{csr_columns_four_quads, csr_columns_both_quads, csr_columns_two_quads,
                             csr_columns_one_quads};
constexpr Kernel* staged[]{csr_staged_four, csr_staged_both, csr_staged_two, csr_staged_one};
constexpr Kernel* alone[]{csr_staged_four_alone, csr_staged_both_alone, csr_staged_two,
                          csr_staged_one};

}  // namespace

namespace switchyard::warps {

std::vector<REAL> EMULATED(const ColumnProduct<REAL>& a) {
  const long k = a.count;
  const auto across = std::min(std::bit_ceil(static_cast<uint>((k + EACH - 1) / EACH)), WARP);
  const long panels = (k + across * EACH - 1) / (across * EACH);
  const uint teams = std::min(a.teams, WARP / across);
  const bool is_staged = a.by == By::Stage;
  const Kernel* const* const family = a.by == By::Strides ? by_strides
                                      : a.by == By::Quads ? by_quads
                                      : teams == 1        ? alone
                                                          : staged;
  Kernel* const kernel = family[k % 4 == 0 ? 0 : k == 2 ? 1 : k % 2 == 0 ? 2 : 3];
  const uint items = is_staged ? GROUP : LARGE_GROUP;
  const long rows_of_group = items / (across * teams);
  const long groups = (a.rows + rows_of_group - 1) / rows_of_group;
  std::vector<REAL> y(static_cast<std::size_t>(a.rows * k), REAL(7));
  launch(groups * panels, items, [&] {
    kernel(a.rows, static_cast<uint>(k), across, across * teams,
           static_cast<uint>(is_staged ? groups : panels), a.long_row, a.offsets.data(),
           a.columns.data(), a.values.data(), REAL(2), a.x.data(), REAL(-1), y.data());
  });
  return y;
}

}  // namespace switchyard::warps
