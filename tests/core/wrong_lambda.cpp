// Does not compile, and says why: the function takes three numbers of two.
#include <switchyard/core/skeletons.hpp>

void wrong(const switchyard::Runtime& runtime, switchyard::Vector<float>& x) {
  switchyard::map(
      runtime, x, [](auto a, auto b, auto c, auto d) { return a + b + c + d; }, x, x);
}
