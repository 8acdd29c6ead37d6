// Errors as Python's exceptions.
#include <nanobind/nanobind.h>

#include <switchyard/containers/error.hpp>

#include "bindings.hpp"

namespace switchyard::python {
namespace {

namespace nb = nanobind;

/// Sets the exception that `switchyard._errors.exception` makes.
void set_exception(const Error& error) {
  const auto text = [](std::string_view words) {
    return nb::steal<nb::object>(
        PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
  };
  const nb::object exception = nb::module_::import_("switchyard._errors")
                                   .attr("exception")(text(name(error.code())), text(error.what()),
                                                      text(error.where()), text(error.hint()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_exception(error);
    }
  });
}

}  // namespace switchyard::python
