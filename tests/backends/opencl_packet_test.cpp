// Packets on a device: conversion and products, with offsets of either width on either side.
#include "formats.hpp"
#include "opencl_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

template <class T>
class OpenClPackets : public OnDeviceOf<T> {};
TYPED_TEST_SUITE(OpenClPackets, Elements);

/// Rows of a band, empty ones, rows that share nothing, and two that are longer than a piece.
template <Element T>
Csr<T> packets_of_all_kinds() {
  std::vector<Triplet<T>> triplets;
  const auto add = [&](Index i, Index length, Index first, Index step) {
    for (Index k = 0; k < length; ++k) {
      triplets.push_back({i, first + k * step, T((i * 31 + k * 17) % 97 - 48) / T(16)});
    }
  };
  for (Index i = 0; i < 600; ++i) {
    if (i == 100 || i == 599) {
      add(i, 3001, i, 5);
    } else if (i < 300) {
      add(i, i % 7, 3 * i, 2);
    } else {
      add(i, i % 50 == 0 ? 900 : 3, 17 * i, 11);
    }
  }
  return csr_from_triplets<T>(600, 30'000, triplets);
}

TYPED_TEST(OpenClPackets, OffsetsOfBothWidthsAreConvertedAndMultiplied) {
  using T = TypeParam;
  for (const bool wide : {false, true}) {
    const Storage<T> csr = packets_of_all_kinds<T>();
    const std::vector<T> x = random_values<T>(cols_of(csr), 4);
    const std::vector<T> y = random_values<T>(rows_of(csr), 5);
    const Array<T> x_there = this->on_device(x);
    const auto expected = reference_multiply<T>(csr, T(-2), x, T(0.5), y);
    Storage<T> here = switchyard::testing::in_format<T>(csr, Format::Packet);
    EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, here));
    EXPECT_EQ(std::get<Packets<T>>(here).wide.size(), 6002);
    if (wide) here = widened(std::move(std::get<Packets<T>>(here)));
    const Storage<T> packets = transferred(here, this->memory());
    const auto* const to_csr = find_convert<T>(Format::Packet, Format::Csr, Backend::OpenCL);
    const Storage<T> back = transferred(to_csr->run(this->device(), packets), plain_host_memory());
    const auto elements = switchyard::testing::elements_by_row(csr);
    switchyard::testing::expect_elements(here, elements);
    switchyard::testing::expect_elements(back, elements);
    for (const auto& operation : multiply_operations<T>()) {
      if (operation.backend != Backend::OpenCL || operation.format != Format::Packet) continue;
      Array<T> y_there = this->on_device(y);
      operation.run({this->device(), packets, T(-2), x_there, T(0.5), y_there});
      this->device().finish();
      EXPECT_LE(worst_error<T>(expected, this->on_host(y_there)), 1) << operation.variant;
    }
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
