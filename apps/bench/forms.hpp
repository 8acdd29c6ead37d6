// One matrix on the host in whatever formats are asked for, and what its products must be.
#pragma once

#include <map>
#include <switchyard/backends/operations.hpp>
#include <switchyard/backends/reference.hpp>

#include "matrices.hpp"

namespace switchyard::command::bench {

/// Made from CSR by the library's own conversions when first asked for, and kept.
template <Element T>
class Forms {
 public:
  Forms(Executor& host, Csr<T> csr);

  [[nodiscard]] const Csr<T>& csr() const { return std::get<Csr<T>>(forms_.at(Format::Csr)); }
  [[nodiscard]] const Structure& structure() const noexcept { return structure_; }
  /// Throws `Error(Unsupported)` where the host cannot make that format.
  [[nodiscard]] const Storage<T>& in(Format format);

 private:
  Executor& host_;
  std::map<Format, Storage<T>> forms_;
  Structure structure_;
};

/// Why a matrix cannot or need not be held in a state; empty where it can.
[[nodiscard]] std::string why_not_held(const Executor& executor, Format format,
                                       const Structure& structure, Precision precision,
                                       const BenchOptions& options);

/// Whether a peer of that place computes where the executor does.
[[nodiscard]] bool same_place(PeerPlace place, const Executor& executor);

}  // namespace switchyard::command::bench
