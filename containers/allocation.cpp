// Charging and freeing the memory behind arrays.
#include <switchyard/containers/allocation.hpp>
#include <utility>

namespace switchyard {

Allocation::Allocation(std::shared_ptr<MemorySpace> memory, std::size_t bytes)
    : memory_(std::move(memory)), start_(memory_->allocate(bytes)), bytes_(bytes) {}

Allocation::Allocation(std::shared_ptr<MemorySpace> memory, std::size_t bytes, void* start,
                       std::shared_ptr<void> owner) noexcept
    : memory_(std::move(memory)), owner_(std::move(owner)), start_(start), bytes_(bytes) {
  memory_->charge(bytes_);
}

Allocation::~Allocation() {
  if (owner_) {
    memory_->discharge(bytes_);
  } else {
    memory_->release(start_, bytes_);
  }
}

void Allocation::charge_to(std::shared_ptr<MemorySpace> memory) noexcept {
  memory_->discharge(bytes_);
  memory_ = std::move(memory);
  memory_->charge(bytes_);
}

void* Allocation::shrink(std::size_t bytes) {
  if (owner_) {
    memory_->discharge(bytes_ - bytes);
  } else {
    start_ = memory_->shrink(start_, bytes_, bytes);
  }
  bytes_ = bytes;
  return start_;
}

}  // namespace switchyard
