// Which arrays of two matrices are the same memory.
#pragma once

#include <gtest/gtest.h>

#include <switchyard/containers/formats.hpp>

namespace switchyard::testing {

inline const void* handle_of(const Offsets& offsets) {
  return std::visit([](const auto& array) -> const void* { return array.handle(); }, offsets);
}

/// Expects that a packed matrix and CSR, one of which was made from the other, share what the table
/// says they do, and nothing else.
template <Element T>
void expect_shared(const Csr<T>& csr, const Packed<T>& packed) {
  EXPECT_EQ(handle_of(packed.offsets), handle_of(csr.offsets));
  if (packed.coding().columns == ColumnCoding::Plain) {
    EXPECT_EQ(packed.wide.handle(), csr.columns.handle());
  } else if (packed.wide.size() > 0) {
    EXPECT_NE(packed.wide.handle(), csr.columns.handle());
  }
  EXPECT_NE(packed.values.handle(), csr.values.handle());
}

}  // namespace switchyard::testing
