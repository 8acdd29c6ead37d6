// What a runtime and its matrices share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <switchyard/core/counters.hpp>
#include <switchyard/core/options.hpp>
#include <switchyard/core/outlook.hpp>
#include <switchyard/core/trace.hpp>
#include <vector>

#include "recently_spent.hpp"
#include "residuals.hpp"

namespace switchyard {

/// A matrix as the runtime sees it: something that holds memory and can give some of it back.
class CopyHolder {
 public:
  virtual ~CopyHolder() = default;
  /// When the least recently used copy in `space` that can be spared was last used; nothing where
  /// none can be spared, or the matrix is busy.
  [[nodiscard]] virtual std::optional<std::uint64_t> oldest_spare(Space space) = 0;
  /// Drops that copy. Returns whether anything was dropped.
  virtual bool drop_oldest_spare(Space space) = 0;
  /// What was done with it so far.
  [[nodiscard]] virtual Counters counters() = 0;
};

/// Devices, profile and budgets. All members may be called from any thread.
class RuntimeState {
 public:
  explicit RuntimeState(const RuntimeOptions& options);

  [[nodiscard]] const std::vector<std::shared_ptr<Executor>>& executors() const noexcept {
    return executors_;
  }
  [[nodiscard]] Executor* executor(Space space) const noexcept;

  [[nodiscard]] bool reproducible() const noexcept { return reproducible_; }
  /// Where everything is to be noted, or null.
  [[nodiscard]] Trace* trace() const noexcept { return trace_.get(); }

  /// Changes whenever something changes that every remembered decision depends on.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  /// A clock that ticks once a use of a copy.
  [[nodiscard]] std::uint64_t tick() noexcept { return ++clock_; }
  /// A copy is used whose last use was at `last_used`. The clock stands while one is used again and
  /// again: it is shared by all threads.
  void touch(std::uint64_t& last_used) noexcept {
    if (last_used != clock_.load(std::memory_order_relaxed)) last_used = tick();
  }

  /// As it was read, or made.
  [[nodiscard]] std::shared_ptr<const Profile> profile() const;
  /// Models that nobody measured, of every operation there is.
  [[nodiscard]] const Profile& builtin_profile() const noexcept { return builtin_; }
  /// The same, corrected by what has been measured since.
  [[nodiscard]] std::shared_ptr<const Profile> corrected_profile() const;
  /// Products with a matrix of that structure take so many seconds in `state`.
  void learn(const ModelKey& key, const Features& features, double seconds);
  [[nodiscard]] std::string profile_problem() const;
  void use_profile(Profile profile);
  [[nodiscard]] const Fingerprint& fingerprint() const noexcept { return fingerprint_; }
  [[nodiscard]] const std::string& config_home() const noexcept { return config_home_; }

  /// What calls of all matrices lost to other programs lately.
  [[nodiscard]] RecentlySpent& recently_spent() noexcept { return recently_spent_; }

  /// Adds to what the calling thread has done with vectors since it last took that.
  void note_vector_work(const VectorWork& work) const noexcept;
  /// All of it since the calling thread's last call with any matrix of this runtime: what comes
  /// before a call belongs to that call, so that neither two matrices nor two threads plan with
  /// each other's work.
  [[nodiscard]] VectorWork take_vector_work() const noexcept;

  void note_product_in(Space space) noexcept {
    if (last_product_.load(std::memory_order_relaxed) != space.index()) {
      last_product_ = space.index();
    }
  }
  [[nodiscard]] std::optional<Space> last_product_space() const noexcept {
    const int index = last_product_;
    if (index < 0) return std::nullopt;
    return index == 0 ? Space::host() : Space::device(index - 1);
  }

  /// The spaces as a plan for a matrix of that precision and structure sees them.
  [[nodiscard]] std::vector<SpaceOutlook> outlook(Precision precision,
                                                  const Structure& structure) const;

  /// Stops using a device after a failure. The host cannot be set aside.
  void set_aside(Space space, const std::string& reason);
  [[nodiscard]] std::string set_aside_reason(Space space) const;

  void enroll(const std::shared_ptr<CopyHolder>& holder);
  /// A matrix is gone; what it counted is not.
  void retire(const Counters& counters) noexcept;
  /// Of all matrices, those that are gone included.
  [[nodiscard]] Counters counters() const;
  /// Drops copies that can be spared, the least recently used first, until `bytes` fit into the
  /// budget of `space`. Returns whether they do.
  bool make_room(Space space, std::size_t bytes);

 private:
  [[nodiscard]] std::vector<std::shared_ptr<CopyHolder>> holders();
  /// Learns, and returns what is to be said of a model that has drifted. REQUIRES mutex_ held.
  [[nodiscard]] std::optional<std::string> learnt(const ModelKey& key, const Features& features,
                                                  double seconds);

  const std::uint64_t number_;  // of all that this process has made
  std::vector<std::shared_ptr<Executor>> executors_;
  Fingerprint fingerprint_;
  std::string config_home_;
  Profile builtin_;
  bool reproducible_ = false;
  std::shared_ptr<Trace> trace_;
  std::atomic<std::uint64_t> version_{1};
  std::atomic<std::uint64_t> clock_{0};
  std::atomic<int> last_product_{-1};  // the index of a space
  RecentlySpent recently_spent_;

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const Profile> profile_;
  std::shared_ptr<const Profile> corrected_;
  Residuals residuals_;
  std::string profile_problem_;
  std::vector<std::string> set_aside_;  // by Space::index(); empty: in use
  std::vector<std::weak_ptr<CopyHolder>> holders_;
  Counters retired_;
};

}  // namespace switchyard
