// What is remembered of the steps that were done.
#include "execution/history.hpp"

#include <gtest/gtest.h>

#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_device;
using testing::csr_host;

TEST(History, ProductsInOneStateAreOneStep) {
  History history;
  history.record_products({{}, csr_host, "scalar"});
  history.record_products({{}, csr_host, "scalar"});
  history.record_time({{}, csr_host, "scalar"}, 2);
  history.record_products({{}, csr_device, "scalar"});
  history.record_products({{}, csr_device, "vector"});
  ASSERT_EQ(history.steps().size(), 3U);
  EXPECT_EQ(history.steps()[0].calls, 2);
  EXPECT_EQ(history.steps()[0].measured_calls, 1);
  EXPECT_EQ(history.steps()[0].measured_seconds, 2.0);
  EXPECT_EQ(history.steps()[2].calls, 1);
}

TEST(History, SeveralCallsAreRecordedAtOnce) {
  History history;
  history.record_products({{}, csr_host, "scalar"});
  history.record_products({{}, csr_host, "scalar"}, 4);
  ASSERT_EQ(history.steps().size(), 1U);
  EXPECT_EQ(history.steps()[0].calls, 5);
}

TEST(History, KeepsTheLastHundredSteps) {
  History history;
  for (int i = 0; i < 101; ++i)
    history.record_products({{}, i % 2 == 0 ? csr_host : csr_device, "v"}, 1 + i);
  ASSERT_EQ(history.steps().size(), 100U);
  EXPECT_EQ(history.steps().front().calls, 2) << "the oldest is gone";
  EXPECT_EQ(history.steps().back().calls, 101);
}

TEST(History, ATimeThatComesTooLateIsForgotten) {
  History history;
  history.record_products({{}, csr_device, "vector"});
  history.record_products({{}, csr_host, "scalar"});
  history.record_time({{}, csr_device, "vector"}, 1);
  for (const Step& step : history.steps()) EXPECT_EQ(step.measured_calls, 0);
}

}  // namespace
}  // namespace switchyard
