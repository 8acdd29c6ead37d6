// SuiteSparse:GraphBLAS: CSR products over the ordinary plus and times, on full vectors.
#include <algorithm>
#include <array>

#include "cblas.hpp"

namespace switchyard::command::bench {
namespace {

// As GraphBLAS.h has them. Objects are pointers; types and semirings are variables.
using Object = void*;
using Size = std::uint64_t;
using New = int(Object* vector, Object type, Size size);
using Free = int(Object* object);
using MatrixVector = int(Object w, Object mask, Object accumulate, Object semiring, Object matrix,
                         Object vector, Object descriptor);
template <Element T>
using Import = int(Object* matrix, Object type, Size rows, Size cols, const Size* offsets,
                   const Size* columns, const T* values, Size offset_count, Size column_count,
                   Size value_count, int format);
template <Element T>
using Fill = int(Object vector, Object mask, Object accumulate, T value, const Size* indices,
                 Size count, Object descriptor);
template <Element T>
using SetElement = int(Object vector, T value, Size index);
template <Element T>
using Extract = int(Size* indices, T* values, Size* count, Object vector);

const DynamicLibrary& library() {
  static const DynamicLibrary loaded{"libgraphblas.so.10", "libgraphblas.so.9", "libgraphblas.so.8",
                                     "libgraphblas.so.7",  "libgraphblas.so.6", "libgraphblas.so"};
  return loaded;
}

/// What is named after the element type.
template <Element T, class Type>
Type* typed(const std::string& stem) {
  return library().get<Type>((stem + (std::same_as<T, float> ? "FP32" : "FP64")).c_str());
}

void check(int status, const char* what) {
  if (status == 0) return;
  throw Error(ErrorCode::Unsupported, std::string(what) + " gives " + std::to_string(status));
}

using Owned = std::shared_ptr<Object>;

Owned owned(Object object, const char* free_name) {
  auto* const release = library().get<Free>(free_name);
  return {new Object(object), [release](Object* kept) {
            release(kept);
            delete kept;
          }};
}

template <Element T>
Owned new_vector(Index size) {
  Object vector = nullptr;
  check(library().get<New>("GrB_Vector_new")(&vector, *typed<T, Object>("GrB_"),
                                             static_cast<Size>(size)),
        "GrB_Vector_new");
  return owned(vector, "GrB_Vector_free");
}

/// A full vector: one value everywhere, then each element's own.
template <Element T>
Owned full_vector(std::span<const T> values) {
  const Owned vector = new_vector<T>(std::ssize(values));
  const Size* const everywhere = *library().get<const Size*>("GrB_ALL");
  check(typed<T, Fill<T>>("GrB_Vector_assign_")(*vector, nullptr, nullptr, T{1}, everywhere,
                                                values.size(), nullptr),
        "GrB_Vector_assign");
  auto* const set = typed<T, SetElement<T>>("GrB_Vector_setElement_");
  for (std::size_t i = 0; i < values.size(); ++i) {
    check(set(*vector, values[i], i), "GrB_Vector_setElement");
  }
  return vector;
}

template <Element T>
Owned imported(const Csr<T>& a) {
  std::vector<Size> offsets;
  for (Index i = 0; i <= a.rows; ++i) offsets.push_back(static_cast<Size>(a.offset(i)));
  const std::vector<Size> columns(a.columns.span().begin(), a.columns.span().end());
  constexpr int csr_format = 0;
  Object matrix = nullptr;
  check(typed<T, Import<T>>("GrB_Matrix_import_")(
            &matrix, *typed<T, Object>("GrB_"), static_cast<Size>(a.rows),
            static_cast<Size>(a.cols), offsets.data(), columns.data(), a.values.data(),
            offsets.size(), columns.size(), columns.size(), csr_format),
        "GrB_Matrix_import");
  return owned(matrix, "GrB_Matrix_free");
}

template <Element T>
void extract(const Owned& vector, std::span<T> y) {
  std::vector<Size> indices(y.size());
  std::vector<T> values(y.size());
  Size count = y.size();
  check(typed<T, Extract<T>>("GrB_Vector_extractTuples_")(indices.data(), values.data(), &count,
                                                          *vector),
        "GrB_Vector_extractTuples");
  std::ranges::fill(y, T{0});  // an empty row has no entry
  for (std::size_t i = 0; i < count; ++i) y[indices[i]] = values[i];
}

template <Element T>
PeerProduct<T> prepare(const PeerProblem<T>& problem) {
  const Owned matrix = imported(problem.csr);
  const Owned x = full_vector(problem.x);
  const Owned y = new_vector<T>(problem.csr.rows);
  auto* const multiply = library().get<MatrixVector>("GrB_mxv");
  Object const semiring = *typed<T, Object>("GrB_PLUS_TIMES_SEMIRING_");
  return {
      .call =
          [=] { check(multiply(*y, nullptr, nullptr, semiring, *matrix, *x, nullptr), "GrB_mxv"); },
      .fetch = [y](std::span<T> result) { extract(y, result); }};
}

/// "7.4.0"; empty where it does not tell.
std::string version() {
  constexpr int library_version = 8;
  std::array<std::int32_t, 3> parts{};
  auto* const ask = library().find<int(int, std::int32_t*)>("GxB_Global_Option_get_INT32");
  if (!ask || ask(library_version, parts.data()) != 0) return {};
  return std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." + std::to_string(parts[2]);
}

}  // namespace

PeerLibrary graphblas_peer() {
  constexpr int blocking = 1;
  check(library().get<int(int)>("GrB_init")(blocking), "GrB_init");
  return {
      .name = "graphblas",
      .version = version(),
      .remark = "SuiteSparse; its indices have 64 bits up to version 9",
      .products = {{"graphblas", Format::Csr, PeerPlace::Host, &prepare<float>, &prepare<double>}}};
}

}  // namespace switchyard::command::bench
