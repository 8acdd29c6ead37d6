// The table of other libraries.
#include <array>

#include "peer.hpp"

namespace switchyard::command::bench {
namespace {

struct Entry {
  const char* name;
  PeerPlace place;
  PeerLibrary (*find)();
};

// MKL last on the host: it makes its functions visible to all that is loaded after it.
constexpr std::array entries{
    Entry{"textbook", PeerPlace::Host, &textbook_peer},
    Entry{"eigen", PeerPlace::Host, &eigen_peer},
    Entry{"openblas", PeerPlace::Host, &openblas_peer},
    Entry{"blis", PeerPlace::Host, &blis_peer},
};

}  // namespace

PeerTable find_peers(bool on_nvidia) {
  PeerTable table;
  for (const Entry& entry : entries) {
    if (entry.place == PeerPlace::Nvidia && !on_nvidia) continue;
    try {
      table.push_back(entry.find());
    } catch (const Error& error) {
      table.push_back({.name = entry.name, .remark = error.what()});
    }
  }
  return table;
}

}  // namespace switchyard::command::bench
