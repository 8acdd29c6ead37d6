// Sums over vectors on the host's threads, the same bits for any number of them.
#include <array>

#include "team.hpp"
#include "vector_operations.hpp"

namespace switchyard::openmp {
namespace {

/// Sums kept side by side, so that additions need not wait for each other.
constexpr Index lanes = 16;
/// A vector is cut into so many parts at most, and none shorter than `least_part`: by its size
/// alone, never by the number of threads.
constexpr Index most_parts = 512;
constexpr Index least_part = 4096;

/// The sum of `term(i)` for i in [begin, end).
template <class Term>
double sum_of_part(Index begin, Index end, const Term& term) {
  std::array<double, lanes> sums{};
  Index i = begin;
  for (; i + lanes <= end; i += lanes) {
#pragma omp simd
    for (Index lane = 0; lane < lanes; ++lane) {
      sums[static_cast<std::size_t>(lane)] += term(i + lane);
    }
  }
  double sum = 0;
  for (; i < end; ++i) sum += term(i);
  for (const double of_lane : sums) sum += of_lane;
  return sum;
}

/// The sum of `term(i)` for all i below `size`, of which each reads so many bytes.
template <class Term>
double sum_over(const Executor& executor, Index size, Index bytes_each, const Term& term) {
  const Index share = std::max(least_part, ((size + most_parts - 1) / most_parts + 15) / 16 * 16);
  const Index parts = (size + share - 1) / share;
  if (parts <= 1) return sum_of_part(0, size, term);
  std::array<double, most_parts> sums;
  share_out_items(shares_of_work(executor, size * bytes_each), parts, 1,
                  [&](Index first, Index end) {
                    for (Index part = first; part < end; ++part) {
                      const Index begin = part * share;
                      sums[static_cast<std::size_t>(part)] =
                          sum_of_part(begin, std::min(begin + share, size), term);
                    }
                  });
  double sum = 0;
  for (Index part = 0; part < parts; ++part) sum += sums[static_cast<std::size_t>(part)];
  return sum;
}

}  // namespace

template <Element T>
double dot(Executor& executor, const Array<T>& x, const Array<T>* y) {
  return sum_over(executor, x.size(), 2 * Index{sizeof(T)}, [u = x.data(), v = y->data()](Index i) {
    return static_cast<double>(u[i]) * static_cast<double>(v[i]);
  });
}

template <Element T>
double sum(Executor& executor, const Array<T>& x, const Array<T>*) {
  return sum_over(executor, x.size(), Index{sizeof(T)},
                  [u = x.data()](Index i) { return static_cast<double>(u[i]); });
}

template double dot(Executor&, const Array<float>&, const Array<float>*);
template double dot(Executor&, const Array<double>&, const Array<double>*);
template double sum(Executor&, const Array<float>&, const Array<float>*);
template double sum(Executor&, const Array<double>&, const Array<double>*);

}  // namespace switchyard::openmp
