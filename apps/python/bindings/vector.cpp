// Binding vectors that stay where products leave them, and the operations on them.
#include "vector.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <switchyard/core/vector_operations.hpp>

#include "bindings.hpp"
#include "buffer.hpp"
#include "unlocked.hpp"

namespace switchyard::python {
namespace {

template <Element T>
void copy_from(SharedVector<T>& self, nb::handle values) {
  const Buffer view = viewed<T>(values, "values");
  const auto from = view.elements<const T>();
  if (std::ssize(from) != self.vector.size()) {
    throw Error(ErrorCode::DimensionMismatch,
                "the vector has " + std::to_string(self.vector.size()) + " elements, the values " +
                    std::to_string(from.size()));
  }
  const Unlocked scope;
  std::ranges::copy(from, self.vector.write().begin());
}

template <Element T>
void copy_to(const SharedVector<T>& self, nb::handle values) {
  const Buffer view(values, true);
  if (!view.holds<T>() || std::ssize(view.elements<T>()) != self.vector.size()) {
    throw Error(ErrorCode::InvalidArgument, "the array does not fit the vector");
  }
  const Unlocked scope;
  std::ranges::copy(self.vector.read(), view.elements<T>().begin());
}

/// "host", "device0", ...: where a valid copy is.
template <Element T>
std::vector<std::string> spaces_of(const SharedVector<T>& self) {
  std::vector<std::string> names;
  for (const auto& executor : self.runtime->runtime().executors()) {
    if (self.vector.valid_in(executor->space())) names.push_back(name(executor->space()));
  }
  return names;
}

template <Element T>
void bind_vector(nb::module_& module, const char* name) {
  using Self = SharedVector<T>;
  const auto runtime_of = [](const Self& self) -> const Runtime& {
    return self.runtime->runtime();
  };
  nb::class_<Self>(module, name, "A vector, valid on the host, on devices, or both.")
      .def(
          "__init__",
          [](Self* self, std::shared_ptr<SharedRuntime> runtime, Index size) {
            new (self) Self{given(std::move(runtime)), Vector<T>(size)};
          },
          nb::arg("runtime"), nb::arg("size"))
      .def("__len__", [](const Self& self) { return self.vector.size(); })
      .def("copy_from", &copy_from<T>, nb::arg("values"))
      .def("copy_to", &copy_to<T>, nb::arg("values"))
      .def("spaces", &spaces_of<T>)
      .def(
          "dot",
          [=](const Self& self, const Self& other) {
            return dot(runtime_of(self), self.vector, other.vector);
          },
          nb::call_guard<Unlocked>())
      .def(
          "sum", [=](const Self& self) { return sum(runtime_of(self), self.vector); },
          nb::call_guard<Unlocked>())
      .def(
          "norm", [=](const Self& self) { return norm(runtime_of(self), self.vector); },
          nb::call_guard<Unlocked>())
      .def(
          "axpby",
          [=](Self& self, T a, const Self& x, T b) {
            axpby(runtime_of(self), a, x.vector, b, self.vector);
          },
          nb::arg("a"), nb::arg("x"), nb::arg("b"), nb::call_guard<Unlocked>())
      .def(
          "scale", [=](Self& self, T a) { scale(runtime_of(self), a, self.vector); }, nb::arg("a"),
          nb::call_guard<Unlocked>())
      .def(
          "fill", [=](Self& self, T value) { fill(runtime_of(self), value, self.vector); },
          nb::arg("value"), nb::call_guard<Unlocked>())
      .def(
          "add_scalar",
          [=](Self& self, T value) { add_scalar(runtime_of(self), value, self.vector); },
          nb::arg("value"), nb::call_guard<Unlocked>())
      .def(
          "relu", [=](Self& self) { relu(runtime_of(self), self.vector); },
          nb::call_guard<Unlocked>());
}

}  // namespace

void bind_vectors(nb::module_& module) {
  bind_vector<float>(module, "VectorFloat32");
  bind_vector<double>(module, "VectorFloat64");
}

}  // namespace switchyard::python
