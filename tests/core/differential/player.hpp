// Plays a program on a matrix and, step by step, on plain numbers.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>
#include <switchyard/backends/reference.hpp>
#include <switchyard/switchyard.hpp>

#include "core/differential/contents.hpp"
#include "core/differential/program.hpp"
#include "formats.hpp"

namespace switchyard::testing {

/// Products checked, by where they were computed.
using Score = std::map<State, long>;

template <Element T>
class Player {
 public:
  Player(const Runtime& runtime, std::uint32_t seed, Score& score)
      : runtime_(runtime), score_(score), contents_(Numbers<T>(seed, seed % 4 == 0).matrix()) {
    free_memory();
    matrix_.emplace(runtime_.matrix(stored(seed % 2 == 0 ? Format::Dense : Format::Csr)));
    new_vectors(seed);
  }
  ~Player() { free_memory(); }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void play(const Command& command) {
    Numbers<T> numbers(command.seed, command.seed % 4 == 0);
    switch (command.action) {
      case Action::MultiplyVectors:
      case Action::MultiplySpans:
        return multiply(command.action, numbers);
      case Action::WriteDense:
        return write_dense(numbers);
      case Action::WriteCsr:
        return write_csr(numbers);
      case Action::Assign:
        return assign(command, numbers);
      case Action::Pin:
        if (runtime_.executor(state(command).space)->supports(precision_of<T>)) {
          matrix_->pin(state(command));
        }
        return;
      case Action::Unpin:
        return matrix_->unpin();
      case Action::Evict:
        static_cast<void>(matrix_->evict(state(command)));
        return;
      case Action::ExpectCalls:
        return matrix_->expect_calls(1 + command.choice % 1000);
      case Action::BringTo:
        return bring_to(state(command));
      case Action::CopyOut:
        static_cast<void>(attempt([&] { expect_contents(state(command).format); }, may_fail()));
        return;
      case Action::ShortenMemory:
        return shorten_memory(command);
      case Action::FreeMemory:
        return free_memory();
      case Action::ChangeVectors:
        return change_vectors(command, numbers);
      case Action::SwapVectors:
        return swap_vectors();
      case Action::LoseDevice:
        if (runtime_.executors().size() > 1)
          runtime_.set_aside(Space::device(0), "lost on purpose");
        lost_ = true;
        return;
    }
  }

 private:
  [[nodiscard]] Storage<T> stored(Format format) const {
    if (format == Format::Dense) return copied(contents_);
    return in_format<T>(compressed(contents_), format);
  }
  [[nodiscard]] State state(const Command& command) const {
    const auto& executors = runtime_.executors();
    const Space space = executors[command.choice / number_of_formats % executors.size()]->space();
    return {space, possible(static_cast<Format>(command.choice % number_of_formats))};
  }
  void new_vectors(std::uint32_t seed) {
    Numbers<T> numbers(seed + 1, seed % 8 == 0);
    xs_ = numbers.numbers(contents_.cols);
    ys_ = numbers.numbers(contents_.rows);
    x_ = Vector<T>(std::span<const T>(xs_));
    y_ = Vector<T>(std::span<const T>(ys_));
  }

  /// Whether a call that needs another copy may fail.
  [[nodiscard]] bool may_fail() const { return short_memory_ || lost_; }
  /// `format`, or another if the values of the matrix are too many for it or are not known.
  [[nodiscard]] Format possible(Format format) const {
    return obstacle_to(format, matrix_->structure()).empty() ? format : Format::Csr16;
  }
  /// Whether the matrix has got too many values since it was pinned.
  [[nodiscard]] bool pin_is_impossible() const {
    const auto pinned = matrix_->pinned();
    return pinned && possible(pinned->format) != pinned->format;
  }

  /// Whether a product may: not where the host has a copy to compute on.
  [[nodiscard]] bool product_may_fail() const {
    if (!may_fail()) return false;
    const auto states = matrix_->states();
    const bool on_host = !states.empty() && states.front().space.is_host();
    const auto pinned = matrix_->pinned();
    return !on_host || (pinned && short_memory_);
  }
  /// Whether the call was made.
  template <class Call>
  bool attempt(const Call& call, bool may_fail) {
    const auto sampled_values = matrix_->structure().distinct_values;
    try {
      call();
      return true;
    } catch (const Error& error) {
      const ErrorCode code = error.code();
      const bool memory = code == ErrorCode::OutOfMemory || code == ErrorCode::DeviceOutOfMemory;
      const bool device = code == ErrorCode::DeviceLost || code == ErrorCode::DeviceUnavailable;
      if (code == ErrorCode::Unsupported && pin_is_impossible()) return false;
      // A conversion has found values that the sample missed.
      const bool more_values = matrix_->structure().distinct_values != sampled_values;
      if (code == ErrorCode::Unsupported && more_values) return false;
      if (!may_fail || !((short_memory_ && memory) || device)) {
        RC_FAIL(std::string(name(code)) + ": " + error.what());
      }
      return false;
    }
  }

  void multiply(Action action, Numbers<T>& numbers) {
    T alpha = numbers.factor();
    const T beta = numbers.factor();
    // Times infinity, a sum that is too small for T is NaN, and infinite where it is held exactly.
    if (std::isinf(alpha)) alpha = std::numeric_limits<T>::quiet_NaN();
    // Of an empty sum nothing is left to multiply.
    if (contents_.cols == 0 && std::isnan(alpha)) alpha = T(1);
    std::vector<T> got = ys_;
    const bool spans = action == Action::MultiplySpans;
    const auto call = [&] {
      if (spans) {
        matrix_->multiply(alpha, std::span<const T>(xs_), beta, std::span<T>(got));
      } else {
        matrix_->multiply(alpha, x_, beta, y_);
      }
    };
    const bool made = attempt(call, product_may_fail());
    if (!spans) got.assign(y_.read().begin(), y_.read().end());
    if (!made) {
      RC_ASSERT(same(got, ys_));
      return;
    }
    const State at = matrix_->history().back().to;
    const auto expected = reference_multiply<T>(stored(at.format), alpha, xs_, beta, ys_);
    const double error = worst_error<T>(expected, std::span<const T>(got));
    if (!(error <= 1)) {
      RC_FAIL(name(at) + ": " + std::to_string(error) + " of the bound, alpha " +
              std::to_string(alpha) + ", beta " + std::to_string(beta));
    }
    ++score_[at];
    if (!spans) ys_ = got;
  }

  void write_dense(Numbers<T>& numbers) {
    auto next = copied(contents_);
    for (int i = 0; i < 3 && next.values.size() > 0; ++i) {
      next.values[static_cast<Index>(numbers.below(std::size_t(next.values.size())))] =
          numbers.number();
    }
    const auto write = [&](std::span<T> values) {
      std::ranges::copy(next.values.span(), values.begin());
    };
    if (attempt([&] { matrix_->write_dense(write); }, may_fail())) contents_ = std::move(next);
  }

  void write_csr(Numbers<T>& numbers) {
    auto next = copied(contents_);
    const auto write = [&](const Csr<T>& pattern, std::span<T> values) {
      for (Index i = 0; i < pattern.rows; ++i) {
        for (Index k = pattern.offset(i); k < pattern.offset(i + 1); ++k) {
          // Stored zeros are another matter: what they give beside infinities depends on the way.
          const T number = numbers.number();
          const T value = number == T(0) ? T(1) : number;
          values[static_cast<std::size_t>(k)] = value;
          next.values[i * next.cols + pattern.columns[k]] = value;
        }
      }
    };
    if (attempt([&] { matrix_->write_csr(write); }, may_fail())) contents_ = std::move(next);
  }

  void assign(const Command& command, Numbers<T>& numbers) {
    contents_ = numbers.matrix();
    const auto structure = structure_of(compressed(contents_));
    const auto format = static_cast<Format>(command.choice % number_of_formats);
    matrix_->assign(stored(obstacle_to(format, structure).empty() ? format : Format::Csr16));
    new_vectors(command.seed);
  }

  void bring_to(State target) {
    if (!runtime_.executor(target.space)->supports(precision_of<T>)) return;
    if (!attempt([&] { matrix_->bring_to(target); }, may_fail())) return;
    const auto states = matrix_->states();
    RC_ASSERT(std::ranges::find(states, target) != states.end());
  }

  void expect_contents(Format format) {
    const Storage<T> got = matrix_->copy_out(format);
    const Storage<T> expected = stored(format);
    RC_ASSERT(rows_of(got) == contents_.rows);
    RC_ASSERT(cols_of(got) == contents_.cols);
    if (format == Format::Dense) {
      RC_ASSERT(same(std::get<Dense<T>>(got).values.span(), contents_.values.span()));
      return;
    }
    RC_ASSERT(format_of(got) == format);
    const Storage<T> csr = in_format<T>(got, Format::Csr);
    const Storage<T> plain = in_format<T>(expected, Format::Csr);
    const auto& one = std::get<Csr<T>>(csr);
    const auto& other = std::get<Csr<T>>(plain);
    RC_ASSERT(std::ranges::equal(one.columns.span(), other.columns.span()));
    RC_ASSERT(same(one.values.span(), other.values.span()));
    for (Index i = 0; i <= one.rows; ++i) RC_ASSERT(one.offset(i) == other.offset(i));
  }

  void shorten_memory(const Command& command) {
    const auto& executors = runtime_.executors();
    MemorySpace& memory = *executors[command.choice % executors.size()]->memory();
    memory.set_budget(memory.used() + command.seed % 20'000);
    short_memory_ = true;
  }
  void free_memory() {
    for (const auto& executor : runtime_.executors()) {
      executor->memory()->set_budget(MemorySpace::unlimited);
    }
    short_memory_ = false;
  }

  void change_vectors(const Command& command, Numbers<T>& numbers) {
    if (command.choice % 3 == 0) {
      xs_ = numbers.numbers(contents_.cols);
      std::ranges::copy(xs_, x_.write().begin());
    } else if (command.choice % 3 == 1) {
      const T value = numbers.number();
      fill(runtime_, value, y_);
      std::ranges::fill(ys_, value);
    } else {
      scale(runtime_, T(-1), y_);
      for (T& value : ys_) value = -value;
    }
  }

  /// As in an iteration, where numbers do not grow beyond what three of them multiplied may be.
  void swap_vectors() {
    const auto is_tame = [](T value) { return !(std::abs(value) > T(1e10)); };
    if (contents_.rows != contents_.cols || !std::ranges::all_of(ys_, is_tame)) return;
    std::swap(x_, y_);
    std::swap(xs_, ys_);
  }

  static bool same(std::span<const T> a, std::span<const T> b) {
    return std::ranges::equal(a, b,
                              [](T u, T v) { return u == v || (std::isnan(u) && std::isnan(v)); });
  }

  const Runtime& runtime_;
  Score& score_;
  Dense<T> contents_;
  std::optional<GMatrix<T>> matrix_;
  Vector<T> x_;
  Vector<T> y_;
  std::vector<T> xs_;
  std::vector<T> ys_;
  bool short_memory_ = false;
  bool lost_ = false;
};

}  // namespace switchyard::testing
