// The table of transfers.
#include <fmt/format.h>

#include <switchyard/core/plan.hpp>

#include "command/table.hpp"
#include "transfers.hpp"

namespace switchyard::command::bench {
namespace {

double rate(const TransferCase& entry) { return static_cast<double>(entry.bytes) / entry.seconds; }

}  // namespace

Json transfers_json(const std::vector<TransferCase>& cases, bool with_peers) {
  Json list = Json::array();
  for (const TransferCase& entry : cases) {
    const bool timed = entry.seconds > 0;
    Json json{{"from", name(entry.from)},
              {"to", name(entry.to)},
              {"bytes", entry.bytes},
              {"seconds", timed ? Json(entry.seconds) : Json(nullptr)},
              {"bytes_per_second", timed ? Json(rate(entry)) : Json(nullptr)},
              {"verified", entry.right},
              {"failure", text_or_null(entry.failure)}};
    if (with_peers) add_peers(json, entry.peers);
    list.push_back(std::move(json));
  }
  return list;
}

std::string transfers_text(const std::vector<TransferCase>& cases) {
  Table table({{"from"},
               {"to"},
               {"bytes", Align::Right},
               {"time", Align::Right},
               {"GB/s", Align::Right},
               {"best peer"},
               {"speedup", Align::Right}});
  for (const TransferCase& entry : cases) {
    const bool timed = entry.seconds > 0;
    table.add({name(entry.from), name(entry.to), format_bytes(static_cast<double>(entry.bytes)),
               timed ? format_seconds(entry.seconds) : "failed",
               timed ? fmt::format("{:.2f}", rate(entry) / 1e9) : "", entry.peers.best,
               ratio_text(entry.peers)});
  }
  return table.text();
}

}  // namespace switchyard::command::bench
