// Conversions on an OpenCL device, there and back.
#include <limits>
#include <switchyard/containers/generate.hpp>

#include "formats.hpp"
#include "opencl_fixture.hpp"
#include "own_device.hpp"
#include "sampling.hpp"

namespace switchyard::opencl::testing {
namespace {

/// An element type, and whether the device is treated as a GPU: each has kernels of its own.
template <Element T, bool gpu>
struct Case {
  using Value = T;
  static constexpr bool as_gpu = gpu;
};

template <class Case>
class OpenClConvert : public OnDevice {
 protected:
  using T = typename Case::Value;

  void SetUp() override {
    OnDevice::SetUp();
    if (this->IsSkipped()) return;
    if (!has<T>()) GTEST_SKIP() << "the device has no double precision";
  }

  static Device& device() {
    static const std::shared_ptr<Device> opened = open();
    return *opened;
  }
  static const std::shared_ptr<MemorySpace>& memory() { return device().memory(); }

  static std::shared_ptr<Device> open() {
    return open_changed([](ExecutorFacts& facts) {
      facts.is_gpu = Case::as_gpu;
      facts.shares_host_memory = !Case::as_gpu;
    });
  }

  /// Dense to CSR gives what the host gives, and CSR to dense gives the matrix again.
  static void expect_round_trip(const Dense<T>& dense) {
    const std::string shape = std::to_string(dense.rows) + " x " + std::to_string(dense.cols);
    const Csr<T> expected = compressed(dense);
    Storage<T> host(Dense<T>{dense.rows, dense.cols, copy_of(dense.values.span())});
    const Storage<T> csr = convert_dense_to_csr<T>(device(), transferred(host, memory()));
    const auto& got = std::get<Csr<T>>(csr);
    EXPECT_EQ(got.rows, dense.rows) << shape;
    EXPECT_EQ(got.cols, dense.cols) << shape;
    ASSERT_EQ(got.nnz, expected.nnz) << shape;
    EXPECT_TRUE(
        same_bits(on_host(std::get<0>(got.offsets)), on_host(std::get<0>(expected.offsets))))
        << shape;
    EXPECT_TRUE(same_bits(on_host(got.columns), on_host(expected.columns))) << shape;
    EXPECT_TRUE(same_bits(on_host(got.values), on_host(expected.values))) << shape;
    expect_dense(csr, dense);
    expect_dense(transferred(Storage<T>(compressed(dense, true)), memory()), dense);
  }

  /// A CSR matrix on the device expands to `dense`, zeros being positive.
  static void expect_dense(const Storage<T>& csr, const Dense<T>& dense) {
    const Storage<T> back = convert_csr_to_dense<T>(device(), csr);
    const auto& got = std::get<Dense<T>>(back);
    std::vector<T> expected(dense.values.span().begin(), dense.values.span().end());
    for (T& value : expected) {
      if (value == T{0}) value = T{0};
    }
    EXPECT_EQ(got.rows, dense.rows);
    EXPECT_EQ(got.cols, dense.cols);
    EXPECT_TRUE(same_bits(on_host(got.values), expected)) << dense.rows << " x " << dense.cols;
  }

  /// The structure with the blocks, heads or packets of the matrix counted: `structure_of` samples
  /// those of all but small matrices. What a sample tells is tested with each format.
  static Structure with_all_counted(Structure structure, const Storage<T>& storage) {
    double& slots = structure.slots[static_cast<std::size_t>(format_of(storage))];
    if (const auto* const blocks = std::get_if<Bsr<T>>(&storage)) {
      slots = static_cast<double>(blocks->slots());
    } else if (const auto* const packed = std::get_if<Packed<T>>(&storage)) {
      if (packed->heads.size() > 0) {
        slots = static_cast<double>(packed->heads.size() / words_of_head(packed->cols));
      }
    } else if (const auto* const packets = std::get_if<Packets<T>>(&storage)) {
      const auto in_columns = packets->pieces.bytes() + packets->narrow.bytes() +
                              packets->wide.bytes() +
                              static_cast<std::size_t>(packets->count()) * sizeof(PacketStart);
      slots = static_cast<double>(in_columns) / 2;  // in units of two bytes
    }
    return structure;
  }

  /// Every conversion between sparse formats on the device gives what the host's gives.
  static void expect_sparse_conversions(const Storage<T>& csr) {
    const Structure structure = structure_of(csr);
    const auto elements = switchyard::testing::elements_by_row(csr);
    static switchyard::testing::Sample sample;  // one walk over all matrices
    for (const auto& operation : convert_operations<T>()) {
      const bool dense = operation.from == Format::Dense || operation.to == Format::Dense;
      if (operation.backend != Backend::OpenCL || dense) continue;
      if (bytes_in(operation.to, structure, sizeof(T)) > 32e6) continue;
      if (!obstacle_to(operation.from, structure).empty() || !sample.next()) continue;
      const Storage<T> from = switchyard::testing::in_format(csr, operation.from);
      const Storage<T> to =
          transferred(operation.run(device(), transferred(from, memory())), plain_host_memory());
      ASSERT_EQ(format_of(to), operation.to);
      EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, to));
      // Offsets that were given wider than need be are shared as they are, and those of CSC are as
      // wide.
      const bool wide = std::get<Csr<T>>(csr).offsets.index() == 1;
      const bool keeps_width =
          operation.to == Format::Csc || shared_bytes(operation.from, operation.to, structure) > 0;
      if (!wide || !keeps_width) {
        EXPECT_EQ(static_cast<double>(bytes_of(to)),
                  bytes_in(operation.to, with_all_counted(structure, to), sizeof(T)))
            << name(operation.to);
      }
      SCOPED_TRACE("from " + std::string(name(operation.from)));
      switchyard::testing::expect_elements(to, elements);
    }
  }

  /// Dense to bitmap gives what the host gives, and bitmap to dense gives the matrix again.
  static void expect_bitmap_of(const Dense<T>& dense) {
    const std::string shape = std::to_string(dense.rows) + " x " + std::to_string(dense.cols);
    const auto run = [&](Executor& executor, const Storage<T>& from, Format to) {
      return find_convert<T>(format_of(from), to, executor.backend())->run(executor, from);
    };
    const std::shared_ptr<Executor> host = make_host_executor();
    const Storage<T> start(Dense<T>{dense.rows, dense.cols, copy_of(dense.values.span())});
    const Storage<T> expected = run(*host, start, Format::Bitmap);
    const Storage<T> there = run(device(), transferred(start, memory()), Format::Bitmap);
    const Storage<T> fetched = transferred(there, plain_host_memory());
    const auto& from_host = std::get<Bitmap<T>>(expected);
    const auto& from_device = std::get<Bitmap<T>>(fetched);
    EXPECT_NO_THROW(from_device.check()) << shape;
    ASSERT_EQ(from_device.nnz, from_host.nnz) << shape;
    EXPECT_TRUE(std::ranges::equal(from_device.masks.span(), from_host.masks.span())) << shape;
    for (Index i = 0; i <= dense.rows; ++i) ASSERT_EQ(from_device.offset(i), from_host.offset(i));
    EXPECT_TRUE(same_bits(on_host(from_device.values), on_host(from_host.values))) << shape;
    const Storage<T> back = transferred(run(device(), there, Format::Dense), plain_host_memory());
    const Storage<T> host_back = run(*host, expected, Format::Dense);
    EXPECT_TRUE(same_bits(on_host(std::get<Dense<T>>(back).values),
                          on_host(std::get<Dense<T>>(host_back).values)))
        << shape;
  }

  static Csr<T> generated(MatrixKind kind, Index rows) {
    return generate<T>({.kind = kind, .rows = rows, .seed = 5});
  }
};

using Cases = ::testing::Types<Case<float, false>, Case<double, false>, Case<float, true>,
                               Case<double, true>>;
TYPED_TEST_SUITE(OpenClConvert, Cases);

TYPED_TEST(OpenClConvert, ShapesAroundEveryGroupSize) {
  using T = typename TypeParam::Value;
  for (const Index rows : {1, 2, 255, 256, 257}) {
    for (const Index cols : {1, 3, 4, 5, 64, 127, 1020, 1023, 1024, 1025}) {
      TestFixture::expect_round_trip(random_dense<T>(rows, cols, 0.4));
    }
  }
}

// More rows than one chunk, and than one chunk for each item of the group that adds up chunks.
TYPED_TEST(OpenClConvert, ManyRows) {
  using T = typename TypeParam::Value;
  for (const Index rows : {2047, 2048, 2049, 70001}) {
    TestFixture::expect_round_trip(random_dense<T>(rows, 3, 0.4));
  }
  TestFixture::expect_round_trip(random_dense<T>(530000, 1, 0.5));
}

TYPED_TEST(OpenClConvert, EveryDensity) {
  using T = typename TypeParam::Value;
  for (const double density : {0.0, 0.001, 0.5, 1.0}) {
    TestFixture::expect_round_trip(random_dense<T>(101, 5003, density));
  }
}

TYPED_TEST(OpenClConvert, FewLongRows) {
  using T = typename TypeParam::Value;
  for (const Index rows : {1, 3}) {
    for (const Index cols : {Index{4096}, Index{4097}, Index{20011}, Index{150000}}) {
      TestFixture::expect_round_trip(random_dense<T>(rows, cols, 0.3));
    }
  }
}

TYPED_TEST(OpenClConvert, EmptyShapes) {
  using T = typename TypeParam::Value;
  TestFixture::expect_round_trip({0, 0, Array<T>(0)});
  TestFixture::expect_round_trip({0, 9, Array<T>(0)});
  TestFixture::expect_round_trip({9, 0, Array<T>(0)});
}

TYPED_TEST(OpenClConvert, SpecialValuesAreKeptAndNegativeZerosAreNot) {
  using T = typename TypeParam::Value;
  using Limits = std::numeric_limits<T>;
  auto dense = random_dense<T>(5, 40, 0.5);
  dense.values[3] = Limits::quiet_NaN();
  dense.values[47] = Limits::infinity();
  dense.values[48] = -Limits::infinity();
  dense.values[100] = Limits::denorm_min();
  dense.values[101] = -T{0};
  dense.values[199] = Limits::quiet_NaN();
  TestFixture::expect_round_trip(dense);
}

TYPED_TEST(OpenClConvert, SparseFormatsOfEveryShape) {
  using T = typename TypeParam::Value;
  for (const Index rows : {1, 2, 63, 64, 65, 255, 256, 257, 2100}) {
    for (const Index cols : {1, 5, 70}) {
      TestFixture::expect_sparse_conversions(compressed(random_dense<T>(rows, cols, 0.3)));
      TestFixture::expect_sparse_conversions(compressed(random_dense<T>(rows, cols, 0.3), true));
    }
  }
  TestFixture::expect_sparse_conversions(compressed(Dense<T>{0, 9, Array<T>(0)}));
  TestFixture::expect_sparse_conversions(compressed(Dense<T>{9, 0, Array<T>(0)}));
  TestFixture::expect_sparse_conversions(compressed(random_dense<T>(70, 30, 0.0)));
  TestFixture::expect_sparse_conversions(compressed(random_dense<T>(3, 20011, 0.3)));
  for (const MatrixKind kind : {MatrixKind::PowerLaw, MatrixKind::Poisson2d, MatrixKind::Banded}) {
    for (const Format values : {Format::Csr, Format::CsrConst, Format::CsrDict8}) {
      TestFixture::expect_sparse_conversions(
          switchyard::testing::recoded(TestFixture::generated(kind, 2000), values));
    }
  }
}

TYPED_TEST(OpenClConvert, TooManyColumnsForCsrAreRefused) {
  using T = typename TypeParam::Value;
  const Index cols = Index{1} << 31;
  Storage<T> matrix(Dense<T>{0, cols, Array<T>(0, this->memory())});
  try {
    (void)convert_dense_to_csr<T>(this->device(), matrix);
    FAIL() << "columns beyond 32 bits were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfRange);
  }
}

TYPED_TEST(OpenClConvert, LeavesNothingBehind) {
  using T = typename TypeParam::Value;
  EXPECT_EQ(this->memory()->used(), 0U);
  TestFixture::expect_round_trip(random_dense<T>(64, 64, 0.5));
  EXPECT_EQ(this->memory()->used(), 0U);
}

TYPED_TEST(OpenClConvert, ABudgetTooSmallIsAnErrorAndLeavesNothingBehind) {
  using T = typename TypeParam::Value;
  Storage<T> host(random_dense<T>(100, 100, 1.0));
  const Storage<T> matrix = transferred(host, this->memory());
  // What the device keeps as its own for all conversions is there after the first.
  (void)convert_dense_to_csr<T>(this->device(), matrix);
  const std::size_t before = this->memory()->used();
  for (const std::size_t spare : {0, 400, 5000, 50000}) {
    this->memory()->set_budget(before + this->memory()->own() + spare);
    try {
      (void)convert_dense_to_csr<T>(this->device(), matrix);
      ADD_FAILURE() << "converted within " << spare << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::DeviceOutOfMemory);
    }
    EXPECT_EQ(this->memory()->used(), before);
  }
  this->memory()->set_budget(MemorySpace::unlimited);
}

TYPED_TEST(OpenClConvert, BitmapsOfDenseMatricesOfEveryShape) {
  using T = typename TypeParam::Value;
  for (const Index rows : {1, 5, 129}) {
    for (const Index cols : {1, 31, 64, 65, 1000, 1024, 4095, 4097, 9000}) {
      TestFixture::expect_bitmap_of(random_dense<T>(rows, cols, 0.4));
    }
  }
  TestFixture::expect_bitmap_of(random_dense<T>(300, 200, 0));
  TestFixture::expect_bitmap_of(random_dense<T>(300, 200, 1));
  TestFixture::expect_bitmap_of(Dense<T>::sized(0, 5));
  TestFixture::expect_bitmap_of(Dense<T>::sized(5, 0));
}

}  // namespace
}  // namespace switchyard::opencl::testing
