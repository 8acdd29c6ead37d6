// Other libraries, found at run time: what each can do, and how it is asked to do it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/request.hpp>
#include <vector>

namespace switchyard::command::bench {

/// Where a peer computes.
enum class PeerPlace { Host, Nvidia };

/// A product to be made: the matrix on the host, in the formats that are there.
template <Element T>
struct PeerProblem {
  const Csr<T>& csr;
  const Dense<T>* dense = nullptr;  ///< null where nobody made it
  std::span<const T> x;
  Request request = {};  ///< x and y have its columns, row-major

  [[nodiscard]] bool transposed() const { return request.operand == Operand::Transpose; }
  [[nodiscard]] std::size_t y_size() const {
    return static_cast<std::size_t>(switchyard::y_size(request, csr.rows, csr.cols));
  }
};

/// A product prepared: the same again and again. Everything but the product itself has been done:
/// analysis, and copies to where the peer computes.
template <Element T>
struct PeerProduct {
  std::function<void()> call;
  std::function<void()> settle = [] {};
  std::function<void(std::span<T> y)> fetch;  ///< copies the last result
};

/// Prepares it. The problem outlives the product. Throws `Error` where the peer cannot.
template <Element T>
using Prepare = PeerProduct<T> (*)(const PeerProblem<T>& problem);

/// How many columns of x and y a way of another library takes.
enum class PeerColumns { One, Many, Any };

/// One way of another library to make a product.
struct Peer {
  std::string name;
  Format format;
  PeerPlace place;
  Prepare<float> prepare_float;
  Prepare<double> prepare_double;
  PeerColumns columns = PeerColumns::One;
  bool transposes = false;  ///< whether it multiplies with the transpose, too

  [[nodiscard]] bool computes(const Request& request) const {
    if (request.operand == Operand::Transpose && !transposes) return false;
    return columns == PeerColumns::Any || (columns == PeerColumns::Many) == (request.columns > 1);
  }

  template <Element T>
  [[nodiscard]] PeerProduct<T> prepare(const PeerProblem<T>& problem) const {
    if constexpr (std::same_as<T, float>) return prepare_float(problem);
    if constexpr (std::same_as<T, double>) return prepare_double(problem);
  }
};

/// A conversion prepared: the same again and again, into memory that is there already or is
/// allocated by each call, as the library does it.
template <Element T>
struct PeerConversion {
  std::function<void()> call;
  std::function<void()> settle = [] {};
  std::function<Storage<T>()> fetch;  ///< the last result, on the host
};

template <Element T>
using PrepareConversion = PeerConversion<T> (*)(const Storage<T>& matrix);

/// One way of another library to convert.
struct ConversionPeer {
  std::string name;
  Format from;
  Format to;
  PeerPlace place;
  PrepareConversion<float> prepare_float;
  PrepareConversion<double> prepare_double;

  template <Element T>
  [[nodiscard]] PeerConversion<T> prepare(const Storage<T>& matrix) const {
    if constexpr (std::same_as<T, float>) return prepare_float(matrix);
    if constexpr (std::same_as<T, double>) return prepare_double(matrix);
  }
};

/// Copies between the host and a device, returning when they are done.
struct TransferPeer {
  std::string name;
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* allocation);
  void (*copy_in)(void* allocation, const void* source, std::size_t bytes);
  void (*copy_out)(void* destination, const void* allocation, std::size_t bytes);
};

/// What one library brings.
struct PeerLibrary {
  std::string name;
  std::string version = {};
  std::string remark = {};  ///< what is left out of the timing, or why the library is not there
  std::vector<Peer> products = {};
  std::vector<ConversionPeer> conversions = {};
  std::vector<TransferPeer> transfers = {};
};

using PeerTable = std::vector<PeerLibrary>;

// One for each library. Throws `Error` where it is not on this machine.
[[nodiscard]] PeerLibrary textbook_peer();
[[nodiscard]] PeerLibrary eigen_peer();
[[nodiscard]] PeerLibrary openblas_peer();
[[nodiscard]] PeerLibrary blis_peer();
[[nodiscard]] PeerLibrary librsb_peer();
[[nodiscard]] PeerLibrary graphblas_peer();
[[nodiscard]] PeerLibrary mkl_peer();
[[nodiscard]] PeerLibrary cublas_peer();
[[nodiscard]] PeerLibrary cusparse_peer();
[[nodiscard]] PeerLibrary cudart_peer();

/// Every library, those that are not here with a remark that says so.
[[nodiscard]] PeerTable find_peers(bool on_nvidia);

}  // namespace switchyard::command::bench
