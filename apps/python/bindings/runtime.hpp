// The runtime as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <switchyard/core/runtime.hpp>
#include <switchyard/core/trace.hpp>

namespace switchyard::python {

namespace nb = nanobind;

/// What a Python program asks for; absent: what the environment says.
struct RuntimeSettings {
  std::optional<std::string> devices;
  std::optional<std::string> profile;
  std::optional<int> threads;
  std::optional<bool> reproducible;
  std::optional<std::size_t> host_budget;
  std::optional<std::size_t> device_budget;
  bool trace = false;
};

/// A runtime and what it was made with. Threads: as `Runtime`.
class SharedRuntime {
 public:
  explicit SharedRuntime(const RuntimeSettings& settings);
  [[nodiscard]] const Runtime& runtime() const noexcept { return runtime_; }
  [[nodiscard]] Runtime& runtime() noexcept { return runtime_; }
  [[nodiscard]] const RuntimeOptions& options() const noexcept { return options_; }
  /// Null where nothing is traced.
  [[nodiscard]] const std::shared_ptr<Trace>& trace() const noexcept { return options_.trace; }

 private:
  RuntimeOptions options_;
  Runtime runtime_;
};

/// The same runtime. Throws `Error(InvalidArgument)` for None.
[[nodiscard]] inline std::shared_ptr<SharedRuntime> given(std::shared_ptr<SharedRuntime> runtime) {
  if (runtime) return runtime;
  throw Error(ErrorCode::InvalidArgument, "a runtime is needed");
}

}  // namespace switchyard::python
