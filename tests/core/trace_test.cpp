// Traces: documents of the trace-event format, whole or not at all.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <switchyard/core/runtime.hpp>
#include <switchyard/core/trace.hpp>
#include <thread>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using Json = nlohmann::json;
using testing::random_dense;

using testing::csr_host;
using testing::dense_host;

std::string read_all(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Traces : public ::testing::Test {
 protected:
  Traces() { std::filesystem::create_directories(folder_); }
  ~Traces() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] Json written(const Trace& trace) const {
    trace.write(folder_ / "trace.json");
    return Json::parse(read_all(folder_ / "trace.json"));
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("switchyard-trace-test" + std::to_string(getpid()));
};

/// What the format asks for: phases, names and times; on each track events in the order of their
/// start, each inside the one around it or after it.
void expect_well_formed(const Json& document) {
  std::map<int, std::vector<std::pair<double, double>>> open;
  std::map<int, double> last;
  std::set<int> named;
  std::set<int> used;
  for (const Json& event : document["traceEvents"]) {
    const std::string phase = event["ph"];
    const int track = event["tid"];
    EXPECT_EQ(event["pid"], 1);
    EXPECT_FALSE(event["name"].get<std::string>().empty());
    if (phase == "M") {
      if (event["name"] == "thread_name") named.insert(track);
      continue;
    }
    used.insert(track);
    const double start = event["ts"];
    EXPECT_GE(start, last[track]) << event;
    last[track] = start;
    if (phase == "i") {
      EXPECT_EQ(event["s"], "t");
      continue;
    }
    ASSERT_EQ(phase, "X");
    const double duration = event["dur"];
    EXPECT_GE(duration, 0);
    auto& around = open[track];
    constexpr double rounding = 0.01;
    while (!around.empty() && around.back().second <= start + rounding) around.pop_back();
    if (!around.empty()) {
      EXPECT_LE(start + duration, around.back().second + rounding) << event;
    }
    around.emplace_back(start, start + duration);
  }
  EXPECT_EQ(named, used);
}

Index count(const Json& document, const std::string& phase, const std::string& part) {
  return std::ranges::count_if(document["traceEvents"], [&](const Json& event) {
    return event["ph"] == phase && event["name"].get<std::string>().starts_with(part);
  });
}

RuntimeOptions traced(const std::shared_ptr<Trace>& trace, const std::string& devices = "none") {
  RuntimeOptions options;
  options.devices = devices;
  options.trace = trace;
  return options;
}

TEST_F(Traces, HoldEveryStepAndDecision) {
  const auto trace = std::make_shared<Trace>();
  const Runtime runtime(traced(trace, "all"));
  const auto matrix = runtime.matrix(random_dense<float>(60, 50, 0.2, 1));
  const Vector<float> x(50, 1.0F);
  Vector<float> y(60);
  Index products = 0;
  for (const auto& executor : runtime.executors()) {
    for (const FormatFacts& facts : testing::formats_for(matrix.structure())) {
      matrix.pin({executor->space(), facts.format});
      for (int i = 0; i < 3; ++i) matrix.multiply(x, y);
      products += 3;
    }
  }
  const Json document = written(*trace);
  expect_well_formed(document);
  const Counters counters = matrix.counters();
  EXPECT_EQ(count(document, "X", "multiply "), products);
  EXPECT_EQ(count(document, "X", "convert "), counters.conversions);
  EXPECT_EQ(count(document, "X", "transfer "), counters.transfers);
  EXPECT_EQ(count(document, "i", "decision: "), counters.decisions_planned);
  EXPECT_GE(counters.conversions + counters.transfers, 1);
  EXPECT_EQ(document["otherData"]["events_left_out"], 0);
  for (const Json& event : document["traceEvents"]) {
    if (!event["name"].get<std::string>().starts_with("multiply ")) continue;
    EXPECT_EQ(event["args"]["calls"], 1);
    EXPECT_FALSE(event["args"]["variant"].get<std::string>().empty());
    EXPECT_GT(event["args"]["bytes"].get<double>(), 0);
    EXPECT_GT(event["args"]["predicted_seconds"].get<double>(), 0);
    EXPECT_NEAR(1e6 * event["args"]["measured_seconds"].get<double>(), event["dur"], 1e-6);
  }
}

TEST_F(Traces, ProductsAtTheSameTimeHaveTracksOfTheirOwn) {
  const auto trace = std::make_shared<Trace>();
  const Runtime runtime(traced(trace));
  const auto matrix = runtime.matrix(random_dense<float>(300, 300, 0.2, 1));
  const Vector<float> x(300, 1.0F);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Vector<float> y(300);
      for (int i = 0; i < 50; ++i) matrix.multiply(x, y);
    });
  }
  for (auto& thread : threads) thread.join();
  const Json document = written(*trace);
  expect_well_formed(document);
  EXPECT_EQ(count(document, "X", "multiply "), 200);
}

TraceEvent event_at(double start, double seconds, State state) {
  const auto at = [](double s) {
    return std::chrono::duration_cast<TraceEvent::Clock::duration>(
        std::chrono::duration<double>(s));
  };
  // Later than any trace that is made meanwhile.
  static const auto begin = TraceEvent::Clock::now() + std::chrono::hours(1);
  return {.start = begin + at(start), .seconds = seconds, .from = state, .to = state};
}

TEST_F(Traces, OverlapsAreToldFromNeighbours) {
  Trace trace;
  trace.add(event_at(1.0, 2.0, csr_host));
  trace.add(event_at(2.0, 2.0, csr_host));
  trace.add(event_at(3.5, 1.0, csr_host));
  trace.add(event_at(3.0, 0.2, {Space::device(0), Format::Csr}));
  const Json document = written(trace);
  expect_well_formed(document);
  std::vector<int> tracks;
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] == "X") tracks.push_back(event["tid"]);
  }
  EXPECT_EQ(tracks, (std::vector{0, 1, 64, 0}));
}

TEST_F(Traces, MemoryIsBoundedAndNothingIsLostSilently) {
  Trace trace(100);
  for (int i = 0; i < 1000; ++i) trace.add(event_at(i, 0.5, csr_host));
  EXPECT_EQ(trace.events().size(), 75U);
  EXPECT_EQ(trace.events().back().calls, 926);
  EXPECT_DOUBLE_EQ(trace.events().back().seconds, 925.5);
  EXPECT_EQ(trace.left_out(), 0U);
  for (int i = 0; i < 100; ++i) {
    trace.add(event_at(1000 + i, 0.5, i % 2 == 0 ? dense_host : csr_host));
  }
  EXPECT_EQ(trace.events().size(), 100U);
  EXPECT_EQ(trace.left_out(), 75U);
  const Json document = written(trace);
  expect_well_formed(document);
  EXPECT_EQ(document["otherData"]["events_left_out"], 75);
}

// From three events of four on.
TEST_F(Traces, OnlyCallsThatFollowEachOtherAreJoined) {
  Trace moved(4);
  for (int i = 0; i < 5; ++i) moved.add(event_at(i, 0.5, csr_host));
  EXPECT_EQ(moved.events().size(), 3U);
  TraceEvent move = event_at(5, 0.5, csr_host);
  move.kind = TraceEvent::Kind::Convert;
  moved.add(move);
  EXPECT_EQ(moved.events().size(), 4U) << "a conversion is no call";
  Trace full(4);
  for (const State state : {csr_host, csr_host, csr_host, dense_host, csr_host, dense_host}) {
    full.add(event_at(0, 0.5, state));
  }
  EXPECT_EQ(full.events().size(), 4U);
  EXPECT_EQ(full.left_out(), 2U) << "the call before the last one was left out";
}

TEST_F(Traces, AnEmptyOneIsADocumentToo) {
  const Json document = written(Trace());
  EXPECT_EQ(document["traceEvents"].size(), 1U);
}

ErrorCode failure_of(const Trace& trace, const std::filesystem::path& file) {
  try {
    trace.write(file);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "written";
  return ErrorCode::Internal;
}

TEST_F(Traces, AFailingDiskLeavesWhatWasThere) {
  Trace trace;
  for (int i = 0; i < 5000; ++i) trace.add(event_at(i, 0.5, csr_host));
  EXPECT_EQ(failure_of(trace, "/dev/full"), ErrorCode::IoError);
  EXPECT_EQ(failure_of(trace, folder_ / "absent" / "trace.json"), ErrorCode::IoError);
  EXPECT_EQ(failure_of(trace, folder_), ErrorCode::IoError);

  const auto file = folder_ / "kept.json";
  std::ofstream(file) << "before";
  struct rlimit whole {};
  getrlimit(RLIMIT_FSIZE, &whole);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit little = whole;
  little.rlim_cur = 100'000;
  setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_EQ(failure_of(trace, file), ErrorCode::IoError);
  setrlimit(RLIMIT_FSIZE, &whole);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_all(file), "before");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace switchyard
