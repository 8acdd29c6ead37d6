// Generating a matrix from its recipe: the columns of all rows first, then the values.
#include <algorithm>
#include <array>
#include <switchyard/containers/generate.hpp>
#include <switchyard/containers/threads.hpp>
#include <vector>

#include "first_error.hpp"
#include "matrix_recipes.hpp"

namespace switchyard {
namespace {

constexpr std::array<std::string_view, 6> kind_names{"uniform",   "banded",   "poisson2d",
                                                     "poisson3d", "powerlaw", "pruned"};
constexpr std::uint64_t pattern_stream = 3;
constexpr std::uint64_t value_stream = 4;

/// 0.5 to 1.5 in steps of 2^-23, with either sign: the same number in both precisions.
template <Element T>
T random_value(Random& random) {
  const std::uint64_t bits = random.next();
  const T magnitude = T{0.5} + static_cast<T>(bits >> 41) * T{0x1p-23};
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

/// One of `count` values of 0.5 to 1.
template <Element T>
T one_of(Index count, Random& random) {
  const auto index = static_cast<Index>((random.next() >> 11) % static_cast<std::uint64_t>(count));
  return T{0.5} + static_cast<T>(index) * T{0x1p-17};
}

/// A stretch of rows in the making.
struct Stretch {
  std::vector<Column> columns;
  std::vector<Column> lengths;
  Index begin = 0;  ///< where its elements begin in the matrix
};

class Rows {
 public:
  Rows(const Recipe& recipe, const GenerateOptions& options)
      : recipe_(recipe),
        seed_(options.seed),
        distinct_values_(options.distinct_values),
        height_(height_for(recipe)) {
    stretches_.resize(static_cast<std::size_t>((recipe.rows + height_ - 1) / height_));
  }

  void draw() {
    FirstError error;
    const Index count = std::ssize(stretches_);
    share_out_steps(count, count > 1, [&](Index s) {
      error.run(s, [&] {
        if (!error.any()) draw_stretch(s);
      });
    });
    error.rethrow();
    for (std::size_t s = 1; s < stretches_.size(); ++s) {
      stretches_[s].begin = stretches_[s - 1].begin + std::ssize(stretches_[s - 1].columns);
    }
  }

  template <Element T>
  Csr<T> assembled() {
    const Index nnz = stretches_.back().begin + std::ssize(stretches_.back().columns);
    auto matrix = Csr<T>::sized(recipe_.rows, recipe_.cols, nnz);
    std::visit([&](auto& offsets) { offsets[0] = 0; }, matrix.offsets);
    const Index count = std::ssize(stretches_);
    share_out_steps(count, count > 1, [&](Index s) { place_stretch(s, matrix); });
    return matrix;
  }

 private:
  /// Rows that have some ten thousands of elements together.
  static Index height_for(const Recipe& recipe) {
    constexpr double elements = 1 << 16;
    const double mean = recipe.expected_nnz / static_cast<double>(recipe.rows);
    return static_cast<Index>(std::clamp(elements / std::max(mean, 1.0), 1.0, elements));
  }

  void draw_stretch(Index s) {
    auto& [columns, lengths, begin] = stretches_[static_cast<std::size_t>(s)];
    const Index last = std::min((s + 1) * height_, recipe_.rows);
    for (Index row = s * height_; row < last; ++row) {
      Random random(seed_, pattern_stream, row);
      const auto before = std::ssize(columns);
      recipe_.append(row, random, columns);
      lengths.push_back(static_cast<Column>(std::ssize(columns) - before));
    }
  }

  template <Element T>
  void place_stretch(Index s, Csr<T>& matrix) {
    auto& stretch = stretches_[static_cast<std::size_t>(s)];
    std::copy(stretch.columns.begin(), stretch.columns.end(),
              matrix.columns.data() + stretch.begin);
    Index row = s * height_;
    Index place = stretch.begin;
    for (const Column length : stretch.lengths) {
      fill_values(row, matrix.columns.data() + place, length, matrix.values.data() + place);
      place += length;
      std::visit(
          [&](auto& offsets) {
            offsets[row + 1] = static_cast<std::remove_reference_t<decltype(offsets[0])>>(place);
          },
          matrix.offsets);
      ++row;
    }
    stretch = {};
  }

  template <Element T>
  void fill_values(Index row, const Column* columns, Column length, T* values) const {
    Random random(seed_, value_stream, row);
    for (Column k = 0; k < length; ++k) {
      if (distinct_values_ > 0) {
        values[k] = one_of<T>(distinct_values_, random);
      } else if (recipe_.diagonal == 0) {
        values[k] = random_value<T>(random);
      } else {
        values[k] = columns[k] == row ? static_cast<T>(recipe_.diagonal) : T{-1};
      }
    }
  }

  const Recipe& recipe_;
  std::uint64_t seed_;
  Index distinct_values_;
  Index height_;
  std::vector<Stretch> stretches_;
};

}  // namespace

std::string_view name(MatrixKind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<MatrixKind> parse_matrix_kind(std::string_view text) noexcept {
  const auto found = std::find(kind_names.begin(), kind_names.end(), text);
  if (found == kind_names.end()) return std::nullopt;
  return static_cast<MatrixKind>(found - kind_names.begin());
}

template <Element T>
Csr<T> generate(const GenerateOptions& options) {
  return with_enough_memory([&] {
    const Recipe recipe = recipe_for(options);
    // Finds out whether the shape is possible and such memory can be had before hours of work.
    (void)Csr<T>::sized(recipe.rows, recipe.cols, static_cast<Index>(recipe.expected_nnz));
    Rows rows(recipe, options);
    rows.draw();
    return rows.template assembled<T>();
  });
}

template Csr<float> generate(const GenerateOptions&);
template Csr<double> generate(const GenerateOptions&);

}  // namespace switchyard
