// What is said of skeletons on matrices: in the log, the history, the counters and the trace.
#include <gtest/gtest.h>

#include "core/on_fast_device.hpp"

namespace switchyard {
namespace {

using testing::least_sum;

class SkeletonReports : public testing::OnFastDevice {};

TEST_F(SkeletonReports, TheLogSaysWhereAndWhatElseThereWas) {
  GMatrix<float> matrix = matrix_on_device(Format::Csr);
  const Vector<float> x = on_device(300, 2);
  Vector<float> y(300);
  std::vector<std::string> lines;
  set_log_level(LogLevel::Debug);
  set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  map_rows(y, least_sum, fold::min, matrix, x);
  scale(matrix, 2.0F);
  static_cast<void>(norm(matrix));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].find("map_rows A 300x300"), 0U) << lines[0];
  EXPECT_NE(lines[0].find(": csr@device0 "), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("; next: "), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1].find("map A 300x300"), 0U) << lines[1];
  EXPECT_EQ(lines[2].find("reduce A 300x300"), 0U) << lines[2];
}

TEST_F(SkeletonReports, AreInTheHistoryTheCountersAndTheTrace) {
  const GMatrix<float> matrix = matrix_on_device(Format::Csr);
  const Vector<float> x(300, 1.0F);
  Vector<float> y(300);
  matrix.multiply(x, y);
  for (int i = 0; i < 3; ++i) map_rows(y, least_sum, fold::min, matrix, x);
  static_cast<void>(reduce(matrix, fold::max));
  const auto history = matrix.history();
  ASSERT_GE(history.size(), 3U);
  EXPECT_EQ(history[history.size() - 3].kind, StepKind::Multiply);
  const Step& rows = history[history.size() - 2];
  EXPECT_EQ(name(rows.kind), "map_rows");
  EXPECT_EQ(rows.calls, 3);
  EXPECT_EQ(rows.measured_calls, 3);  // with a trace, every one is waited for
  EXPECT_GT(rows.predicted_seconds, 0);
  EXPECT_EQ(name(history.back().kind), "reduce");
  const std::string page = matrix.explain();
  EXPECT_NE(page.find("\nskeletons  map_rows in csr@"), std::string::npos) << page;
  EXPECT_NE(page.find(", 3 times: predicted "), std::string::npos) << page;
  EXPECT_NE(page.find("\n           reduce in csr@"), std::string::npos) << page;
  const Counters counters = matrix.counters();
  EXPECT_EQ(counters.row_folds, 3);
  EXPECT_EQ(counters.folds, 1);
  EXPECT_EQ(counters.vector_bytes, 300 * Index{sizeof(float)}) << "x, once";
  EXPECT_NE(counters_text(counters).find("3 folds of the rows, 1 fold of all elements"),
            std::string::npos);
  const auto events = trace_->events();
  EXPECT_EQ(events.back().kind, TraceEvent::Kind::Reduce);
  EXPECT_EQ(events[events.size() - 2].kind, TraceEvent::Kind::MapRows);
}

}  // namespace
}  // namespace switchyard
