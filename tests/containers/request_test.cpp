// What a request is called, and how large its vectors are.
#include <gtest/gtest.h>

#include <switchyard/containers/request.hpp>

namespace switchyard {
namespace {

TEST(Request, IsOnePlainMultiplicationUnlessSaidOtherwise) {
  EXPECT_EQ(name(Request{}), "multiply");
  EXPECT_EQ(Request{}, (Request{Operand::Matrix, 1}));
}

TEST(Request, NamesTheTransposeAndTheColumns) {
  EXPECT_EQ(name({Operand::Transpose, 1}), "multiply transposed");
  EXPECT_EQ(name({Operand::Matrix, 16}), "multiply 16 columns");
  EXPECT_EQ(name({Operand::Transpose, 2}), "multiply transposed, 2 columns");
}

TEST(Request, TellsTheSizesOfBothVectors) {
  constexpr Index rows = 3;
  constexpr Index cols = 5;
  EXPECT_EQ(x_rows({Operand::Matrix, 4}, rows, cols), cols);
  EXPECT_EQ(y_rows({Operand::Matrix, 4}, rows, cols), rows);
  EXPECT_EQ(x_rows({Operand::Transpose, 4}, rows, cols), rows);
  EXPECT_EQ(y_rows({Operand::Transpose, 4}, rows, cols), cols);
}

}  // namespace
}  // namespace switchyard
