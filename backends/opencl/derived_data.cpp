// Keeping derived data.
#include "derived_data.hpp"

namespace switchyard::opencl {

Derived* DerivedData::find(const void* source, DerivedKind kind) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find({source, kind});
  return found == entries_.end() ? nullptr : &found->second;
}

Derived& DerivedData::keep(const void* source, DerivedKind kind, Array<std::uint64_t> array,
                           const DerivedCounts& counts) {
  const std::lock_guard lock(mutex_);
  return entries_.try_emplace({source, kind}, std::move(array), counts).first->second;
}

void DerivedData::drop(const void* source) noexcept {
  for (const DerivedKind kind : derived_kinds) {
    // Released without the lock: a release comes back here, for what was derived from it.
    const auto dropped = [&] {
      const std::lock_guard lock(mutex_);
      return entries_.extract({source, kind});
    }();
  }
}

}  // namespace switchyard::opencl
