// The fastest of everything on each matrix: our best state against the best peer in any format.
#include <fmt/format.h>

#include <algorithm>
#include <switchyard/core/plan.hpp>
#include <tuple>

#include "command/table.hpp"
#include "kernels.hpp"

namespace switchyard::command::bench {
namespace {

/// What is fastest on one matrix in one space. Times of different formats are from different races.
struct Best {
  const KernelCase* ours = nullptr;
  double floor_seconds = 0;  ///< of the format with the fewest bytes, at its bandwidth
  std::string peer = {};
  double peer_seconds = 0;

  [[nodiscard]] double ratio() const { return peer_seconds / ours->seconds; }
};

void count_in(Best& best, const KernelCase& entry) {
  if (!best.ours || entry.seconds < best.ours->seconds) best.ours = &entry;
  if (entry.bandwidth > 0) {
    const double floor = static_cast<double>(entry.bytes) / entry.bandwidth;
    if (best.floor_seconds == 0 || floor < best.floor_seconds) best.floor_seconds = floor;
  }
  for (const auto& [peer, seconds] : entry.peers.seconds) {
    if (best.peer_seconds > 0 && seconds >= best.peer_seconds) continue;
    best.peer_seconds = seconds;
    best.peer = peer;
  }
}

std::vector<Best> bests_of(const std::vector<KernelCase>& cases) {
  std::map<std::tuple<std::string, Precision, Space>, std::size_t> places;
  std::vector<Best> bests;
  for (const KernelCase& entry : cases) {
    if (entry.seconds <= 0) continue;
    const auto key = std::tuple(entry.matrix, entry.precision, entry.state.space);
    const auto [place, is_new] = places.try_emplace(key, bests.size());
    if (is_new) bests.emplace_back();
    count_in(bests[place->second], entry);
  }
  return bests;
}

}  // namespace

Json best_formats_json(const std::vector<KernelCase>& cases) {
  Json list = Json::array();
  for (const Best& best : bests_of(cases)) {
    list.push_back({{"matrix", best.ours->matrix},
                    {"precision", name(best.ours->precision)},
                    {"space", name(best.ours->state.space)},
                    {"state", name(best.ours->state)},
                    {"variant", best.ours->variant},
                    {"seconds", best.ours->seconds},
                    {"floor_seconds", number_or_null(best.floor_seconds)},
                    {"best_peer", text_or_null(best.peer)},
                    {"best_peer_seconds", number_or_null(best.peer_seconds)},
                    {"ratio_to_best_peer", number_or_null(best.ratio())}});
  }
  return list;
}

std::string best_formats_text(const std::vector<KernelCase>& cases) {
  Table table({{"matrix"},
               {"type"},
               {"best state"},
               {"variant"},
               {"time", Align::Right},
               {"% of limit", Align::Right},
               {"best peer"},
               {"speedup", Align::Right}});
  for (const Best& best : bests_of(cases)) {
    table.add({shortened(best.ours->matrix, 22), std::string(name(best.ours->precision)),
               name(best.ours->state), shortened(best.ours->variant, 14),
               format_seconds(best.ours->seconds),
               fmt::format("{:.0f}", 100 * best.floor_seconds / best.ours->seconds),
               shortened(best.peer, 14),
               best.peer_seconds > 0 ? fmt::format("{:.2f}", best.ratio()) : ""});
  }
  return table.text();
}

}  // namespace switchyard::command::bench
