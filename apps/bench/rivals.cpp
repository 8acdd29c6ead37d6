// Choosing and preparing peers.
#include "rivals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace switchyard::command::bench {
namespace {

std::vector<const Peer*> peers_for(const Laboratory& lab, const Executor& executor, Format format) {
  std::vector<const Peer*> all;
  std::vector<const Peer*> same_format;
  for (const PeerLibrary& library : lab.peers) {
    for (const Peer& peer : library.products) {
      if (!same_place(peer.place, executor)) continue;
      if (!peer.computes(lab.options.request)) continue;
      all.push_back(&peer);
      if (peer.format == format) same_format.push_back(&peer);
    }
  }
  return same_format.empty() ? all : same_format;
}

/// The peer's product, made once and found right. Throws `Error` where it is not.
template <Element T>
PeerProduct<T> prepared(const Peer& peer, RaceMatrix<T>& matrix, const Request& request) {
  PeerProblem<T> problem{.csr = matrix.forms.csr(), .x = matrix.x, .request = request};
  if (peer.format == Format::Dense) {
    problem.dense = &std::get<Dense<T>>(matrix.forms.in(Format::Dense));
  }
  PeerProduct<T> product = peer.prepare<T>(problem);
  product.call();
  product.settle();
  std::vector<T> y(matrix.expected.size());
  product.fetch(y);
  const double error = worst_error<T>(matrix.expected, std::span<const T>(y));
  if (error <= 1) return product;
  throw Error(ErrorCode::Internal,
              fmt::format("wrong: an error of {:.3g} times what rounding allows", error));
}

}  // namespace

template <Element T>
std::vector<Rival<T>> rivals_for(Laboratory& lab, RaceMatrix<T>& matrix, const Executor& executor,
                                 Format format) {
  std::vector<Rival<T>> rivals;
  for (const Peer* const peer : peers_for(lab, executor, format)) {
    try {
      PeerProduct<T> product = prepared(*peer, matrix, lab.options.request);
      const bool known = std::ranges::find(rivals, peer->name, &Rival<T>::name) != rivals.end();
      const std::string format_name(name(peer->format));
      rivals.push_back({known ? peer->name + "/" + format_name : peer->name, std::move(product)});
    } catch (const std::exception& error) {
      lab.notes.push_back(fmt::format("{} is left out on {} ({}, {}): {}", peer->name,
                                      matrix.subject.name, name(State{executor.space(), format}),
                                      name(precision_of<T>), error.what()));
    }
  }
  return rivals;
}

template std::vector<Rival<float>> rivals_for(Laboratory&, RaceMatrix<float>&, const Executor&,
                                              Format);
template std::vector<Rival<double>> rivals_for(Laboratory&, RaceMatrix<double>&, const Executor&,
                                               Format);

}  // namespace switchyard::command::bench
