// The threads of this process that help with calls, and how they take parts of them.
//
// OpenMP's threads are not used for this: its regions end when every thread has been there, and on
// a busy machine one that is not running is waited for, for milliseconds (docs/decisions/0015).
#include <pthread.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>
#include <switchyard/containers/threads.hpp>
#include <system_error>
#include <thread>
#include <utility>

namespace switchyard {
namespace {

// As many calls can be helped at once; further ones have one thread each.
constexpr int most_jobs = 8;
// How long a thread without work looks out for more before it sleeps, and one that waits for the
// last part before it does. Waking takes microseconds, and so long a look delays nobody for long.
constexpr std::chrono::microseconds looking_out{50};
constexpr std::chrono::microseconds looking_for_end{20};
// Looks between two readings of the clock.
constexpr int looks = 64;
// A sleeping thread is woken once calls have read so many bytes without it: some ten microseconds'
// work, of which a thread that wakes in time saves half.
constexpr Index bytes_worth_waking = 512 << 10;
// Several parts for each thread: the last one is waited for. With four parts for each of two
// threads matrices of the cache were multiplied 1.6 to 2.1 times as fast as by one, with eight 1.9
// to 2.4, with sixteen the same (cage10, cit-HepTh, soc-Slashdot0902 on Zen 5 cores).
constexpr Index most_parts_of_a_thread = 8;
// A smaller part takes less than a microsecond or two.
constexpr Index fewest_bytes_of_a_part = 64 << 10;

void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether something happens within that time of looking.
template <class Happened>
bool happens_within(std::chrono::microseconds time, const Happened& happened) noexcept {
  const auto until = std::chrono::steady_clock::now() + time;
  for (int look = 1; !happened(); ++look) {
    pause_briefly();
    if (look % looks == 0 && std::chrono::steady_clock::now() > until) return happened();
  }
  return true;
}

/// The number of the job in which a part was last taken.
struct alignas(64) Part {
  std::atomic<std::uint64_t> taken_in{0};
};

/// One call, as those who help see it. Its number is even while the fields below belong to it and
/// odd while they are written; numbers only grow.
struct alignas(64) Job {
  std::atomic<bool> in_use{false};
  alignas(64) std::atomic<std::uint64_t> number{0};
  std::atomic<PartFunction> call{nullptr};
  std::atomic<const void*> work{nullptr};
  std::atomic<int> parts{0};
  std::atomic<int> threads{0};
  alignas(64) std::atomic<int> done{0};
  std::array<Part, most_threads> part{};

  void open(PartWork work_of_call, int parts_of_call, int threads_of_call) noexcept;
  int take_parts(int thread) noexcept;
  void await_end() noexcept;
};

void Job::open(PartWork work_of_call, int parts_of_call, int threads_of_call) noexcept {
  const std::uint64_t last = number.load(std::memory_order_relaxed);
  number.store(last + 1, std::memory_order_relaxed);
  call.store(work_of_call.call, std::memory_order_release);
  work.store(work_of_call.work, std::memory_order_release);
  parts.store(parts_of_call, std::memory_order_release);
  threads.store(threads_of_call, std::memory_order_release);
  done.store(0, std::memory_order_release);
  number.store(last + 2, std::memory_order_release);
}

/// Does the parts that nobody has taken, from this thread's own on and round again, and returns how
/// many. A part of an earlier call cannot be taken: all of them were taken in that call, or it
/// would not have ended.
int Job::take_parts(int thread) noexcept {
  const std::uint64_t now = number.load(std::memory_order_acquire);
  const auto function = call.load(std::memory_order_acquire);
  const void* const data = work.load(std::memory_order_acquire);
  const int count = parts.load(std::memory_order_acquire);
  const int team = threads.load(std::memory_order_acquire);
  const bool belong_together = now % 2 == 0 && number.load(std::memory_order_relaxed) == now;
  if (!belong_together || thread >= team) return 0;
  int did = 0;
  int p = static_cast<int>(Index{thread} * count / team);
  for (int k = 0; k < count; ++k, p = p + 1 < count ? p + 1 : 0) {
    auto& taken = part[static_cast<std::size_t>(p)].taken_in;
    std::uint64_t before = taken.load(std::memory_order_relaxed);
    if (before >= now || !taken.compare_exchange_strong(before, now)) continue;
    function(data, p);
    ++did;
  }
  if (did > 0 && done.fetch_add(did, std::memory_order_acq_rel) + did == count) done.notify_one();
  return did;
}

/// Until those parts are done that other threads have taken.
void Job::await_end() noexcept {
  const int count = parts.load(std::memory_order_relaxed);
  const auto ended = [&] { return done.load(std::memory_order_acquire) == count; };
  if (ended() || happens_within(looking_for_end, ended)) return;
  for (int have = done.load(); have != count; have = done.load()) done.wait(have);
}

/// A helping thread, or the place of one that does not run yet.
struct alignas(64) Helper {
  std::atomic<std::uint32_t> asleep{0};
};

/// The threads that help, numbered from 1 on, and the calls that they help with.
class Team {
 public:
  void run(const Shares& shares, PartWork work) noexcept;
  void serve(int helper) noexcept;
  void forget_threads() noexcept;

 private:
  Job* free_job() noexcept;
  void want(int helpers) noexcept;
  void start_one() noexcept;
  void wake(int count, int team) noexcept;
  void await_job(int helper, std::uint32_t seen) noexcept;

  alignas(64) std::atomic<std::uint32_t> opened_{0};  // jobs so far
  alignas(64) std::atomic<int> callers_{0};           // calls being made
  std::atomic<Index> unhelped_bytes_{0};              // read while helpers slept
  std::atomic<int> wanted_{0};                        // helpers that calls could use
  std::atomic<int> started_{0};                       // helpers that run
  std::atomic<int> last_team_{0};                     // threads of the last job
  std::array<Job, most_jobs> jobs_{};
  std::array<Helper, most_threads> helpers_{};
};

// Of the last call of this thread.
constinit thread_local double unhelped_share = 0;

// A thread that did so many times its fair share of parts had fewer helpers than it should.
constexpr double unfair = 1.5;

void note_own_parts(const Shares& shares, int did) noexcept {
  const double fair = static_cast<double>(shares.parts) / std::min(shares.threads, shares.parts);
  unhelped_share = did > unfair * fair ? 1 - fair / did : 0;
}

/// Where threads that help may run, if not where the thread that starts them may: OpenMP binds the
/// thread that calls to one place, and its own threads to the others.
const std::optional<cpu_set_t>& processors_of_helpers() noexcept {
  static const auto processors = []() noexcept -> std::optional<cpu_set_t> {
    cpu_set_t set;
    CPU_ZERO(&set);
    try {
      for (const int processor : processors_of_places()) {
        if (processor < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(processor), &set);
      }
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
    return CPU_COUNT(&set) > 0 ? std::optional(set) : std::nullopt;
  }();
  return processors;
}

// One for the process, as its processors are. It has no destructor: its threads end with the
// process, and may look out for work until then.
constinit Team team;

void Team::run(const Shares& shares, PartWork work) noexcept {
  const int callers = callers_.fetch_add(1, std::memory_order_relaxed) + 1;
  const int threads = std::min({shares.threads, shares.of - callers + 1, shares.parts});
  Job* const job = threads > 1 ? free_job() : nullptr;
  if (job) {
    want(threads - 1);
    job->open(work, shares.parts, threads);
    opened_.fetch_add(1);
    const Index unhelped = unhelped_bytes_.load(std::memory_order_relaxed) + shares.bytes;
    const bool worth_waking = unhelped >= bytes_worth_waking;
    unhelped_bytes_.store(worth_waking ? 0 : unhelped, std::memory_order_relaxed);
    if (worth_waking) wake(1, threads);
    note_own_parts(shares, job->take_parts(0));
    job->await_end();
    job->in_use.store(false, std::memory_order_release);
  } else {
    for (int part = 0; part < shares.parts; ++part) work.call(work.work, part);
    note_own_parts(shares, shares.parts);
  }
  callers_.fetch_sub(1, std::memory_order_relaxed);
}

Job* Team::free_job() noexcept {
  for (Job& job : jobs_) {
    if (!job.in_use.load(std::memory_order_relaxed) &&
        !job.in_use.exchange(true, std::memory_order_acquire)) {
      return &job;
    }
  }
  return nullptr;
}

/// Sees to it that so many helpers will run. They start each other, so that the caller need not
/// wait for all of them.
void Team::want(int helpers) noexcept {
  last_team_.store(helpers + 1, std::memory_order_relaxed);
  if (wanted_.load(std::memory_order_relaxed) >= helpers) return;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { team.forget_threads(); });
  static_cast<void>(registered);
  // Here, as some OpenMPs bind whoever asks them first.
  static_cast<void>(processors_of_helpers());
  int wanted = wanted_.load();
  while (wanted < helpers && !wanted_.compare_exchange_weak(wanted, helpers)) {
  }
  start_one();
}

void Team::start_one() noexcept {
  int started = started_.load();
  do {
    if (started >= wanted_.load()) return;
  } while (!started_.compare_exchange_weak(started, started + 1));
  try {
    std::thread([helper = started + 1] { team.serve(helper); }).detach();
  } catch (const std::system_error&) {  // the system has no more threads: those that run serve
  } catch (const std::bad_alloc&) {
  }
}

void Team::serve(int helper) noexcept {
  if (const auto& processors = processors_of_helpers()) {
    static_cast<void>(::pthread_setaffinity_np(::pthread_self(), sizeof *processors, &*processors));
  }
  start_one();
  start_one();
  for (;;) {
    const std::uint32_t seen = opened_.load();
    for (Job& job : jobs_) job.take_parts(helper);
    await_job(helper, seen);
  }
}

/// Until another job than those seen is opened: at first awake, as in a loop of calls the next one
/// comes soon.
void Team::await_job(int helper, std::uint32_t seen) noexcept {
  const auto is_opened = [&] { return opened_.load(std::memory_order_relaxed) != seen; };
  if (happens_within(looking_out, is_opened)) return;
  auto& asleep = helpers_[static_cast<std::size_t>(helper)].asleep;
  asleep.store(1);
  if (opened_.load() != seen) return asleep.store(0);
  while (asleep.load() == 1) asleep.wait(1);
  // Each wakes two, so that the caller wakes one only.
  wake(2, last_team_.load(std::memory_order_relaxed));
}

/// Wakes so many of a team's helpers, if they sleep.
void Team::wake(int count, int threads) noexcept {
  for (int helper = 1; helper < threads && count > 0; ++helper) {
    auto& asleep = helpers_[static_cast<std::size_t>(helper)].asleep;
    if (asleep.load() == 0 || asleep.exchange(0) == 0) continue;
    asleep.notify_one();
    --count;
  }
}

/// In a child after a fork, which has none of its parent's threads. Calls that others were making
/// when it was forked are nobody's.
void Team::forget_threads() noexcept {
  wanted_ = started_ = callers_ = 0;
  for (Helper& helper : helpers_) helper.asleep = 0;
  for (Job& job : jobs_) {
    job.number = (job.number + 1) / 2 * 2;
    job.in_use = false;
  }
}

}  // namespace

Shares shares_of(Index bytes, int threads, int of) noexcept {
  const Index worth = bytes / (threads * fewest_bytes_of_a_part);
  const auto each = static_cast<int>(std::clamp<Index>(worth, 1, most_parts_of_a_thread));
  const int parts = std::min(threads * each, most_threads);
  return {.threads = threads, .of = of, .parts = parts, .bytes = bytes};
}

Shares shares_of(Index bytes, int threads) noexcept {
  // A thread that looks out for work begins within half a microsecond, in which one alone reads so
  // much; of fifteen threads the last begins after 3 us.
  constexpr Index bytes_worth_a_thread = 24 << 10;
  const bool worth_it = bytes >= bytes_worth_a_thread * threads;
  return shares_of(bytes, worth_it ? threads : 1, threads);
}

Shares all_threads(bool many) noexcept {
  const int threads = many ? host_threads() : 1;
  return {.threads = threads, .of = threads, .parts = threads, .bytes = bytes_worth_waking};
}

void share_out(const Shares& shares, PartWork work) noexcept { team.run(shares, work); }

double take_unhelped_share() noexcept { return std::exchange(unhelped_share, 0); }

}  // namespace switchyard
