// The table of conversions.
#include <fmt/format.h>

#include <switchyard/core/plan.hpp>

#include "command/table.hpp"
#include "conversions.hpp"

namespace switchyard::command::bench {
namespace {

Json case_json(const ConversionCase& entry, bool with_peers) {
  Json json{{"matrix", entry.matrix},
            {"density", entry.density},
            {"precision", name(entry.precision)},
            {"space", name(entry.space)},
            {"from", name(State{entry.space, entry.from})},
            {"to", name(State{entry.space, entry.to})},
            {"seconds", number_or_null(entry.seconds)},
            {"bytes", entry.bytes},
            {"dense_read_seconds", number_or_null(entry.dense_read_seconds)},
            {"dense_reads", number_or_null(entry.dense_reads)},
            {"verified", entry.right},
            {"failure", text_or_null(entry.failure)}};
  if (with_peers) add_peers(json, entry.peers);
  return json;
}

}  // namespace

Json conversions_json(const std::vector<ConversionCase>& cases, bool with_peers) {
  Json list = Json::array();
  for (const ConversionCase& entry : cases) list.push_back(case_json(entry, with_peers));
  return list;
}

std::string conversions_text(const std::vector<ConversionCase>& cases) {
  Table table({{"matrix"},
               {"type"},
               {"space"},
               {"from"},
               {"to"},
               {"time", Align::Right},
               {"GB/s", Align::Right},
               {"dense reads", Align::Right},
               {"best peer"},
               {"speedup", Align::Right}});
  for (const ConversionCase& entry : cases) {
    const bool timed = entry.seconds > 0;
    table.add(
        {entry.matrix, std::string(name(entry.precision)), name(entry.space),
         std::string(name(entry.from)), std::string(name(entry.to)),
         timed ? format_seconds(entry.seconds) : "failed",
         timed ? fmt::format("{:.1f}", static_cast<double>(entry.bytes) / entry.seconds / 1e9) : "",
         entry.dense_reads > 0 ? fmt::format("{:.2f}", entry.dense_reads) : "", entry.peers.best,
         ratio_text(entry.peers)});
  }
  return table.text() +
         "\ndense reads: the time over that of reading the dense matrix at peak bandwidth. "
         "speedup: over the\nbest peer.\n";
}

}  // namespace switchyard::command::bench
