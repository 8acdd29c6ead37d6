// The valid copies of one matrix, and which of them a running call holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <switchyard/containers/formats.hpp>
#include <utility>
#include <vector>

namespace switchyard {

/// The arrays of one copy, shared by the set and by the decisions to use it.
template <Element T>
struct StoredCopy {
  StoredCopy(Storage<T> arrays, std::uint64_t now) : storage(std::move(arrays)), last_used(now) {}
  Storage<T> storage;
  std::uint64_t last_used = 0;
  Index calls_begun = 0;               ///< on it; not synchronised
  std::atomic<Index> calls_beside{0};  ///< begun by any thread beside others
  std::atomic<Index> calls_ended{0};   ///< by any thread

  /// Whether a call is running on it. Where none is, everything that calls have read is read.
  [[nodiscard]] bool in_use() const noexcept {
    const Index ended = calls_ended.load(std::memory_order_acquire);
    return ended != calls_begun + calls_beside.load();
  }
};

/// Marks a copy as in use by a running call: for as long as the mark lives, the arrays are not
/// changed, whatever becomes of the set. May be taken back by any thread.
template <Element T>
class CopyInUse {
 public:
  /// REQUIRES: somebody shares in `copy` for as long as the mark lives, and that no other thread
  /// uses the set meanwhile.
  explicit CopyInUse(StoredCopy<T>& copy) noexcept : copy_(&copy) { ++copy.calls_begun; }
  /// The same from any thread, while another may use the set. REQUIRES: the set, or a decision to
  /// use the copy, keeps it until this has returned.
  [[nodiscard]] static CopyInUse beside_others(StoredCopy<T>& copy) noexcept {
    copy.calls_beside.fetch_add(1);
    return CopyInUse(&copy);
  }
  CopyInUse(CopyInUse&& other) noexcept : copy_(std::exchange(other.copy_, nullptr)) {}
  CopyInUse& operator=(CopyInUse&&) = delete;
  ~CopyInUse() {
    if (copy_) copy_->calls_ended.fetch_add(1, std::memory_order_release);
  }

 private:
  explicit CopyInUse(StoredCopy<T>* copy) noexcept : copy_(copy) {}

  StoredCopy<T>* copy_;
};

/// One valid copy.
template <Element T>
struct MatrixCopy {
  State state;
  std::shared_ptr<StoredCopy<T>> copy;

  [[nodiscard]] const Storage<T>& storage() const noexcept { return copy->storage; }
};

/// At most one copy a state, ascending by state; none only after a device was lost. Not
/// synchronised.
template <Element T>
class Copies {
 public:
  /// While it lives, the copies in two states are needed and cannot be spared. One at a time.
  class Needed {
   public:
    Needed(Copies& copies, State from, State to) : copies_(copies) { copies_.needed_ = {from, to}; }
    ~Needed() { copies_.needed_.clear(); }
    Needed(const Needed&) = delete;
    Needed& operator=(const Needed&) = delete;

   private:
    Copies& copies_;
  };

  /// Replaces everything by one copy. Throws std::bad_alloc; nothing is changed then.
  void reset(State state, Storage<T> storage);
  /// Adds a copy that is used at `now`. REQUIRES: none in that state.
  void add(State state, Storage<T> storage, std::uint64_t now);

  /// The states that hold a copy, ascending.
  [[nodiscard]] std::vector<State> states() const;
  /// Whether there is no copy left.
  [[nodiscard]] bool empty() const noexcept { return copies_.empty(); }
  /// Whether there is a copy in a space other than that one.
  [[nodiscard]] bool has_outside(Space space) const noexcept;
  /// The copy in `state`, or null.
  [[nodiscard]] MatrixCopy<T>* find(State state) noexcept;

  /// Drops all copies but the one in `state` and returns its arrays, whose values may be changed.
  /// Where a call is still running on them, or any of them is borrowed memory, which may be
  /// read-only, a copy of them in `memory` takes their place. REQUIRES: a copy in `state`, in host
  /// memory. Throws what `MemorySpace` throws; nothing is changed then.
  [[nodiscard]] Storage<T>& keep_for_writing(State state,
                                             const std::shared_ptr<MemorySpace>& memory);

  /// Drops all copies but the one in `state`, which has been changed. REQUIRES: a copy in `state`.
  void keep_changed(State state);

  /// The least recently used copy in `space` that is neither needed nor the last; or null.
  [[nodiscard]] MatrixCopy<T>* oldest_spare(Space space) noexcept;
  /// Drops the copy in `state`. Returns false where there is none or it is the last.
  bool drop(State state);
  /// Drops every copy in `space`, the last one too. Returns whether any are left.
  bool lose(Space space);

 private:
  void keep_only(State state, std::shared_ptr<StoredCopy<T>> copy);

  std::vector<MatrixCopy<T>> copies_;
  std::vector<State> needed_;
};

}  // namespace switchyard
