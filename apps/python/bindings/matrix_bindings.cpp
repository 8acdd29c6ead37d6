// Binding matrices of both element types.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <switchyard/containers/matrix_file.hpp>

#include "bindings.hpp"
#include "matrix.hpp"
#include "plan_json.hpp"

namespace switchyard::python {
namespace {

using SharedRuntimePtr = std::shared_ptr<SharedRuntime>;

State parsed_state(const std::string& text) {
  if (const auto state = parse_state(text)) return *state;
  throw Error(ErrorCode::InvalidArgument, "'" + text + "' is no state", "",
              "name a format and a space: csr@host, dense@device0");
}

std::vector<std::string> names_of(const std::vector<State>& states) {
  std::vector<std::string> names;
  for (const State state : states) names.push_back(name(state));
  return names;
}

template <Element T>
std::string plan_document(const MatrixHandle<T>& self, Index columns) {
  return self.looked([&](const GMatrix<T>& matrix) {
    const Plan plan = with_measurements(matrix.plan(self.request(columns)), matrix.history());
    command::JsonValue document;
    document["matrix"] = command::matrix_json(matrix.structure());
    command::add_decision(document, plan, precision_of<T>);
    return command::json_value_text(std::move(document));
  });
}

template <Element T>
std::string history_document(const MatrixHandle<T>& self) {
  Plan executed;
  executed.steps = self.looked([](const GMatrix<T>& matrix) { return matrix.history(); });
  return command::plan_json(executed)["steps"].text();
}

/// The stored arrays, or all elements, of the matrix and not of its transpose. The copy in that
/// format that the matrix makes for it does not stay.
template <Element T>
Storage<T> copied(const MatrixHandle<T>& self, Format format) {
  return self.looked([&](const GMatrix<T>& matrix) {
    const State state{Space::host(), format};
    const std::vector<State> before = matrix.states();
    Storage<T> copy = matrix.copy_out(format);
    if (std::ranges::find(before, state) == before.end()) (void)matrix.evict(state);
    return copy;
  });
}

template <Element T>
void bind_making(nb::class_<MatrixHandle<T>>& type) {
  using Self = MatrixHandle<T>;
  const auto compressed = [](Index rows, Index cols, nb::handle data, nb::handle indices,
                             nb::handle indptr, bool by_columns, bool ascending) {
    const CompressedArrays arrays{rows, cols, data, indices, indptr, by_columns};
    return ascending ? borrowed_compressed<T>(arrays) : summed_compressed<T>(arrays);
  };
  type.def_static(
      "compressed",
      [=](SharedRuntimePtr runtime, Index rows, Index cols, nb::handle data, nb::handle indices,
          nb::handle indptr, bool by_columns, bool ascending) {
        return Self(std::move(runtime),
                    compressed(rows, cols, data, indices, indptr, by_columns, ascending));
      },
      "A matrix on CSR or CSC arrays, borrowed where `ascending`, else sorted in a copy.");
  type.def("assign_compressed",
           [=](Self& self, Index rows, Index cols, nb::handle data, nb::handle indices,
               nb::handle indptr, bool by_columns, bool ascending) {
             self.assign(compressed(rows, cols, data, indices, indptr, by_columns, ascending));
           });
  type.def_static("dense", [](SharedRuntimePtr runtime, nb::handle array) {
    return Self(std::move(runtime), borrowed_dense<T>(array));
  });
  type.def("assign_dense",
           [](Self& self, nb::handle array) { self.assign(borrowed_dense<T>(array)); });
  type.def_static(
      "read",
      [](SharedRuntimePtr runtime, const std::string& file, bool lenient) {
        Borrowed<T> read;
        read.storage = unlocked([&] { return read_matrix<T>(file, {.lenient = lenient}); });
        return Self(std::move(runtime), std::move(read));
      },
      "A matrix from a file.");
}

template <Element T>
void bind_products(nb::class_<MatrixHandle<T>>& type) {
  using Self = MatrixHandle<T>;
  type.def_prop_ro("rows", &Self::rows);
  type.def_prop_ro("cols", &Self::cols);
  type.def("transposed", &Self::transposed);
  type.def_prop_ro("is_transposed", &Self::is_transposed);
  type.def("result", &Self::result, nb::arg("columns").none(), "A new array for a product.");
  type.def("matmul", &Self::matmul, nb::arg("x"),
           "A x in a new array, or None where x has to be prepared first.");
  type.def("multiply", &Self::multiply, nb::arg("x"), nb::arg("out"), nb::arg("alpha") = T{1},
           nb::arg("beta") = T{0}, "out = alpha A x + beta out; False where nothing was done.");
  type.def("multiply_vector", &Self::multiply_vector, nb::arg("x"), nb::arg("out"),
           nb::arg("alpha") = T{1}, nb::arg("beta") = T{0});
  type.def("update", &Self::update, nb::arg("data"));
}

template <Element T>
void bind_decisions(nb::class_<MatrixHandle<T>>& type) {
  using Self = MatrixHandle<T>;
  type.def(
      "expect_calls",
      [](const Self& self, Index products, Index transposed, Index columns) {
        if (self.is_transposed()) std::swap(products, transposed);
        self.looked([&](const GMatrix<T>& matrix) {
          matrix.expect_calls(ExpectedCalls{products, transposed, columns});
        });
      },
      nb::arg("products"), nb::arg("transposed"), nb::arg("columns"));
  type.def("pin", [](const Self& self, const std::string& state) {
    self.looked([&](const GMatrix<T>& matrix) { matrix.pin(parsed_state(state)); });
  });
  type.def("unpin",
           [](const Self& self) { self.looked([](const GMatrix<T>& matrix) { matrix.unpin(); }); });
  type.def("pinned", [](const Self& self) -> std::optional<std::string> {
    const auto state = self.looked([](const GMatrix<T>& matrix) { return matrix.pinned(); });
    return state ? std::optional(name(*state)) : std::nullopt;
  });
  type.def("states", [](const Self& self) {
    return names_of(self.looked([](const GMatrix<T>& matrix) { return matrix.states(); }));
  });
  type.def("bring_to", [](const Self& self, const std::string& state) {
    self.looked([&](const GMatrix<T>& matrix) { matrix.bring_to(parsed_state(state)); });
  });
  type.def("evict", [](const Self& self, const std::string& state) {
    return self.looked([&](const GMatrix<T>& matrix) { return matrix.evict(parsed_state(state)); });
  });
}

template <Element T>
void bind_looking(nb::class_<MatrixHandle<T>>& type) {
  using Self = MatrixHandle<T>;
  type.def("plan_json", &plan_document<T>, nb::arg("columns"));
  type.def("history_json", &history_document<T>);
  type.def(
      "explain",
      [](const Self& self, Index columns) {
        return self.looked(
            [&](const GMatrix<T>& matrix) { return matrix.explain(self.request(columns)); });
      },
      nb::arg("columns"));
  type.def("counters_json", [](const Self& self) {
    return self.looked(
        [](const GMatrix<T>& matrix) { return command::counters_json(matrix.counters()).text(); });
  });
  type.def("calls", [](const Self& self) {
    return self.looked([](const GMatrix<T>& matrix) { return matrix.counters().calls; });
  });
  type.def("nnz", [](const Self& self) {
    return self.looked([](const GMatrix<T>& matrix) { return matrix.structure().nnz; });
  });
  type.def("measure_products", [](const Self& self, bool measure) {
    self.looked([&](const GMatrix<T>& matrix) { matrix.measure_products(measure); });
  });
  type.def("csr_arrays", [](const Self& self) { return arrays_of<T>(copied(self, Format::Csr)); });
  type.def("dense_array",
           [](const Self& self) { return array_of<T>(copied(self, Format::Dense)); });
}

template <Element T>
void bind_matrix(nb::module_& module, const char* name) {
  nb::class_<MatrixHandle<T>> type(module, name, "A matrix, or the transpose of one.");
  bind_making(type);
  bind_products(type);
  bind_decisions(type);
  bind_looking(type);
}

}  // namespace

void bind_matrices(nb::module_& module) {
  bind_matrix<float>(module, "MatrixFloat32");
  bind_matrix<double>(module, "MatrixFloat64");
}

}  // namespace switchyard::python
