// An allocator that fails on command, in the place of operator new and of aligned_alloc.
#pragma once

namespace switchyard::testing {

/// What becomes of the allocations after the one that fails.
enum class Failing { Once, ForEver };

/// From now on the allocation number `nth`, from 0, fails, in whichever thread it is; with
/// `ForEver` all that follow fail too.
void fail_allocation(long nth, Failing failing) noexcept;
/// No allocation fails from now on. Returns how many have failed since `fail_allocation`.
long stop_failing() noexcept;
/// Blocks from operator new that have not been deleted.
[[nodiscard]] long live_allocations() noexcept;

}  // namespace switchyard::testing
