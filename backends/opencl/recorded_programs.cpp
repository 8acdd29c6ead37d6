// Finding the program of a recorded function, or making its text.
#include "recorded_programs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "recorded_text.hpp"

namespace switchyard::opencl {
namespace {

constexpr std::string_view prefix = "recorded_";

std::span<const RecordedNode> nodes_of(const RecordedFunction* function) {
  return function ? function->all_nodes() : std::span<const RecordedNode>{};
}

std::string text_of(const RecordedProgram& program) {
  std::string text = recorded_pragmas();
  if (program.function && program.takes_values) {
    text += value_function_text(*program.function, program.operands);
  } else if (program.function) {
    text += element_function_text(*program.function, program.operands, program.edge);
  }
  if (program.skeleton == "merge") text += merge_text(program.operands);
  if (program.fold) text += fold_text(*program.fold, program.folded);
  return text;
}

}  // namespace

bool RecordedPrograms::same(const Entry& entry, const RecordedProgram& program) {
  return entry.skeleton == program.skeleton && entry.operands == program.operands &&
         entry.edge == program.edge && entry.folded == program.folded &&
         std::ranges::equal(entry.nodes, nodes_of(program.function)) &&
         std::ranges::equal(entry.fold_nodes, nodes_of(program.fold));
}

std::string_view RecordedPrograms::name_of(const RecordedProgram& program) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (same(entry, program)) return entry.name;
  }
  const auto nodes = nodes_of(program.function);
  const auto fold_nodes = nodes_of(program.fold);
  entries_.push_back({.name = fmt::format("{}{}_{}", prefix, program.skeleton, entries_.size()),
                      .skeleton = program.skeleton,
                      .nodes = {nodes.begin(), nodes.end()},
                      .fold_nodes = {fold_nodes.begin(), fold_nodes.end()},
                      .operands = program.operands,
                      .edge = program.edge,
                      .folded = program.folded,
                      .text = text_of(program)});
  return entries_.back().name;
}

std::optional<RecordedPrograms::Source> RecordedPrograms::find(std::string_view name) const {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  if (found == entries_.end()) return std::nullopt;
  return Source{found->skeleton, found->text, found->name};
}

}  // namespace switchyard::opencl
