// `bench transfers`: between the host's ordinary memory and each device.
#pragma once

#include <string>
#include <vector>

#include "command/output.hpp"
#include "options.hpp"
#include "peer_times.hpp"

namespace switchyard::command::bench {

/// Copies of one size in one direction, measured.
struct TransferCase {
  Space from;
  Space to;
  std::size_t bytes = 0;
  double seconds = 0;  ///< until the bytes are there; 0 where it failed
  bool right = false;
  PeerTimes peers = {};
  std::string failure = {};
};

[[nodiscard]] std::vector<TransferCase> bench_transfers(Laboratory& lab);

[[nodiscard]] Json transfers_json(const std::vector<TransferCase>& cases, bool with_peers);
[[nodiscard]] std::string transfers_text(const std::vector<TransferCase>& cases);

}  // namespace switchyard::command::bench
