// What the tests of products on an OpenCL device share: every variant against the reference.
#pragma once

#include <limits>
#include <optional>
#include <switchyard/backends/operations.hpp>

#include "formats.hpp"
#include "opencl_fixture.hpp"
#include "sampling.hpp"

namespace switchyard::opencl::testing {

/// A work-group's share of the merge path and of the stream.
inline constexpr Index merge_tile = 128 * 7;
inline constexpr Index stream_piece = 256 * 8;

template <Element T>
using Run = void (*)(const MultiplyArguments<T>&);

template <Element T>
struct Variant {
  std::string name;
  Format format;
  bool wide;
  Run<T> run;
};

/// Every product of one column on OpenCL in the table, but those that scatter; those of CSR with
/// either width of offsets. Others have tests of their own (csc_test, columns_test).
template <Element T>
std::vector<Variant<T>> variants() {
  std::vector<Variant<T>> found;
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != Backend::OpenCL || !operation.computes(Request{})) continue;
    if (gathered_operand(operation.format) != Operand::Matrix) continue;
    const std::string name =
        std::string(switchyard::name(operation.format)) + " " + std::string(operation.variant);
    found.push_back({name, operation.format, false, operation.kernel});
    if (operation.format == Format::Csr) {
      found.push_back({name + ", wide offsets", operation.format, true, operation.kernel});
    }
  }
  return found;
}

/// A CSR matrix whose rows have these lengths, with the columns of each spread over all.
template <Element T>
Csr<T> with_lengths(const std::vector<Index>& lengths, Index cols, bool wide) {
  std::vector<std::int64_t> offsets{0};
  std::vector<Column> columns;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const Index length = lengths[row];
    const Index first = length < cols ? static_cast<Index>(row) % (cols - length) : 0;
    const Index step = length > 0 ? std::max<Index>(1, (cols - first) / length) : 1;
    for (Index k = 0; k < length; ++k) columns.push_back(static_cast<Column>(first + k * step));
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  Csr<T> csr{static_cast<Index>(lengths.size()), cols, offsets.back(), {}, {}, {}};
  csr.values = Array<T>(random_values<T>(csr.nnz, 21));
  csr.columns = Array<Column>(std::move(columns));
  if (wide) {
    csr.offsets = Array<std::int64_t>(std::move(offsets));
  } else {
    csr.offsets = Array<std::int32_t>(std::vector<std::int32_t>(offsets.begin(), offsets.end()));
  }
  return csr;
}

template <Element T>
Storage<T> in_format(const Dense<T>& dense, const Variant<T>& variant) {
  if (variant.format == Format::Csr) return compressed(dense, variant.wide);
  if (variant.format != Format::Dense) {
    return switchyard::testing::in_format<T>(
        switchyard::testing::recoded(compressed(dense), variant.format), variant.format);
  }
  return Dense<T>{dense.rows, dense.cols, copy_of(dense.values.span())};
}

template <class T>
class OpenClMultiply : public OnDeviceOf<T> {
 protected:
  /// What one variant makes of alpha A x + beta y.
  static std::vector<T> product(const Variant<T>& variant, const Storage<T>& host, T alpha,
                                const std::vector<T>& x, T beta, const std::vector<T>& y) {
    const Storage<T> matrix = transferred(host, OnDevice::memory());
    const Array<T> x_there = OnDevice::on_device(x);
    Array<T> y_there = OnDevice::on_device(y);
    variant.run({OnDevice::device(), matrix, alpha, x_there, beta, y_there});
    OnDevice::device().finish();
    return OnDevice::on_host(y_there);
  }

  /// alpha and beta of one product, and what is in y before.
  struct Numbers {
    T alpha;
    T beta;
    const std::vector<T>& y;
  };

  /// A matrix in some format, and what must come out of a product with each of several numbers:
  /// computed when it is first asked for, as that takes longer than the products.
  struct Problem {
    Storage<T> host;
    std::vector<std::vector<ReferenceRow>> expected;
  };

  static void expect_right_in(const Variant<T>& variant, Problem& problem, const std::vector<T>& x,
                              const std::vector<Numbers>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [alpha, beta, y] = all[i];
      if (i == problem.expected.size()) {
        problem.expected.push_back(reference_multiply<T>(problem.host, alpha, std::span<const T>(x),
                                                         beta, std::span<const T>(y)));
      }
      const std::vector<T> got = product(variant, problem.host, alpha, x, beta, y);
      EXPECT_LE(worst_error<T>(problem.expected[i], std::span<const T>(got)), 1.0)
          << variant.name << ", " << rows_of(problem.host) << " x " << cols_of(problem.host)
          << ", alpha " << alpha << ", beta " << beta;
    }
  }

  /// By every variant of the formats whose number is `turn` modulo `turns`, and that are for such
  /// matrices.
  static void expect_right(const Dense<T>& dense, const std::vector<T>& x,
                           const std::vector<Numbers>& all, std::size_t turn = 0,
                           std::size_t turns = 1) {
    const Csr<T> csr = compressed(dense);
    const Variant<T>* made_for = nullptr;
    std::optional<Problem> made;
    switchyard::testing::Sample& sample = OpenClMultiply::sample();
    for (const Variant<T>& variant : OpenClMultiply::all_variants()) {
      if (static_cast<std::size_t>(variant.format) % turns != turn % turns) continue;
      if (!sample.next()) continue;
      if (!made_for || made_for->format != variant.format || made_for->wide != variant.wide) {
        made_for = &variant;
        made.reset();
        if (!is_mostly_padding(variant.format, csr)) made = Problem{in_format(dense, variant), {}};
      }
      if (made) expect_right_in(variant, *made, x, all);
    }
  }
  static void expect_right(const Dense<T>& dense, T alpha, const std::vector<T>& x, T beta,
                           const std::vector<T>& y) {
    expect_right(dense, x, {{alpha, beta, y}});
  }

  /// A sparse matrix with rows of these lengths, by every variant that takes one.
  static void expect_right_rows(const std::vector<Index>& lengths, Index cols) {
    const std::vector<T> x = random_values<T>(cols, 7);
    const std::vector<T> y = random_values<T>(static_cast<Index>(lengths.size()), 8);
    const std::vector<T> nan(y.size(), std::numeric_limits<T>::quiet_NaN());
    const std::vector<Numbers> all{{T(-1.75), T(0), nan}, {T(-1.75), T(0.5), y}};
    const Variant<T>* made_for = nullptr;
    std::optional<Problem> made;
    switchyard::testing::Sample& sample = OpenClMultiply::sample();
    for (const Variant<T>& variant : all_variants()) {
      if (!sample.next()) continue;
      if (!made_for || made_for->format != variant.format || made_for->wide != variant.wide) {
        made_for = &variant;
        made.reset();
        if (auto host = with_rows(lengths, cols, variant)) made = Problem{std::move(*host), {}};
      }
      if (made) expect_right_in(variant, *made, x, all);
    }
  }
  /// Nothing where the format is not for such matrices.
  static std::optional<Storage<T>> with_rows(const std::vector<Index>& lengths, Index cols,
                                             const Variant<T>& variant) {
    Csr<T> csr =
        switchyard::testing::recoded(with_lengths<T>(lengths, cols, variant.wide), variant.format);
    if (variant.format == Format::Dense || is_mostly_padding(variant.format, csr)) return {};
    return switchyard::testing::in_format<T>(std::move(csr), variant.format);
  }
  /// Whether the format takes so much memory for that matrix that nobody would use it: diagonals of
  /// 20,000 short rows take gigabytes.
  static bool is_mostly_padding(Format format, const Csr<T>& csr) {
    if (format == Format::Dense || format == Format::Csr) return false;
    constexpr double most_bytes = 1e8;
    return bytes_in(format, structure_of(csr), sizeof(T)) > most_bytes;
  }

  static void expect_right(const Dense<T>& dense, std::size_t turn = 0, std::size_t turns = 1) {
    const std::vector<T> x = random_values<T>(dense.cols, 7);
    const std::vector<T> y = random_values<T>(dense.rows, 8);
    expect_right(dense, x, {{T(1), T(0), y}, {T(-1.75), T(0.5), y}}, turn, turns);
  }

  /// One walk over all matrices of a test.
  static switchyard::testing::Sample& sample() {
    static switchyard::testing::Sample one;
    return one;
  }

  static const std::vector<Variant<T>>& all_variants() {
    static const std::vector<Variant<T>> all = variants<T>();
    return all;
  }
};

}  // namespace switchyard::opencl::testing
