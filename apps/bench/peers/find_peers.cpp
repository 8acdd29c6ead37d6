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
    Entry{"librsb", PeerPlace::Host, &librsb_peer},
    Entry{"graphblas", PeerPlace::Host, &graphblas_peer},
    Entry{"mkl", PeerPlace::Host, &mkl_peer},
    Entry{"cublas", PeerPlace::Nvidia, &cublas_peer},
    Entry{"cusparse", PeerPlace::Nvidia, &cusparse_peer},
    Entry{"cudart", PeerPlace::Nvidia, &cudart_peer},
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
