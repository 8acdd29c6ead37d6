// A timeline of what a runtime did, for chrome://tracing, Perfetto and similar viewers.
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

/// A step that was executed, or a decision.
struct TraceEvent {
  /// A steady clock.
  using Clock = std::chrono::steady_clock;

  /// What happened.
  enum class Kind { Decision, Convert, Transfer, Multiply, Map, MapRows, Reduce };
  Kind kind = Kind::Multiply;            ///< what happened
  Clock::time_point start;               ///< when it began
  double seconds = 0;                    ///< 0 for a decision
  double vector_seconds = 0;             ///< of a multiply: transfers of x and y
  double lost_seconds = 0;               ///< of a multiply: what other programs have cost
  State from;                            ///< where the matrix was
  State to;                              ///< the new state, or the state that computed
  std::string_view variant = {};         ///< of a multiply; must outlive the trace
  Index calls = 1;                       ///< calls in one event
  double predicted_seconds = 0;          ///< of a decision: the whole plan
  double bytes = 0;                      ///< as in a `Step`
  std::string words = {};                ///< of a decision: `plan_line`
  Reason reason = Reason::ShortestPath;  ///< of a decision: its reason
};

/// Records the events of the runtimes that share it (`RuntimeOptions::trace`). Every call is then
/// waited for and timed, so a trace is for inspection, not for timing. Threads: all members may be
/// called from any thread.
///
/// Memory is bounded. After three quarters of `most_events`, consecutive calls in the same state
/// become one event. Events that do not fit are counted and left out.
class Trace {
 public:
  /// An empty trace. Its times are relative to now.
  explicit Trace(std::size_t most_events = 100'000) : most_events_(most_events) {}

  /// Adds an event, or counts it as left out if memory is short.
  void add(TraceEvent event) noexcept;
  /// The events, in the order in which they ended.
  [[nodiscard]] std::vector<TraceEvent> events() const;
  /// The number of events that did not fit.
  [[nodiscard]] std::size_t left_out() const;

  /// Writes the events as a document of the trace-event format. Each space has a track, and another
  /// one for calls that ran at the same time. Times are in microseconds since the trace was made.
  /// Throws `Error(IoError)`, and an old file is then unchanged: the new one is written aside and
  /// renamed.
  void write(const std::filesystem::path& file) const;

 private:
  [[nodiscard]] bool joins_last(const TraceEvent& event) const;
  void join_last(const TraceEvent& event);

  const TraceEvent::Clock::time_point begin_ = TraceEvent::Clock::now();
  const std::size_t most_events_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<TraceEvent> events_;
  std::size_t left_out_ = 0;
};

}  // namespace switchyard
