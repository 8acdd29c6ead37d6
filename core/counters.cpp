// Adding counters, and writing them.
#include <fmt/format.h>

#include <switchyard/core/counters.hpp>
#include <switchyard/core/text.hpp>

namespace switchyard {
namespace {

std::string number_of(Index count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string size(Index bytes) { return " (" + format_bytes(static_cast<double>(bytes)) + ")"; }

}  // namespace

Counters& Counters::operator+=(const Counters& other) noexcept {
  calls += other.calls;
  switches += other.switches;
  decisions_planned += other.decisions_planned;
  decisions_remembered += other.decisions_remembered;
  conversions += other.conversions;
  converted_bytes += other.converted_bytes;
  transfers += other.transfers;
  transferred_bytes += other.transferred_bytes;
  vector_bytes += other.vector_bytes;
  switching_seconds += other.switching_seconds;
  maps += other.maps;
  row_folds += other.row_folds;
  folds += other.folds;
  device_failures += other.device_failures;
  completed_after_failure += other.completed_after_failure;
  return *this;
}

std::string counters_text(const Counters& counters) {
  std::string text = number_of(counters.calls, "call", "calls") +
                     fmt::format(" ({} planned, {} reused a plan), ", counters.decisions_planned,
                                 counters.decisions_remembered) +
                     number_of(counters.switches, "change", "changes") + " of state between calls";
  if (counters.conversions > 0) {
    text += ", " + number_of(counters.conversions, "conversion", "conversions") +
            size(counters.converted_bytes);
  }
  if (counters.transfers > 0) {
    text += ", " + number_of(counters.transfers, "transfer", "transfers") +
            size(counters.transferred_bytes);
  }
  if (counters.switching_seconds > 0) {
    text += ", " + format_seconds(counters.switching_seconds) + " spent on these";
  }
  if (counters.vector_bytes > 0) {
    text +=
        ", " + format_bytes(static_cast<double>(counters.vector_bytes)) + " of x and y transferred";
  }
  if (counters.maps > 0)
    text += ", " + number_of(counters.maps, "map", "maps") + " of the elements";
  if (counters.row_folds > 0)
    text += ", " + number_of(counters.row_folds, "fold", "folds") + " of the rows";
  if (counters.folds > 0)
    text += ", " + number_of(counters.folds, "fold", "folds") + " of all elements";
  if (counters.device_failures > 0) {
    text += fmt::format(", {}, {} completed on the host",
                        number_of(counters.device_failures, "device failure", "device failures"),
                        number_of(counters.completed_after_failure, "call", "calls"));
  }
  return text;
}

}  // namespace switchyard
