// Matrices of more than 2^31 nonzeros on a device whose memory takes them.
#include <sys/mman.h>

#include "opencl_multiply_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

constexpr Index edge = Index{1} << 31;

class OpenClLargeOffsets : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    const ExecutorFacts& facts = devices().front()->facts();
    constexpr std::size_t needed = std::size_t{9} << 30;
    if (facts.largest_allocation < needed || facts.memory_bytes < 3 * needed) {
      GTEST_SKIP() << "the device takes no array of " << needed << " bytes";
    }
  }
};

/// Host memory of which only what is written takes any.
template <class T>
std::shared_ptr<T> zeros(Index size) {
  const auto bytes = static_cast<std::size_t>(size) * sizeof(T);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<T*>(memory), [bytes](T* pages) { munmap(pages, bytes); }};
}

TEST_F(OpenClLargeOffsets, EveryVariantIsRightBeyondTheEdge) {
  // Rows of some length up to the edge, and then some that end just before, at and beyond it.
  constexpr Index length = 2048;
  std::vector<std::int64_t> offsets;
  for (Index k = 0; k < edge; k += length) offsets.push_back(k);
  const std::vector<Index> ends{edge - 7, edge - 7, edge, edge + 5, edge + 5, edge + 40};
  offsets.insert(offsets.end(), ends.begin(), ends.end());
  const Index rows = std::ssize(offsets) - 1;
  const Index nnz = offsets.back();
  std::vector<float> expected(static_cast<std::size_t>(rows), 0.0F);
  expected.front() = 2;
  std::ranges::copy(std::vector<float>{4, 0, 14, 10, 0, 70}, expected.end() - 6);
  const auto columns = zeros<Column>(nnz);
  const auto values = zeros<float>(nnz);
  if (!columns || !values) GTEST_SKIP() << "no such address space";
  values.get()[0] = 1;
  std::fill(values.get() + edge - 9, values.get() + nnz, 1.0F);

  const auto size = static_cast<std::size_t>(nnz);
  Csr<float> host{rows,
                  1,
                  nnz,
                  Array<std::int64_t>(std::move(offsets)),
                  Array<Column>::borrow({columns.get(), size}),
                  Array<float>::borrow({values.get(), size})};
  const Storage<float> matrix = transferred(Storage<float>(std::move(host)), memory());
  const Array<float> x = on_device(std::vector<float>{2});
  for (const Variant<float>& variant : variants<float>()) {
    if (variant.format != Format::Csr || !variant.wide) continue;
    Array<float> y = on_device(std::vector<float>(expected.size(), 9));
    variant.run({*devices().front(), matrix, 1, x, 0, y});
    EXPECT_TRUE(on_host(y) == expected) << variant.name;
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
