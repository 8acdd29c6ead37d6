// What launching kernels that are made of recorded functions has in common.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <switchyard/backends/skeleton_operations.hpp>
#include <type_traits>

#include "device.hpp"

namespace switchyard::opencl {

/// Work-groups of a reduction at most, each of which leaves one number: enough to keep a GPU busy,
/// and few to fetch where they cannot meet.
inline constexpr Index most_groups = 1024;

/// Arguments whose number depends on the functions.
class MoreArguments {
 public:
  template <class T>
  void add_array(const Array<T>& array) {
    add(KernelArgument{.bits = std::bit_cast<std::uint64_t>(array.handle()),
                       .bytes = sizeof(void*)});
  }
  template <Element T>
  void add_operands(const SkeletonOperands<T>& operands) {
    for (const Array<T>* const array : operands.arrays) add_array(*array);
    const T edge = static_cast<T>(operands.edge.value);
    KernelArgument argument{.bytes = sizeof(T)};
    std::memcpy(&argument.bits, &edge, sizeof(T));
    add(argument);
  }
  void add_constants(const RecordedFunction& function) {
    for (const RecordedConstant& constant : function.all_constants()) {
      switch (constant.type) {
        case ValueType::Float:
          add({std::bit_cast<std::uint32_t>(static_cast<float>(constant.real)), sizeof(float)});
          break;
        case ValueType::Double:
          add({std::bit_cast<std::uint64_t>(constant.real), sizeof(double)});
          break;
        default:
          add({static_cast<std::uint64_t>(constant.integer), sizeof(std::int64_t)});
      }
    }
  }
  [[nodiscard]] std::span<const KernelArgument> all() const { return {all_.data(), count_}; }

 private:
  void add(const KernelArgument& argument) { all_[count_++] = argument; }

  /// Of each operand the arrays of a matrix in CSR, at most.
  static constexpr std::size_t most = 3 * most_operands + 1 + 2 * RecordedFunction::most_constants;
  std::array<KernelArgument, most> all_{};
  std::size_t count_ = 0;
};

template <Element T>
[[nodiscard]] bool folds_in_double(const Device& device, const UserFold<T>& fold) {
  return precision_of<T> == Precision::Double || (fold.in_double && device.facts().supports_double);
}

[[nodiscard]] inline ValueType folded_type(bool in_double) {
  return in_double ? ValueType::Double : ValueType::Float;
}

/// The fold of the first `count` numbers of type `Folded` that a reduction left.
template <class Folded, Element T>
[[nodiscard]] double folded_on_host(const UserFold<T>& fold, const Array<double>& numbers,
                                    Index count) {
  std::array<Folded, most_groups> fetched;
  numbers.memory()->copy_out(fetched.data(), numbers.handle(), 0,
                             static_cast<std::size_t>(count) * sizeof(Folded));
  // In one call where it takes numbers of that type, instead of a thousand.
  if constexpr (std::is_same_v<Folded, T>) {
    return fold.fold(fold.object, fetched.data(), count);
  }
  double result = fold.identity;
  for (Index i = 0; i < count; ++i) {
    result = fold.combine(fold.object, result, fetched[static_cast<std::size_t>(i)]);
  }
  return result;
}

}  // namespace switchyard::opencl
