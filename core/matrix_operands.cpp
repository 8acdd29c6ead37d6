// Maps of several matrices: what they have to have in common.
#include <algorithm>
#include <switchyard/core/skeletons.hpp>

namespace switchyard::skeleton {

template <Element T>
void map_matrices(GMatrix<T>& out, const UserFunction<T>& function,
                  std::span<const GMatrix<T>* const> in, const Edge& edge) {
  for (const GMatrix<T>* const matrix : in) {
    check_shape(matrix->rows(), matrix->cols(), in.front()->rows(), in.front()->cols());
  }
  const auto is_out = [&](const GMatrix<T>* matrix) { return matrix == &out; };
  const bool in_place = !function.by_place && std::ranges::all_of(in, is_out);
  in_place ? out.map_elements(function, in.size()) : out.map_from(function, in, edge);
}

template void map_matrices(GMatrix<float>&, const UserFunction<float>&,
                           std::span<const GMatrix<float>* const>, const Edge&);
template void map_matrices(GMatrix<double>&, const UserFunction<double>&,
                           std::span<const GMatrix<double>* const>, const Edge&);

}  // namespace switchyard::skeleton
