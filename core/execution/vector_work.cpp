// Where work on vectors is done, and what a failure there means.
#include "execution/vector_work.hpp"

#include <bit>
#include <switchyard/containers/log.hpp>

namespace switchyard {

void check_size(Index size, Index expected) {
  if (size == expected) return;
  throw Error(ErrorCode::DimensionMismatch, "vectors of " + std::to_string(expected) + " and " +
                                                std::to_string(size) +
                                                " elements do not go together");
}

Space place_for(const Runtime& runtime, std::span<const std::uint64_t> operands) {
  const std::size_t spaces = runtime.executors().size();
  const std::optional<Space> products = runtime.last_product_space();
  if (spaces == 1) return Space::host();
  constexpr std::uint64_t host = 1;
  const std::uint64_t devices = ((std::uint64_t{1} << spaces) - 1) & ~host;
  const auto first_of = [](std::uint64_t mask) {
    return Space::device(std::countr_zero(mask) - 1);
  };
  std::uint64_t common = devices | host;
  for (const std::uint64_t valid : operands) common &= valid;
  if (products && (common >> products->index() & 1)) return *products;
  if (common & devices) return first_of(common & devices);
  if (common != 0) return Space::host();
  if (products) return *products;
  for (const std::uint64_t valid : operands) {
    if ((valid & host) == 0 && (valid & devices) != 0) return first_of(valid & devices);
  }
  return Space::host();
}

void note_failure(const Runtime& runtime, Executor& device, const Error& error) {
  if (device_has_failed(error)) return runtime.set_aside(device.space(), error.what());
  log(LogLevel::Warning,
      "an operation on vectors is done on the host: " + std::string(error.what()));
}

}  // namespace switchyard
