// Making forms, and deciding which are worth it.
#include "forms.hpp"

#include "command/table.hpp"

namespace switchyard::command::bench {
namespace {

// A form that is mostly zeros tells nothing new once it is out of every cache.
constexpr double most_dense_bytes = 4.5e9;
constexpr double most_dense_bytes_quick = 6e8;

}  // namespace

template <Element T>
Forms<T>::Forms(Executor& host, Csr<T> csr) : host_(host), structure_(structure_of(csr)) {
  forms_.emplace(Format::Csr, std::move(csr));
}

template <Element T>
const Storage<T>& Forms<T>::in(Format format) {
  if (const auto found = forms_.find(format); found != forms_.end()) return found->second;
  for (const Format from : {Format::Csr, Format::Dense}) {
    const auto* const way = find_convert<T>(from, format, host_.backend());
    if (way) return forms_.emplace(format, way->run(host_, in(from))).first->second;
  }
  throw Error(ErrorCode::Unsupported, "the host cannot make this format",
              std::string(switchyard::name(format)));
}

std::string why_not_held(const Executor& executor, Format format, const Structure& structure,
                         Precision precision, const BenchOptions& options) {
  const std::string_view obstacle = obstacle_to(format, structure);
  if (!obstacle.empty()) return std::string(obstacle);
  const double bytes = bytes_in(format, structure, size_of(precision));
  const double vectors =
      static_cast<double>((structure.rows + structure.cols) * size_of(precision));
  const bool wasteful = bytes > (options.quick ? most_dense_bytes_quick : most_dense_bytes) &&
                        bytes > 4 * bytes_in(Format::Csr, structure, size_of(precision));
  if (wasteful) return "its " + format_bytes(bytes) + " would be mostly zeros";
  // Half is left for the array that bandwidth is measured on, and for what kernels use besides.
  if (bytes + vectors > static_cast<double>(executor.memory()->available()) / 2 ||
      bytes > static_cast<double>(executor.facts().largest_allocation)) {
    return "its " + format_bytes(bytes) + " do not fit";
  }
  return {};
}

bool same_place(PeerPlace place, const Executor& executor) {
  if (executor.space().is_host()) return place == PeerPlace::Host;
  return place == PeerPlace::Nvidia && executor.facts().vendor.starts_with("NVIDIA");
}

template class Forms<float>;
template class Forms<double>;

}  // namespace switchyard::command::bench
