// The extension module `switchyard._core`: what Python cannot do itself. Its users are the modules
// of the package; they prepare arrays and words.
#include <nanobind/nanobind.h>

#include <switchyard/core/version.hpp>

#include "bindings.hpp"
#include "forks.hpp"
#include "unlocked.hpp"

NB_MODULE(_core, module) {
  // A daemon thread may hold a matrix when the interpreter ends.
  nanobind::set_leak_warnings(false);
  module.doc() = "The C++ part of switchyard; use the package instead.";
  module.attr("version") = nanobind::str(switchyard::library_version.data());
  module.def("stop_other_threads", &switchyard::python::stop_other_threads);
  module.def("before_fork", &switchyard::python::before_fork);
  module.def("after_fork", &switchyard::python::after_fork);
  module.def("after_fork_in_child", [] {
    switchyard::python::after_fork_in_child();
    switchyard::python::forget_other_threads();
  });
  switchyard::python::bind_errors();
  switchyard::python::bind_runtime(module);
  switchyard::python::bind_vectors(module);
  switchyard::python::bind_matrices(module);
  switchyard::python::bind_csr_checks(module);
  switchyard::python::bind_machine(module);
}
