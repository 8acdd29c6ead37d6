// The walk along conversions, over tables that the test makes up.
#include "conversion_walk.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace switchyard {
namespace {

using Walked = std::vector<std::pair<int, int>>;

ConvertOperation<float> conversion(int from, int to, Backend backend = Backend::OpenMP) {
  return {static_cast<Format>(from), static_cast<Format>(to), backend, "", nullptr};
}

Walked walked(const std::vector<ConvertOperation<float>>& operations, int refused = -1) {
  Walked visited;
  walk_conversions<float>(operations, Backend::OpenMP, [&](const ConvertOperation<float>& made) {
    visited.emplace_back(static_cast<int>(made.from), static_cast<int>(made.to));
    return static_cast<int>(made.to) != refused;
  });
  return visited;
}

constexpr int csr = static_cast<int>(Format::Csr);

TEST(ConversionWalk, ReachesWhatIsSeveralConversionsAway) {
  // Listed in the order in which one pass over the table would miss them.
  EXPECT_EQ(walked({conversion(7, 8), conversion(6, 7), conversion(csr, 6), conversion(8, csr)}),
            (Walked{{csr, 6}, {6, 7}, {7, 8}, {8, csr}}));
}

TEST(ConversionWalk, VisitsEachConversionOnceAndNearFormatsFirst) {
  EXPECT_EQ(walked({conversion(csr, 6), conversion(6, 8), conversion(csr, 7), conversion(7, 8),
                    conversion(8, 6)}),
            (Walked{{csr, 6}, {csr, 7}, {6, 8}, {7, 8}, {8, 6}}));
}

TEST(ConversionWalk, DoesNotGoOnFromWhatIsNotThere) {
  EXPECT_EQ(walked({conversion(csr, 6), conversion(6, 7), conversion(5, 9)}, 6),
            (Walked{{csr, 6}}));
  EXPECT_EQ(walked({conversion(csr, 6, Backend::OpenCL)}), Walked{});
}

}  // namespace
}  // namespace switchyard
