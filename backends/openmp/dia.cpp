// y = alpha A x + beta y for diagonals, and their conversions from and to CSR, on the host's
// threads.
#include "dia.hpp"

#include <array>
#include <atomic>
#include <bit>

#include "room.hpp"
#include "row_kernels.hpp"
#include "team.hpp"

namespace switchyard::openmp {
namespace {

/// Rows summed before their y is updated: of each diagonal as many are read one after another.
constexpr Index block = 2048;
constexpr Index word_rows = dia_word_rows;

template <Element T>
void multiply_rows(const MultiplyArguments<T>& arguments, Index begin, Index end) {
  const auto& a = std::get<Dia<T>>(arguments.matrix);
  const auto& kernels = best_row_kernels<T>();
  const Diagonals<T> work{a.values.data(), a.masks.data(), a.diagonals.data(), a.diagonals.size(),
                          a.rows,          a.cols,         arguments.x.data()};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<T, block> sums;
  for (Index first = begin; first < end; first += block) {
    const Index rows = std::min(block, end - first);
    kernels.diagonal_sums(work, first, rows, sums.data());
    T* const y = arguments.y.data() + first;
    for (Index i = 0; i < rows; ++i) {
      y[i] = updated(arguments.alpha, sums[static_cast<std::size_t>(i)], arguments.beta, y[i]);
    }
  }
}

/// Which diagonals have an element, and which one of them each is. Diagonal d has bit d + rows - 1.
class DiagonalIndex {
 public:
  DiagonalIndex(Index rows, Index cols)
      : shift_(rows - 1), words_(static_cast<std::size_t>((rows + cols) / word_rows + 1)) {}

  /// Threads: may be called from several at once.
  void add(Index diagonal) noexcept {
    const auto at = static_cast<std::size_t>(diagonal + shift_);
    Word& word = words_[at / word_rows];
    const std::uint64_t bit = std::uint64_t{1} << at % word_rows;
    if ((word.bits.load(std::memory_order_relaxed) & bit) != 0) return;
    word.bits.fetch_or(bit, std::memory_order_relaxed);
  }
  /// After all are added: numbers them. Returns how many there are.
  Index number() noexcept {
    Index before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += std::popcount(word.bits.load(std::memory_order_relaxed));
    }
    return before;
  }
  [[nodiscard]] Index number_of(Index diagonal) const noexcept {
    const auto at = static_cast<std::size_t>(diagonal + shift_);
    const Word& word = words_[at / word_rows];
    const std::uint64_t below = (std::uint64_t{1} << at % word_rows) - 1;
    return word.before + std::popcount(word.bits.load(std::memory_order_relaxed) & below);
  }
  /// Writes all, ascending.
  void write(Index* diagonals) const noexcept {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w].bits; bits != 0; bits &= bits - 1) {
        *diagonals++ = static_cast<Index>(w) * word_rows + std::countr_zero(bits) - shift_;
      }
    }
  }

 private:
  struct Word {
    std::atomic<std::uint64_t> bits{0};
    Index before = 0;
  };
  Index shift_;
  std::vector<Word> words_;
};

/// Fills in rows [first, end), which are those of one word.
template <Element T>
void fill_rows(const Csr<T>& from, const DiagonalIndex& index, Dia<T>& to, Index first, Index end) {
  const Index word = first / word_rows;
  for (Index d = 0; d < to.diagonals.size(); ++d) {
    to.masks[d * to.words() + word] = 0;
    std::fill_n(to.values.data() + d * to.rows + first, end - first, T{0});
  }
  for (Index i = first; i < end; ++i) {
    for (Index k = from.offset(i); k < from.offset(i + 1); ++k) {
      const Index d = index.number_of(from.columns[k] - i);
      to.masks[d * to.words() + word] |= std::uint64_t{1} << (i - first);
      to.values[d * to.rows + i] = from.values[k];
    }
  }
}

/// Calls visit(d, i) for the elements of rows [first, end), which are those of one word, by
/// diagonals.
template <Element T, class Visit>
void visit_word(const Dia<T>& from, Index first, const Visit& visit) {
  for (Index d = 0; d < from.diagonals.size(); ++d) {
    std::uint64_t mask = from.masks[d * from.words() + first / word_rows];
    for (; mask != 0; mask &= mask - 1) visit(d, first + std::countr_zero(mask));
  }
}

}  // namespace

template <Element T>
void multiply_dia(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Dia<T>>(arguments.matrix);
  share_out_items(shares_of_product(arguments, a.slots() * Index{sizeof(T)}), a.rows, word_rows,
                  [&](Index begin, Index end) { multiply_rows(arguments, begin, end); });
}

template <Element T>
Storage<T> convert_csr_to_dia(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Csr<T>>(matrix);
  const Shares shares = shares_of_work(executor, from.nnz * Index{sizeof(T) + sizeof(Column)});
  auto index = with_enough_memory([&] { return DiagonalIndex(from.rows, from.cols); });
  share_out_items(shares, from.rows, word_rows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index k = from.offset(i); k < from.offset(i + 1); ++k) index.add(from.columns[k] - i);
    }
  });
  const Index count = index.number();
  require_room(executor, from.rows, count, sizeof(T));
  auto to = Dia<T>::sized({from.rows, from.cols, from.nnz, {}, {}, {}}, count, executor.memory());
  index.write(to.diagonals.data());
  share_out_items(shares_of_work(executor, to.slots() * Index{sizeof(T)}), from.rows, word_rows,
                  [&](Index begin, Index end) {
                    for (Index first = begin; first < end; first += word_rows) {
                      fill_rows(from, index, to, first, std::min(first + word_rows, end));
                    }
                  });
  return to;
}

template <Element T>
Storage<T> convert_dia_to_csr(Executor& executor, const Storage<T>& matrix) {
  const auto& from = std::get<Dia<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, executor.memory());
  const Shares shares = shares_of_work(executor, from.slots() * Index{sizeof(T)});
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        Offset* const at = offsets.data();
        std::fill_n(at, from.rows + 1, Offset{0});
        share_out_items(shares, from.rows, word_rows, [&](Index begin, Index end) {
          for (Index first = begin; first < end; first += word_rows) {
            visit_word(from, first, [&](Index /*d*/, Index i) { ++at[i + 1]; });
          }
        });
        for (Index i = 0; i < from.rows; ++i) at[i + 1] = at[i + 1] + at[i];
        share_out_items(shares, from.rows, word_rows, [&](Index begin, Index end) {
          for (Index first = begin; first < end; first += word_rows) {
            std::array<Index, word_rows> places{};
            std::copy(at + first, at + std::min(first + word_rows, end), places.begin());
            visit_word(from, first, [&](Index d, Index i) {
              const Index place = places[static_cast<std::size_t>(i - first)]++;
              to.columns[place] = static_cast<Column>(i + from.diagonals[d]);
              to.values[place] = from.values[d * from.rows + i];
            });
          }
        });
      },
      to.offsets);
  return to;
}

template void multiply_dia(const MultiplyArguments<float>&);
template void multiply_dia(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_dia(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_dia(Executor&, const Storage<double>&);
template Storage<float> convert_dia_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_dia_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::openmp
