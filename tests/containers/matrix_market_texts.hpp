// Valid Matrix Market texts in every class, and what reading them gives.
#pragma once

#include <array>
#include <map>
#include <string_view>
#include <switchyard/containers/matrix_market.hpp>
#include <utility>

namespace switchyard {

using ElementsByPlace = std::map<std::pair<Index, Index>, double>;

struct ValidText {
  std::string_view name;
  std::string_view text;
  Index rows;
  Index cols;
  ElementsByPlace elements;  ///< all that are stored; of a dense matrix those that are not 0
};

/// The stored elements of a matrix; of a dense one those that are not 0.
template <Element T>
ElementsByPlace elements_of(const Storage<T>& storage) {
  ElementsByPlace elements;
  if (const auto* dense = std::get_if<Dense<T>>(&storage)) {
    for (Index k = 0; k < dense->values.size(); ++k) {
      if (dense->values[k] != T{0}) {
        elements[{k / dense->cols, k % dense->cols}] = static_cast<double>(dense->values[k]);
      }
    }
    return elements;
  }
  const auto& csr = std::get<Csr<T>>(storage);
  for (Index i = 0; i < csr.rows; ++i) {
    for (Index k = csr.offset(i); k < csr.offset(i + 1); ++k) {
      elements[{i, csr.columns[k]}] = static_cast<double>(csr.values[k]);
    }
  }
  return elements;
}

inline const std::array valid_texts{
    ValidText{"real",
              "%%MatrixMarket matrix coordinate real general\n"
              "3 4 3\n1 1 1.5\n3 4 -2e1\n2 2 .25\n",
              3,
              4,
              {{{0, 0}, 1.5}, {{2, 3}, -20}, {{1, 1}, 0.25}}},
    ValidText{"comments and blank lines",
              "%%MatrixMarket matrix coordinate real general\n"
              "% a comment\n\n%another\n  \t\n  % indented\n2 2 2\n\n1 1 1\n\n \n2 2 2\n\n",
              2,
              2,
              {{{0, 0}, 1}, {{1, 1}, 2}}},
    ValidText{"CRLF",
              "%%MatrixMarket matrix coordinate real general\r\n%\r\n\r\n2 2 1\r\n2 1 5\r\n",
              2,
              2,
              {{{1, 0}, 5}}},
    ValidText{"no newline at the end",
              "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7",
              1,
              1,
              {{{0, 0}, 7}}},
    ValidText{"banner in other case, blanks and tabs",
              "%%matrixMARKET  Matrix\tCOORDINATE Real General \n  2\t2  1 \n\t1   2\t 3.0 \n",
              2,
              2,
              {{{0, 1}, 3}}},
    ValidText{"plus signs",
              "%%MatrixMarket matrix coordinate real general\n+2 +2 +1\n+1 +2 +3\n",
              2,
              2,
              {{{0, 1}, 3}}},
    ValidText{"duplicates",
              "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 1 2\n1 1 4\n",
              2,
              2,
              {{{0, 0}, 7}}},
    ValidText{"stored zero",
              "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0\n",
              2,
              2,
              {{{0, 1}, 0}}},
    ValidText{"integer",
              "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 -3\n2 1 16777216\n",
              2,
              2,
              {{{0, 0}, -3}, {{1, 0}, 16777216}}},
    ValidText{"pattern",
              "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n",
              2,
              3,
              {{{0, 2}, 1}, {{1, 0}, 1}}},
    ValidText{"symmetric",
              "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n3 2 4\n",
              3,
              3,
              {{{0, 0}, 1}, {{2, 0}, 2}, {{0, 2}, 2}, {{2, 1}, 4}, {{1, 2}, 4}}},
    ValidText{"symmetric pattern",
              "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n",
              2,
              2,
              {{{1, 0}, 1}, {{0, 1}, 1}, {{1, 1}, 1}}},
    ValidText{"skew-symmetric",
              "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 1 -4\n",
              3,
              3,
              {{{1, 0}, 2}, {{0, 1}, -2}, {{2, 0}, -4}, {{0, 2}, 4}}},
    ValidText{"array",
              "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6.5\n",
              2,
              3,
              {{{0, 0}, 1}, {{1, 0}, 2}, {{0, 1}, 3}, {{1, 1}, 4}, {{0, 2}, 5}, {{1, 2}, 6.5}}},
    ValidText{"integer array",
              "%%MatrixMarket matrix array integer general\n% c\n1 2\n\n7\n\n-8\n",
              1,
              2,
              {{{0, 0}, 7}, {{0, 1}, -8}}},
    ValidText{"symmetric array",
              "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
              3,
              3,
              {{{0, 0}, 1},
               {{1, 0}, 2},
               {{2, 0}, 3},
               {{0, 1}, 2},
               {{1, 1}, 4},
               {{2, 1}, 5},
               {{0, 2}, 3},
               {{1, 2}, 5},
               {{2, 2}, 6}}},
    ValidText{"skew-symmetric array",
              "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
              3,
              3,
              {{{1, 0}, 1}, {{2, 0}, 2}, {{2, 1}, 3}, {{0, 1}, -1}, {{0, 2}, -2}, {{1, 2}, -3}}},
    ValidText{
        "empty coordinate", "%%MatrixMarket matrix coordinate real general\n0 0 0\n", 0, 0, {}},
    ValidText{"no entries", "%%MatrixMarket matrix coordinate real general\n3 5 0\n", 3, 5, {}},
    ValidText{"empty array", "%%MatrixMarket matrix array real general\n0 3\n", 0, 3, {}},
    ValidText{"skew-symmetric array of one",
              "%%MatrixMarket matrix array real skew-symmetric\n1 1\n",
              1,
              1,
              {}},
    ValidText{"largest number of columns",
              "%%MatrixMarket matrix coordinate real general\n1 2147483647 1\n1 2147483647 1\n",
              1,
              2147483647,
              {{{0, 2147483646}, 1}}},
};

}  // namespace switchyard
