// Large blocks of the host's memory, kept for reuse when they are released.
#pragma once

#include <cstddef>

namespace switchyard {

/// Blocks are mapped by ourselves: malloc keeps some of what is freed and not the rest, which made
/// a conversion three times as slow above 32 MB as below it.
///
/// The size of the block for `bytes`: whole huge pages, rounded up by an eighth at most, so that
/// allocations of about the same size can follow each other. Pages that are not touched cost
/// nothing.
[[nodiscard]] std::size_t block_size(std::size_t bytes) noexcept;

/// A block of that size, aligned to huge pages: one released before, or fresh pages. Null where
/// there is no such memory. May be called from any thread, as may all of these.
///
/// Fresh pages cost the system an additional write of every byte, and more on virtual machines that
/// hand freed memory back to their host: a conversion into memory used before takes half to a third
/// of the time. The system may take the pages of kept blocks whenever it is short of memory, and no
/// more than an eighth of the machine's memory is kept.
[[nodiscard]] void* take_block(std::size_t size) noexcept;
void release_block(void* block, std::size_t size) noexcept;
/// From here on the block is used, and will be released, as one of size `to`. Small differences are
/// kept with it, for the next conversion that does not know how much it will need.
void shrink_block(void* block, std::size_t from, std::size_t to) noexcept;
/// Gives all blocks that are kept back to the system.
void drop_kept_blocks() noexcept;

}  // namespace switchyard
