// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace switchyard::python {

/// Makes `Error` the Python exceptions of `switchyard._errors`.
void bind_errors();
void bind_runtime(nanobind::module_& module);
void bind_vectors(nanobind::module_& module);
void bind_matrices(nanobind::module_& module);
/// What is found out about CSR arrays before a matrix borrows them.
void bind_csr_checks(nanobind::module_& module);
/// `doctor_json` and `calibrate`.
void bind_machine(nanobind::module_& module);

}  // namespace switchyard::python
