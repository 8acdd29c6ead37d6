// Random numbers that depend on a seed and a place only, in whole-number arithmetic.
#pragma once

#include <bit>
#include <cstdint>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// The upper half of a 128-bit product: `a * b` with one of them read as a fraction of 2^64.
[[nodiscard]] constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

/// One stream of random numbers for each (seed, stream, row), so that rows can be made in any order
/// by any thread: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014).
class Random {
 public:
  constexpr Random(std::uint64_t seed, std::uint64_t stream, Index row) noexcept
      : state_(mixed(mixed(seed + golden * stream) + golden * static_cast<std::uint64_t>(row))) {}

  constexpr std::uint64_t next() noexcept { return mixed(state_ += golden); }
  /// In [0, 1), 53 random bits.
  constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// True with this probability.
  constexpr bool chance(double probability) noexcept { return unit() < probability; }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

  static constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

/// A random order of 0 .. n-1 that takes no memory: scrambling the next power of two is
/// invertible, and what lands beyond n is scrambled again (cycle walking).
class Permutation {
 public:
  Permutation(Index n, Random random) noexcept
      : n_(static_cast<std::uint64_t>(n)),
        bits_(static_cast<int>(std::bit_width(n_ - 1))),
        mask_(bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits_)),
        first_(random.next() | 1),
        second_(random.next() | 1),
        shift_(random.next()) {}

  /// REQUIRES: 0 <= i < n.
  [[nodiscard]] Index operator()(Index i) const noexcept {
    auto x = static_cast<std::uint64_t>(i);
    do x = scrambled(x);
    while (x >= n_);
    return static_cast<Index>(x);
  }

 private:
  [[nodiscard]] std::uint64_t scrambled(std::uint64_t x) const noexcept {
    const int half = bits_ / 2 + 1;
    x = ((x + shift_) * first_) & mask_;
    x ^= x >> half;
    x = (x * second_) & mask_;
    return x ^ (x >> half);
  }

  std::uint64_t n_;
  int bits_;
  std::uint64_t mask_;
  std::uint64_t first_;
  std::uint64_t second_;
  std::uint64_t shift_;
};

}  // namespace switchyard
