// Programs made of recorded functions, told apart by what the functions compute.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <switchyard/backends/recorded_function.hpp>
#include <vector>

namespace switchyard::opencl {

/// What a program is made of. Functions that differ in the values of constants are the same.
struct RecordedProgram {
  std::string_view skeleton = {};              ///< the stem of its kernel file
  const RecordedFunction* function = nullptr;  ///< over elements, or null for none
  std::size_t operands = 0;                    ///< of that function
  int edge = 0;                                ///< a value of `Edge::Kind`
  bool takes_values = false;                   ///< that function: instead of arrays
  const RecordedFunction* fold = nullptr;      ///< or null for none
  ValueType folded = ValueType::Float;         ///< the type that it folds in
};

/// What the programs are called, and their texts. Programs are kept for as long as this lives: a
/// process has as many as lambdas. All members may be called from any thread. A program that is
/// known is found without allocating.
class RecordedPrograms {
 public:
  /// The name of the program, which lives as long as this does.
  [[nodiscard]] std::string_view name_of(const RecordedProgram& program);
  /// What the skeleton's kernel file is built with.
  struct Source {
    std::string_view skeleton = {};  ///< the stem of that file
    std::string_view text = {};      ///< what stands before it
    std::string_view name = {};      ///< the program's own
  };
  /// The source of the program of that name, or nothing if it is none of these.
  [[nodiscard]] std::optional<Source> find(std::string_view name) const;

 private:
  /// A program that is known.
  struct Entry {
    std::string name;
    std::string_view skeleton;
    std::vector<RecordedNode> nodes;
    std::vector<RecordedNode> fold_nodes;
    std::size_t operands;
    int edge;
    ValueType folded;
    std::string text;
  };
  [[nodiscard]] static bool same(const Entry& entry, const RecordedProgram& program);

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // whose addresses stay
};

}  // namespace switchyard::opencl
