// Every operation of a matrix with each of its allocations failing in turn.
#include "core/allocations/matrices.hpp"
#include "core/allocations/sweep.hpp"

namespace switchyard::testing {
namespace {

template <class T>
class MatrixAllocations : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixAllocations, Elements);

/// A call on a matrix that changes nothing but the copies there are.
template <Element T>
void sweep_look(const std::string& name, Format format,
                const std::function<void(const GMatrix<T>&)>& look, bool allocates = true) {
  sweep(
      name,
      [&]() -> Trial {
        const auto made = std::make_shared<Yardful<T>>(format);
        return {.call = [made, &look] { look(*made->matrix); },
                .unchanged = [made] { EXPECT_FALSE(made->matrix->states().empty()); },
                .done = [made] { made->expect_contents(); }};
      },
      allocates);
}

TYPED_TEST(MatrixAllocations, Making) {
  using T = TypeParam;
  const Runtime runtime(quiet_options());
  const auto dense = random_dense<T>(13, 11, 0.4, 1);
  const std::vector<Triplet<T>> triplets{{0, 1, T(2)}, {2, 0, T(3)}, {0, 1, T(1)}};
  sweep("from row-major data", [&]() -> Trial {
    return {
        [&] { static_cast<void>(runtime.matrix<T>(13, 11, std::as_const(dense).values.span())); }};
  });
  sweep("from triplets", [&]() -> Trial {
    return {
        [&] { static_cast<void>(runtime.matrix<T>(4, 5, std::span<const Triplet<T>>(triplets))); }};
  });
  sweep("from CSR arrays", [&]() -> Trial {
    struct Arrays {
      std::vector<Index> offsets{0, 1, 1, 3};
      std::vector<Column> columns[2]{{2, 0, 3}, {2, 0, 3}};
      std::vector<T> values[2]{{1, 2, 3}, {1, 2, 3}};
      int calls = 0;  // one set for that which fails and one for that afterwards
    };
    const auto arrays = std::make_shared<Arrays>();
    return {[&runtime, arrays] {
      const int call = arrays->calls++;
      static_cast<void>(
          runtime.matrix(csr_from_arrays<T>(3, 4, arrays->offsets, std::move(arrays->columns[call]),
                                            std::move(arrays->values[call]))));
    }};
  });
}

TYPED_TEST(MatrixAllocations, Products) {
  using T = TypeParam;
  for (const State pinned : {dense_host, csr_host}) {
    for (const T beta : {T(0), T(0.5)}) {
      sweep("product with spans in " + name(pinned), [&]() -> Trial {
        const auto made = std::make_shared<Yardful<T>>();
        made->matrix->pin(pinned);
        return {.call =
                    [made, beta] {
                      made->matrix->multiply(T(2), std::span<const T>(made->x), beta,
                                             std::span<T>(made->y));
                    },
                .unchanged = [made] { EXPECT_TRUE(same_bits<T>(made->y, made->start())); },
                .done =
                    [made, beta] {
                      made->expect_product(made->y, T(2), beta);
                      made->expect_contents();
                    }};
      });
      sweep("product with vectors in " + name(pinned), [&]() -> Trial {
        const auto made = std::make_shared<Yardful<T>>();
        made->matrix->pin(pinned);
        const auto x = std::make_shared<Vector<T>>(std::span<const T>(made->x));
        const auto y = std::make_shared<Vector<T>>(std::span<const T>(made->y));
        return {.call = [=] { made->matrix->multiply(T(2), *x, beta, *y); },
                .unchanged =
                    [=] {
                      EXPECT_TRUE(same_bits<T>(y->read(), made->start()));
                      EXPECT_TRUE(same_bits<T>(x->read(), made->x));
                    },
                .done =
                    [=] {
                      made->expect_product(y->read(), T(2), beta);
                      made->expect_contents();
                    }};
      });
    }
  }
}

TYPED_TEST(MatrixAllocations, ManyProductsWithoutAPin) {
  using T = TypeParam;
  sweep("twenty products after a hint", []() -> Trial {
    const auto made = std::make_shared<Yardful<T>>(Format::Csr);
    return {.call =
                [made] {
                  made->matrix->expect_calls(1000);
                  for (int i = 0; i < 20; ++i) {
                    made->matrix->multiply(std::span<const T>(made->x), std::span<T>(made->y));
                  }
                },
            .done = [made] { made->expect_product(made->y); }};
  });
}

TYPED_TEST(MatrixAllocations, Copies) {
  using T = TypeParam;
  for (const Format from : {Format::Dense, Format::Csr}) {
    for (const FormatFacts& facts : format_table) {
      const Format to = facts.format;
      const State target{Space::host(), to};
      sweep_look<T>("copy_out", from,
                    [to](const auto& matrix) { static_cast<void>(matrix.copy_out(to)); });
      sweep_look<T>(
          "bring_to", from, [target](const auto& matrix) { matrix.bring_to(target); }, from != to);
    }
  }
  sweep(
      "evict",
      []() -> Trial {
        const auto made = std::make_shared<Yardful<T>>();
        made->matrix->bring_to(csr_host);
        return {.call = [made] { EXPECT_TRUE(made->matrix->evict(dense_host)); },
                .done = [made] { made->expect_contents(); }};
      },
      false);
}

TYPED_TEST(MatrixAllocations, Looks) {
  using T = TypeParam;
  const auto look = [](const std::string& name, auto call, bool allocates) {
    sweep_look<T>(name, Format::Dense, call, allocates);
  };
  look(
      "states", [](const auto& m) { static_cast<void>(m.states()); }, true);
  look(
      "plan", [](const auto& m) { static_cast<void>(m.plan()); }, true);
  look(
      "explain", [](const auto& m) { static_cast<void>(m.explain()); }, true);
  look(
      "structure", [](const auto& m) { static_cast<void>(m.structure()); }, false);
  for (const auto format : {Format::Dense, Format::Csr}) {
    sweep_look<T>("transposed", format,
                  [](const auto& m) { EXPECT_EQ(m.transposed().rows(), m.cols()); });
  }
  look(
      "norms", [](const auto& m) { EXPECT_GT(norm_one(m) + norm_infinity(m), norm_max(m)); }, true);
  look(
      "sums",
      [](const auto& m) {
        Vector<T> rows(m.rows());
        Vector<T> columns(m.cols());
        Vector<T> elements(std::min(m.rows(), m.cols()));
        row_sums(m, rows);
        column_sums(m, columns);
        diagonal(m, elements);
      },
      true);
  look(
      "measure_products", [](const auto& m) { m.measure_products(true); }, false);
  look(
      "pin", [](const auto& m) { m.pin(csr_host); }, false);
  look(
      "unpin", [](const auto& m) { m.unpin(); }, false);
  look(
      "pinned", [](const auto& m) { static_cast<void>(m.pinned()); }, false);
  look(
      "expect_calls", [](const auto& m) { m.expect_calls(7); }, false);
  sweep("history", []() -> Trial {
    const auto made = std::make_shared<Yardful<T>>();
    made->matrix->multiply(std::span<const T>(made->x), std::span<T>(made->y));
    return {[made] { EXPECT_EQ(made->matrix->history().size(), 1U); }};
  });
}

TYPED_TEST(MatrixAllocations, Writing) {
  using T = TypeParam;
  for (const Format from : {Format::Dense, Format::Csr}) {
    sweep("write_dense", [from]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      made->matrix->bring_to(csr_host);
      return {.call = [made] { made->matrix->write_dense([](auto values) { values[5] = 9; }); },
              .unchanged = [made] { made->expect_contents(); },
              .done =
                  [made] {
                    made->contents.values[5] = 9;
                    made->expect_contents();
                  }};
    });
    sweep("map", [from]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      return {.call = [made] { scale(*made->matrix, T(2)); },
              .unchanged = [made] { made->expect_contents(); },
              .done =
                  [made] {
                    for (T& value : made->contents.values.span()) value *= 2;
                    made->expect_contents();
                  }};
    });
    for (const bool by_rows : {true, false}) {
      sweep(by_rows ? "scale_rows" : "scale_columns", [from, by_rows]() -> Trial {
        const auto made = std::make_shared<Yardful<T>>(from);
        const auto factors = std::make_shared<Vector<T>>(by_rows ? 13 : 11, T(2));
        return {.call =
                    [=] {
                      by_rows ? scale_rows(*made->matrix, *factors)
                              : scale_columns(*made->matrix, *factors);
                    },
                .unchanged = [made] { made->expect_contents(); },
                .done =
                    [made] {
                      for (T& value : made->contents.values.span()) value *= 2;
                      made->expect_contents();
                    }};
      });
    }
    sweep("write_csr", [from]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      return {.call =
                  [made] {
                    made->matrix->write_csr([](const auto&, auto values) {
                      for (T& value : values) value *= 2;
                    });
                  },
              .unchanged = [made] { made->expect_contents(); },
              .done =
                  [made] {
                    for (T& value : made->contents.values.span()) value *= 2;
                    made->expect_contents();
                  }};
    });
  }
  sweep("assign", []() -> Trial {
    const auto made = std::make_shared<Yardful<T>>();
    const auto other = random_dense<T>(3, 5, 0.5, 7);
    // One for the call that fails and one for the call afterwards.
    auto spare = std::make_shared<std::vector<Storage<T>>>();
    for (int i = 0; i < 2; ++i) {
      spare->push_back(Dense<T>{3, 5, copy_of(std::as_const(other).values.span())});
    }
    return {.call =
                [made, spare] {
                  Storage<T> next = std::move(spare->back());
                  spare->pop_back();
                  made->matrix->assign(std::move(next));
                },
            .unchanged = [made] { made->expect_contents(); },
            .done = [made] { EXPECT_EQ(made->matrix->rows(), 3); }};
  });
}

TYPED_TEST(MatrixAllocations, Skeletons) {
  using T = TypeParam;
  constexpr auto product = [](auto a, auto x) { return a * x; };
  constexpr auto upper = [](auto i, auto j, auto a) { return where(i <= j, a, T(0)); };
  for (const Format from : {Format::Dense, Format::Csr}) {
    sweep_look<T>("norm", from, [](const auto& matrix) { EXPECT_GT(norm(matrix), T(0)); });
    sweep_look<T>("fold by place", from, [&](const auto& matrix) {
      static_cast<void>(map_reduce(matrix, upper, fold::plus));
    });
    sweep("map_rows", [&]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      const auto x = std::make_shared<Vector<T>>(std::span<const T>(made->x));
      const auto y = std::make_shared<Vector<T>>(std::span<const T>(made->y));
      return {.call = [=] { map_rows(*y, product, fold::plus, *made->matrix, *x); },
              .unchanged =
                  [=] {
                    EXPECT_TRUE(same_bits<T>(y->read(), made->start()));
                    made->expect_contents();
                  },
              .done =
                  [=] {
                    made->expect_product(y->read());
                    made->expect_contents();
                  }};
    });
    sweep("map by place", [&]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      return {.call = [=] { map(*made->matrix, upper); },
              .unchanged = [=] { made->expect_contents(); },
              .done =
                  [=] {
                    for (Index k = 0; k < made->contents.values.size(); ++k) {
                      if (k / made->contents.cols > k % made->contents.cols)
                        made->contents.values[k] = T(0);
                    }
                    made->expect_contents();
                  }};
    });
    sweep("map of two", [&]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      const auto other = std::make_shared<Yardful<T>>(from);
      return {.call = [=] { map(*made->matrix, product, *made->matrix, *other->matrix); },
              .unchanged = [=] { made->expect_contents(); },
              .done =
                  [=] {
                    for (T& value : made->contents.values.span()) value *= value;
                    made->expect_contents();
                  }};
    });
    sweep("map with a vector", [&]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      const auto halves = std::make_shared<Vector<T>>(made->contents.rows, T(0.5));
      return {.call = [=] { scale_rows(*made->matrix, *halves); },
              .unchanged = [=] { made->expect_contents(); },
              .done =
                  [=] {
                    for (T& value : made->contents.values.span()) value *= T(0.5);
                    made->expect_contents();
                  }};
    });
    sweep("windows", [&]() -> Trial {
      const auto made = std::make_shared<Yardful<T>>(from);
      return {.call =
                  [=] {
                    map_overlap(
                        *made->matrix, [](auto w) { return w(0, 0) + w(0, 0); }, Edge::wrap(),
                        *made->matrix);
                  },
              .unchanged = [=] { made->expect_contents(); },
              .done =
                  [=] {
                    for (T& value : made->contents.values.span()) value *= 2;
                    made->expect_contents();
                  }};
    });
  }
}

}  // namespace
}  // namespace switchyard::testing
