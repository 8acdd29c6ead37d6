// What is remembered of the steps that were done.
#include "history.hpp"

#include <gtest/gtest.h>

namespace switchyard {
namespace {

const State csr_host{Space::host(), Format::Csr};
const State csr_device{Space::device(0), Format::Csr};

TEST(History, ProductsInOneStateAreOneStep) {
  History history;
  history.record_product(csr_host, "scalar");
  history.record_product(csr_host, "scalar");
  history.record_time(csr_host, "scalar", 2);
  history.record_product(csr_device, "scalar");
  history.record_product(csr_device, "vector");
  ASSERT_EQ(history.steps().size(), 3U);
  EXPECT_EQ(history.steps()[0].calls, 2);
  EXPECT_EQ(history.steps()[0].measured_calls, 1);
  EXPECT_EQ(history.steps()[0].measured_seconds, 2.0);
  EXPECT_EQ(history.steps()[2].calls, 1);
}

TEST(History, AProductThatFailedIsNotInIt) {
  History history;
  history.record_product(csr_host, "scalar");
  history.record_product(csr_device, "vector");
  history.take_back_product(csr_device, "vector");
  ASSERT_EQ(history.steps().size(), 1U);
  EXPECT_EQ(history.steps()[0].to, csr_host);
  history.record_product(csr_host, "scalar");
  history.take_back_product(csr_host, "scalar");
  EXPECT_EQ(history.steps()[0].calls, 1);
}

TEST(History, ATimeThatComesTooLateIsForgotten) {
  History history;
  history.record_product(csr_device, "vector");
  history.record_product(csr_host, "scalar");
  history.record_time(csr_device, "vector", 1);
  for (const Step& step : history.steps()) EXPECT_EQ(step.measured_calls, 0);
}

}  // namespace
}  // namespace switchyard
