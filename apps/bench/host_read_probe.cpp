// Reading on the host: all threads sum up their stretch of one array.
#include <algorithm>
#include <array>
#include <atomic>
#include <switchyard/containers/array.hpp>
#include <switchyard/containers/threads.hpp>

#include "read_probe.hpp"

namespace switchyard::command::bench {
namespace {

constexpr Index line_words = 8;  // 64 bytes
constexpr std::size_t line_bytes = line_words * sizeof(std::uint64_t);
constexpr std::size_t may_be_best_alone = std::size_t{4} << 20U;

/// GCC's vectors are split into as many registers as the instruction set needs.
using Line [[gnu::vector_size(line_bytes)]] = std::uint64_t;

/// The sum of all words of `lines` lines, in eight sums.
[[gnu::always_inline]] inline std::uint64_t sum_lines(const Line* line, Index lines) {
  std::array<Line, 8> sums{};
  Index i = 0;
  for (; i + 8 <= lines; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += line[i + static_cast<Index>(k)];
  }
  for (; i < lines; ++i) sums[0] += line[i];
  std::uint64_t total = 0;
  for (const Line& sum : sums) {
    for (std::size_t k = 0; k < line_words; ++k) total += sum[k];
  }
  return total;
}

std::uint64_t sum_portable(const Line* line, Index lines) { return sum_lines(line, lines); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t sum_avx2(const Line* line, Index lines) {
  return sum_lines(line, lines);
}
[[gnu::target("avx512f")]] std::uint64_t sum_avx512(const Line* line, Index lines) {
  return sum_lines(line, lines);
}
#endif

using Sum = std::uint64_t (*)(const Line* line, Index lines);

Sum best_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return &sum_avx512;
  if (__builtin_cpu_supports("avx2")) return &sum_avx2;
#endif
  return &sum_portable;
}

class HostReadProbe final : public ReadProbe {
 public:
  explicit HostReadProbe(Executor& host) : host_(host) {}

  std::size_t prepare(std::size_t bytes) override {
    const std::size_t most = std::min(most_probe_bytes, host_.memory()->available() / 2);
    bytes = std::min(std::max(bytes, line_bytes), std::max(most, line_bytes)) / line_bytes;
    bytes *= line_bytes;
    if (bytes > words_.bytes()) {
      words_ = {};
      words_ =
          Array<std::uint64_t>(static_cast<Index>(bytes / sizeof(std::uint64_t)), host_.memory());
      share_out_items(shares_of(static_cast<Index>(bytes)), words_.size(), 512,
                      [&](Index begin, Index end) {
                        for (Index i = begin; i < end; ++i)
                          words_[i] = static_cast<std::uint64_t>(i) * 0x9E37U;
                      });
    }
    return bytes;
  }

  std::vector<Racer> racers(std::size_t bytes) override {
    const auto lines = static_cast<Index>(bytes / line_bytes);
    std::vector<Racer> ways{{"read", [this, lines] { read_together(lines); }}};
    if (bytes <= may_be_best_alone) ways.push_back({"read", [this, lines] { read_alone(lines); }});
    return ways;
  }

 private:
  [[nodiscard]] const Line* lines() const { return static_cast<const Line*>(words_.handle()); }
  void read_alone(Index count) { total_ = sum_(lines(), count); }
  void read_together(Index count) {
    std::atomic<std::uint64_t> total{0};
    const int threads = host_.facts().compute_units;
    share_out_items(shares_of(count * Index{line_bytes}, threads, threads), count, 1,
                    [&](Index begin, Index end) { total += sum_(lines() + begin, end - begin); });
    total_ = total;
  }

  Executor& host_;
  Sum sum_ = best_sum();
  volatile std::uint64_t total_ = 0;  // written, so that the reading cannot be left out
  Array<std::uint64_t> words_;
};

}  // namespace

std::unique_ptr<ReadProbe> make_host_read_probe(Executor& host) {
  return std::make_unique<HostReadProbe>(host);
}

}  // namespace switchyard::command::bench
