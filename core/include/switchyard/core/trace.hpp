// What a runtime did and when, for a timeline: chrome://tracing, Perfetto and the like show it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// A step of a matrix as it was done, or a decision.
struct TraceEvent {
  /// Goes on steadily.
  using Clock = std::chrono::steady_clock;

  /// What happened.
  enum class Kind { Decision, Convert, Transfer, Multiply };
  Kind kind = Kind::Multiply;               ///< what happened
  Clock::time_point start;                  ///< when it began
  double seconds = 0;                       ///< 0 for a decision
  double vector_seconds = 0;                ///< of a multiply: until x and y were where it ran
  State from;                               ///< where the matrix was
  State to;                                 ///< where it then was too, or was multiplied
  std::string_view variant = {};            ///< of a multiply; has to outlive the trace
  Index calls = 1;                          ///< products in one event
  double predicted_seconds = 0;             ///< of a decision: of the whole plan
  double bytes = 0;                         ///< as in a `Step`
  std::string words = {};                   ///< of a decision: `plan_line`
  Grounds grounds = Grounds::ShortestPath;  ///< why
};

/// Collects what the runtimes that are given it do (`RuntimeOptions::trace`). While they do, every
/// product is waited for and timed: for looking, not for speed. May be used from any thread.
///
/// Memory is bounded: after three quarters of `most_events`, products one after another in the same
/// state become one event; what no longer fits then is counted and left out.
class Trace {
 public:
  /// An empty trace; its times count from now.
  explicit Trace(std::size_t most_events = 100'000) : most_events_(most_events) {}

  /// Notes it, or counts it as left out where there is no memory for it.
  void add(TraceEvent event) noexcept;
  /// In the order in which they ended.
  [[nodiscard]] std::vector<TraceEvent> events() const;
  /// Events that there was no room for.
  [[nodiscard]] std::size_t left_out() const;

  /// Writes the events as a document of the trace-event format: a track for each space (and one
  /// more where products in one space ran at the same time), times in microseconds from the trace's
  /// making. The file is written aside and put in place when it is complete. Throws
  /// `Error(IoError)`; what stood under that name is then as it was.
  void write(const std::filesystem::path& file) const;

 private:
  [[nodiscard]] bool joins_last(const TraceEvent& event) const;
  void join_last(const TraceEvent& event);

  const TraceEvent::Clock::time_point begin_ = TraceEvent::Clock::now();
  const std::size_t most_events_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<TraceEvent> events_;
  std::size_t left_out_ = 0;
};

}  // namespace switchyard
