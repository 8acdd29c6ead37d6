// The names of quantities.
#include <switchyard/containers/quantity.hpp>

namespace switchyard {
namespace {

constexpr std::array<std::string_view, quantity_count> quantity_names{
    "bytes",   "rows",   "cols",   "elements", "nonzeros", "gathered",
    "longest", "spread", "uneven", "stored",   "changes"};

}  // namespace

std::string_view name(Quantity quantity) noexcept {
  return quantity_names[static_cast<std::size_t>(quantity)];
}

}  // namespace switchyard
