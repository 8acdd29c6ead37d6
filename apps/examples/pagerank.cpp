// Ranks the nodes of a graph: pagerank [FILE.mtx], an element (i, j) being a link from i to j.
#include "solvers/pagerank.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <numeric>
#include <switchyard/switchyard.hpp>

#include "solvers/host_matrices.hpp"

namespace {

/// The graph in the file, or one in which, as in the web, few pages have most of the links.
switchyard::Csr<float> graph_from(int argc, char** argv) {
  if (argc < 2) {
    return switchyard::generate<float>({.kind = switchyard::MatrixKind::PowerLaw, .rows = 50'000});
  }
  return switchyard::solvers::read_csr<float>(argv[1]);
}

void print_first(std::span<const float> ranks, std::size_t count) {
  std::vector<std::size_t> pages(ranks.size());
  std::iota(pages.begin(), pages.end(), std::size_t{0});
  const auto end = pages.begin() + static_cast<std::ptrdiff_t>(std::min(count, pages.size()));
  std::partial_sort(pages.begin(), end, pages.end(),
                    [&](std::size_t a, std::size_t b) { return ranks[a] > ranks[b]; });
  for (auto page = pages.begin(); page != end; ++page) {
    std::cout << "  page " << *page + 1 << "  " << ranks[*page] << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const switchyard::Runtime runtime;
    const auto links = runtime.matrix(switchyard::solvers::link_matrix(graph_from(argc, argv)));
    switchyard::Vector<float> ranks(links.rows());
    const auto result =
        switchyard::solvers::pagerank(runtime, links, ranks, {.rtol = 1e-5, .max_iterations = 200});
    std::cout << result.iterations << " iterations, the last one changed ranks by "
              << result.residual << '\n';
    print_first(ranks.read(), 5);
    std::cout << '\n' << links.explain();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pagerank: error: " << error.what() << '\n';
    return 1;
  }
}
