// Racing transfers against plain OpenCL and CUDA.
#include "transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <switchyard/containers/array.hpp>

#include "forms.hpp"
#include "opencl.hpp"

namespace switchyard::command::bench {
namespace {

using Words = Array<std::uint64_t>;

std::vector<std::size_t> sizes(const BenchOptions& options) {
  constexpr std::size_t kib = 1024;
  const std::size_t most = (options.quick ? 4 : options.thorough ? 1024 : 256) * kib * kib;
  std::vector<std::size_t> list;
  for (std::size_t bytes = 4 * kib; bytes <= most; bytes *= 4) list.push_back(bytes);
  return list;
}

/// A peer's allocation on the device.
struct PeerAllocation {
  const TransferPeer& peer;
  std::shared_ptr<void> memory;
  PeerAllocation(const TransferPeer& used, std::size_t bytes)
      : peer(used), memory(used.allocate(bytes), used.release) {}
};

/// Both directions, one size, one device. Memory on the host is ordinary: nothing has pinned it.
class TransferRace {
 public:
  TransferRace(Laboratory& lab, Executor& device, std::size_t bytes)
      : lab_(lab),
        device_(device),
        bytes_(bytes),
        here_(static_cast<Index>(bytes / sizeof(std::uint64_t))),
        back_(here_.size()),
        there_(here_.size(), device.memory()) {
    for (Index i = 0; i < here_.size(); ++i) here_[i] = static_cast<std::uint64_t>(i) * 0x9E3779B9U;
    if (!lab.options.peers) return;
    opencl_ = plain_opencl(device);
    for (const PeerLibrary& library : lab.peers) {
      for (const TransferPeer& peer : library.transfers) {
        if (same_place(PeerPlace::Nvidia, device)) allocations_.emplace_back(peer, bytes);
      }
    }
  }

  TransferCase up() {
    std::vector<Racer> racers{{"ours", [this] { ours_in(); }}};
    if (lab_.options.peers) racers.push_back({"clEnqueueWriteBuffer", [this] { plain_in(); }});
    for (const PeerAllocation& allocation : allocations_) {
      racers.push_back({allocation.peer.name, [&] {
                          allocation.peer.copy_in(allocation.memory.get(), here_.handle(), bytes_);
                        }});
    }
    return judged({.from = Space::host(), .to = device_.space(), .bytes = bytes_}, racers);
  }

  TransferCase down() {
    std::vector<Racer> racers{{"ours", [this] { ours_out(); }}};
    if (lab_.options.peers) racers.push_back({"clEnqueueReadBuffer", [this] { plain_out(); }});
    for (const PeerAllocation& allocation : allocations_) {
      racers.push_back({allocation.peer.name, [&] {
                          allocation.peer.copy_out(back_.handle(), allocation.memory.get(), bytes_);
                        }});
    }
    return judged({.from = device_.space(), .to = Space::host(), .bytes = bytes_}, racers);
  }

 private:
  void ours_in() {
    device_.memory()->copy_in(there_.handle(), 0, here_.handle(), bytes_);
    device_.finish();
  }
  void ours_out() { device_.memory()->copy_out(back_.handle(), there_.handle(), 0, bytes_); }
  void plain_in() {
    opencl_.queue.enqueueWriteBuffer(buffer_of(there_.handle()), CL_TRUE, 0, bytes_,
                                     here_.handle());
  }
  void plain_out() {
    opencl_.queue.enqueueReadBuffer(buffer_of(there_.handle()), CL_TRUE, 0, bytes_, back_.handle());
  }

  /// There and back again, each by ours.
  bool round_trip() {
    std::ranges::fill(back_.span(), 0);
    ours_in();
    ours_out();
    return std::memcmp(here_.handle(), back_.handle(), bytes_) == 0;
  }

  TransferCase judged(TransferCase entry, const std::vector<Racer>& racers) {
    entry.right = round_trip();
    const auto laps = race(racers, lab_.options.race());
    entry.failure = entry.right ? laps.front().failure : "the bytes are not the same";
    entry.seconds = laps.front().per_call();
    for (std::size_t k = 1; k < laps.size(); ++k) {
      if (!laps[k].failure.empty()) {
        lab_.notes.push_back(racers[k].name + " is left out: " + laps[k].failure);
      }
      entry.peers.add(racers[k].name, laps.front(), laps[k]);
    }
    if (!entry.failure.empty()) {
      lab_.failures.push_back(fmt::format("{} bytes from {} to {}: {}", bytes_,
                                          switchyard::name(entry.from), switchyard::name(entry.to),
                                          entry.failure));
    }
    return entry;
  }

  Laboratory& lab_;
  Executor& device_;
  std::size_t bytes_;
  Words here_;
  Words back_;
  Words there_;
  PlainOpenCl opencl_;
  std::vector<PeerAllocation> allocations_;
};

}  // namespace

std::vector<TransferCase> bench_transfers(Laboratory& lab) {
  std::vector<TransferCase> cases;
  const auto list = sizes(lab.options);
  for (const auto& executor : lab.runtime.executors()) {
    if (executor->space().is_host() || !lab.options.wants(executor->space())) continue;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (2 * list[i] > executor->memory()->available()) break;
      lab.show_progress(i, list.size(), "transfers to and from " + name(executor->space()));
      lab.attempt(name(executor->space()), [&] {
        TransferRace transfer(lab, *executor, list[i]);
        cases.push_back(transfer.up());
        cases.push_back(transfer.down());
      });
    }
  }
  return cases;
}

}  // namespace switchyard::command::bench
