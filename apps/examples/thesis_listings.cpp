// The listings 2.3 to 2.8 of the thesis that Switchyard grew from, which show the skeletons of
// SkePU, with Switchyard's. Elements are of type float: Switchyard has no integers.
#include <exception>
#include <iostream>
#include <switchyard/switchyard.hpp>

namespace sy = switchyard;

namespace {

constexpr sy::Index size = 5;

sy::GMatrix<float> matrix_of(const sy::Runtime& runtime, float value) {
  return runtime.matrix(size, size, std::vector<float>(size * size, value));
}

void print(const char* name, const sy::Vector<float>& vector) {
  std::cout << name << ':';
  for (const float element : vector.read()) std::cout << ' ' << element;
  std::cout << '\n';
}

void print(const char* name, const sy::GMatrix<float>& matrix) {
  const auto copy = std::get<sy::Dense<float>>(matrix.copy_out(sy::Format::Dense));
  std::cout << name << ":\n";
  for (sy::Index i = 0; i < size; ++i) {
    for (sy::Index j = 0; j < size; ++j) std::cout << copy.values[i * size + j] << ' ';
    std::cout << '\n';
  }
}

constexpr auto sum = [](auto a, auto b) { return a + b; };
constexpr auto mult = [](auto a, auto b) { return a * b; };

void listings(const sy::Runtime& runtime) {
  // 2.3: Map with + as operator.
  const auto matrix_one = matrix_of(runtime, 3);
  const auto matrix_two = matrix_of(runtime, 5);
  auto result = matrix_of(runtime, 0);
  sy::map(result, sum, matrix_one, matrix_two);
  print("Map", result);

  // 2.4: Reduce with + as operator.
  std::cout << "Reduce: " << sy::reduce(matrix_one, sy::fold::plus) << '\n';

  // 2.5: MapReduce with + and * as operators.
  const sy::Vector<float> vect1(size, 3);
  const sy::Vector<float> vect2(size, 2);
  std::cout << "MapReduce: " << sy::map_reduce(runtime, mult, sy::fold::plus, vect1, vect2) << '\n';

  // 2.6: MapArray with vector * matrix.
  sy::Vector<float> vect_r(size);
  sy::map_rows(vect_r, mult, sy::fold::plus, matrix_one, vect2);
  print("MapArray", vect_r);

  // 2.7: MapOverlap, with 1 beyond the ends.
  const auto over_f = [](auto a) {
    return a(-3) * 0.5F + a(-2) * 0.4F + a(-1) * 0.2F + a(0) * 0.1F + a(1) * 0.2F + a(2) * 0.4F +
           a(3) * 0.5F;
  };
  const sy::Vector<float> v(9, 10);
  sy::Vector<float> r(9);
  sy::map_overlap(runtime, r, over_f, sy::Edge::constant(1), v);
  print("MapOverlap", r);

  // 2.8: Scan with +.
  const sy::Vector<float> ones(15, 1);
  sy::Vector<float> prefixes(15);
  sy::scan(runtime, sy::fold::plus, prefixes, ones);
  print("Scan", prefixes);
}

}  // namespace

int main() {
  try {
    listings(sy::Runtime());
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "thesis_listings: error: " << error.what() << '\n';
    return 1;
  }
}
