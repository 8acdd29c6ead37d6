// Collecting the peers' times.
#include "peer_times.hpp"

#include <fmt/format.h>

namespace switchyard::command::bench {

void PeerTimes::add(const std::string& peer, const Laps& mine, const Laps& theirs) {
  if (mine.seconds.empty() || theirs.seconds.empty()) return;
  seconds[peer] = theirs.per_call();
  const double speed = speedup(mine, theirs);
  if (ratio > 0 && speed >= ratio) return;
  ratio = speed;
  best = peer;
}

void add_peers(Json& json, const PeerTimes& peers) {
  json["peers"] = peers.seconds;
  json["best_peer"] = text_or_null(peers.best);
  json["ratio_to_best_peer"] = number_or_null(peers.ratio);
}

Json number_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string ratio_text(const PeerTimes& peers) {
  return peers.ratio > 0 ? fmt::format("{:.2f}", peers.ratio) : "";
}

}  // namespace switchyard::command::bench
