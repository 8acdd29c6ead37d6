// How the other libraries did in one race, beside us.
#pragma once

#include <map>
#include <string>

#include "command/output.hpp"
#include "race.hpp"

namespace switchyard::command::bench {

/// The seconds of each, and which of them we have to beat.
struct PeerTimes {
  std::map<std::string, double> seconds = {};
  std::string best = {};
  double ratio = 0;  ///< how many times as fast as the best we are, paired; 0 without peers

  void add(const std::string& peer, const Laps& mine, const Laps& theirs);
};

/// `peers`, `best_peer`, `ratio_to_best_peer` into a case's object.
void add_peers(Json& json, const PeerTimes& peers);

/// A positive number, else null.
[[nodiscard]] Json number_or_null(double value);
/// A text, or null where it is empty.
[[nodiscard]] Json text_or_null(const std::string& text);
/// "1.15", or nothing where there were no peers.
[[nodiscard]] std::string ratio_text(const PeerTimes& peers);

}  // namespace switchyard::command::bench
