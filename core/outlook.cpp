// From the tables of operations to capabilities.
#include <algorithm>
#include <limits>
#include <switchyard/core/outlook.hpp>

namespace switchyard {
namespace {

/// Notes a program once, and only where it is not ready.
void note_program(SpaceOutlook& outlook, const Executor& executor, std::string_view program,
                  Precision precision) {
  if (program.empty()) return;
  const auto known = std::ranges::find(outlook.unbuilt, program, &UnbuiltProgram::program);
  if (known != outlook.unbuilt.end() || executor.built(program, precision)) return;
  outlook.unbuilt.push_back({program, executor.build_problem(program, precision)});
}

/// Without an `executor`, everything is suited and built.
template <Element T>
void add_capabilities(SpaceOutlook& outlook, Backend backend, const Executor* executor,
                      const Structure& structure) {
  outlook.multiplies.reserve(multiply_operations<T>().size());
  for (const MultiplyOperation<T>& operation : multiply_operations<T>()) {
    if (operation.backend != backend) continue;
    const bool suited = !executor || operation.suited(executor->facts(), structure);
    outlook.multiplies.push_back({.format = operation.format,
                                  .variant = operation.variant,
                                  .program = operation.program,
                                  .suited = suited,
                                  .operand = operation.operand,
                                  .many_columns = operation.many_columns,
                                  .threads = operation.threads});
    if (executor && suited) note_program(outlook, *executor, operation.program, precision_of<T>);
  }
  outlook.conversions.reserve(convert_operations<T>().size());
  for (const ConvertOperation<T>& operation : convert_operations<T>()) {
    if (operation.backend != backend) continue;
    outlook.conversions.push_back({operation.from, operation.to, operation.program});
    if (executor) note_program(outlook, *executor, operation.program, precision_of<T>);
  }
}

void add_capabilities(SpaceOutlook& outlook, Backend backend, Precision precision,
                      const Executor* executor = nullptr, const Structure& structure = {}) {
  if (precision == Precision::Float) {
    add_capabilities<float>(outlook, backend, executor, structure);
  } else {
    add_capabilities<double>(outlook, backend, executor, structure);
  }
}

}  // namespace

SpaceOutlook outlook_of(const Executor& executor, Precision precision, const Structure& structure) {
  SpaceOutlook outlook{.space = executor.space(),
                       .capacity_bytes = static_cast<double>(executor.memory()->budget())};
  outlook.on_host_processors = executor.facts().on_host_processors;
  add_capabilities(outlook, executor.backend(), precision, &executor, structure);
  return outlook;
}

bool knows_products(const Profile& profile) noexcept {
  return std::ranges::any_of(profile.models(), [](const CostModel& model) {
    return model.key.operation == Operation::Multiply;
  });
}

std::vector<SpaceOutlook> outlook_of(const Profile& profile, Precision precision) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  std::vector<SpaceOutlook> spaces{{.space = Space::host(), .capacity_bytes = endless}};
  add_capabilities(spaces.front(), Backend::OpenMP, precision);
  for (std::size_t k = 0; k < profile.fingerprint().devices.size(); ++k) {
    spaces.push_back({.space = Space::device(static_cast<int>(k)), .capacity_bytes = endless});
    add_capabilities(spaces.back(), Backend::OpenCL, precision);
  }
  return spaces;
}

}  // namespace switchyard
