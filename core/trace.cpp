// Collecting events, and writing them in the trace-event format.
#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/output_file.hpp>
#include <switchyard/core/trace.hpp>
#include <switchyard/core/version.hpp>

namespace switchyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr int process = 1;
// Tracks of one space: products of several threads at once must not share one.
constexpr int lanes = 64;
constexpr std::size_t written_at_once = 1 << 16;

double microseconds(TraceEvent::Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

TraceEvent::Clock::time_point end_of(const TraceEvent& event) {
  return event.start + std::chrono::duration_cast<TraceEvent::Clock::duration>(
                           std::chrono::duration<double>(event.seconds));
}

std::string title(const TraceEvent& event) {
  switch (event.kind) {
    case TraceEvent::Kind::Decision:
      return "decision: " + name(event.to);
    case TraceEvent::Kind::Convert:
      return "convert " + name(event.from) + " -> " + name(event.to);
    case TraceEvent::Kind::Transfer:
      return "transfer " + name(event.from) + " -> " + name(event.to);
    case TraceEvent::Kind::Map:
      return "map " + name(event.to);
    case TraceEvent::Kind::MapRows:
      return "map_rows " + name(event.to);
    case TraceEvent::Kind::Reduce:
      return "reduce " + name(event.to);
    case TraceEvent::Kind::Multiply:
      break;
  }
  return "multiply " + name(event.to);
}

Json common(const char* phase, const std::string& title, int track, double start) {
  return {{"name", title},  {"cat", "switchyard"}, {"ph", phase},
          {"pid", process}, {"tid", track},        {"ts", start}};
}

Json arguments(const TraceEvent& event) {
  if (event.kind == TraceEvent::Kind::Decision) {
    return {{"plan", event.words},
            {"reason", name(event.reason)},
            {"products", event.calls},
            {"predicted_seconds", event.predicted_seconds}};
  }
  Json json{{"predicted_seconds", event.predicted_seconds},
            {"measured_seconds", event.seconds},
            {"bytes", event.bytes},
            {"reason", name(event.reason)}};
  if (event.kind != TraceEvent::Kind::Multiply) return json;
  json["variant"] = event.variant;
  json["calls"] = event.calls;
  if (event.lost_seconds > 0) json["lost_seconds"] = event.lost_seconds;
  return json;
}

/// The document, written piece by piece: no more than a piece of it is ever in memory.
class Document {
 public:
  Document(const std::filesystem::path& file, TraceEvent::Clock::time_point begin)
      : file_(file), begin_(begin) {}

  void open() { text_ = R"({"displayTimeUnit":"ms","traceEvents":[)"; }

  void add_event(const TraceEvent& event) {
    const double start = microseconds(event.start - begin_);
    const bool decision = event.kind == TraceEvent::Kind::Decision;
    const int track = track_of(event);
    Json json = common(decision ? "i" : "X", title(event), track, start);
    if (decision) {
      json["s"] = "t";
    } else {
      json["dur"] = 1e6 * event.seconds;
    }
    json["args"] = arguments(event);
    add(json);
    if (event.vector_seconds <= 0 || event.calls != 1) return;
    Json journey = common("X", "x and y", track, start);
    journey["dur"] = 1e6 * std::min(event.vector_seconds, event.seconds);
    add(journey);
  }

  void close(std::size_t left_out) {
    Json process_name = common("M", "process_name", 0, 0);
    process_name["args"] = {{"name", "switchyard"}};
    add(process_name);
    for (std::size_t track = 0; track < tracks_.size(); ++track) {
      if (!tracks_[track].used) continue;
      const auto number = static_cast<int>(track);
      const int index = number / lanes;
      const int lane = number % lanes;
      Json thread_name = common("M", "thread_name", number, 0);
      thread_name["args"] = {{"name", name(index == 0 ? Space::host() : Space::device(index - 1)) +
                                          (lane > 0 ? " (" + std::to_string(lane + 1) + ")" : "")}};
      add(thread_name);
    }
    text_ += R"(],"otherData":)" +
             Json{{"version", library_version}, {"events_left_out", left_out}}.dump() + "}\n";
    file_.write(text_);
    file_.commit();
  }

 private:
  void add(const Json& json) {
    if (!first_) text_ += ",\n";
    first_ = false;
    text_ += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text_.size() < written_at_once) return;
    file_.write(text_);
    text_.clear();
  }

  /// The first track of the event's space that is free when it starts; a decision takes no time.
  /// REQUIRES: events in the order of their start.
  int track_of(const TraceEvent& event) {
    const auto first = static_cast<std::size_t>(event.to.space.index() * lanes);
    if (first + lanes > tracks_.size()) tracks_.resize(first + lanes);
    std::size_t lane = 0;
    if (event.kind != TraceEvent::Kind::Decision) {
      while (lane + 1 < lanes && tracks_[first + lane].busy_until > event.start) ++lane;
      tracks_[first + lane].busy_until = end_of(event);
    }
    tracks_[first + lane].used = true;
    return static_cast<int>(first + lane);
  }

  struct Track {
    TraceEvent::Clock::time_point busy_until = {};
    bool used = false;
  };

  OutputFile file_;
  const TraceEvent::Clock::time_point begin_;
  std::string text_;
  bool first_ = true;
  std::vector<Track> tracks_;
};

}  // namespace

bool Trace::joins_last(const TraceEvent& event) const {
  // Across what was left out nothing is joined: it would stand in between.
  if (event.kind != TraceEvent::Kind::Multiply || events_.empty() || left_out_ > 0) return false;
  const TraceEvent& last = events_.back();
  return events_.size() >= most_events_ - most_events_ / 4 &&
         last.kind == TraceEvent::Kind::Multiply && last.to == event.to &&
         last.variant == event.variant && last.start <= event.start;
}

void Trace::join_last(const TraceEvent& event) {
  TraceEvent& last = events_.back();
  last.seconds =
      std::max(last.seconds, std::chrono::duration<double>(end_of(event) - last.start).count());
  last.vector_seconds += event.vector_seconds;
  last.lost_seconds += event.lost_seconds;
  last.calls += event.calls;
  last.predicted_seconds += event.predicted_seconds;
  last.bytes += event.bytes;
}

void Trace::add(TraceEvent event) noexcept {
  const std::lock_guard lock(mutex_);
  if (joins_last(event)) return join_last(event);
  if (events_.size() >= most_events_) {
    ++left_out_;
    return;
  }
  try {
    events_.push_back(std::move(event));
  } catch (const std::bad_alloc&) {
    ++left_out_;
  }
}

std::vector<TraceEvent> Trace::events() const {
  return with_enough_memory([&] {
    const std::lock_guard lock(mutex_);
    return events_;
  });
}

std::size_t Trace::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

void Trace::write(const std::filesystem::path& file) const {
  with_enough_memory([&] {
    Document document(file, begin_);
    document.open();
    std::vector<TraceEvent> sorted = events();
    std::ranges::stable_sort(sorted, {}, &TraceEvent::start);
    for (const TraceEvent& event : sorted) document.add_event(event);
    document.close(left_out());
  });
}

}  // namespace switchyard
