// BSR on a device: conversions and products, with offsets of either width on either side.
#include "formats.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

template <class T>
class OpenClBsr : public OnDeviceOf<T> {};
TYPED_TEST_SUITE(OpenClBsr, Elements);

/// Full blocks, blocks with empty places, and stored zeros, in a shape that no block divides.
template <Element T>
Csr<T> mixed_blocks() {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < 331; ++i) {
    const Index dense = i % 60 < 30 ? 40 : 0;
    for (Index j = 0; j < dense; ++j) triplets.push_back({i, 11 * (i / 12) + j, T(j % 5) / T(4)});
    triplets.push_back({i, 397 + i % 4, T(i)});
  }
  return csr_from_triplets<T>(331, 401, triplets);
}

TYPED_TEST(OpenClBsr, OffsetsOfBothWidthsAreConvertedAndMultiplied) {
  using T = TypeParam;
  for (const bool wide : {false, true}) {
    const Storage<T> csr = wide ? widened(mixed_blocks<T>()) : mixed_blocks<T>();
    const std::vector<T> x = random_values<T>(cols_of(csr), 4);
    const std::vector<T> y = random_values<T>(rows_of(csr), 5);
    const Array<T> x_there = this->on_device(x);
    const auto expected = reference_multiply<T>(csr, T(-2), x, T(0.5), y);
    const Storage<T> there = transferred(csr, this->memory());
    for (const Format format : {Format::Bsr2, Format::Bsr3, Format::Bsr4}) {
      const auto* const to_blocks = find_convert<T>(Format::Csr, format, Backend::OpenCL);
      Storage<T> here = transferred(to_blocks->run(this->device(), there), plain_host_memory());
      EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, here));
      EXPECT_EQ(bytes_of(here), bytes_of(switchyard::testing::in_format<T>(csr, format)));
      if (wide) here = widened(std::move(std::get<Bsr<T>>(here)));
      const Storage<T> blocks = transferred(here, this->memory());
      const auto* const to_csr = find_convert<T>(format, Format::Csr, Backend::OpenCL);
      const Storage<T> back = transferred(to_csr->run(this->device(), blocks), plain_host_memory());
      const auto elements = switchyard::testing::elements_by_row(csr);
      switchyard::testing::expect_elements(here, elements);
      switchyard::testing::expect_elements(back, elements);
      for (const auto& operation : multiply_operations<T>()) {
        if (operation.backend != Backend::OpenCL || operation.format != format) continue;
        Array<T> y_there = this->on_device(y);
        operation.run({this->device(), blocks, T(-2), x_there, T(0.5), y_there});
        this->device().finish();
        EXPECT_LE(worst_error<T>(expected, this->on_host(y_there)), 1) << name(format);
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
