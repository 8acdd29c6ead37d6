// The values of a matrix's copy as operands of skeletons on arrays.
#pragma once

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <switchyard/containers/formats.hpp>
#include <switchyard/core/user_folds.hpp>
#include <switchyard/core/user_functions.hpp>

namespace switchyard {

/// The values of a copy, once or several times over, as what a skeleton reads.
template <Element T>
class ValueOperands {
 public:
  ValueOperands(const Storage<T>& storage, const UserFunction<T>& function,
                const RecordedFunction* recorded, std::size_t times = 1) {
    arrays_.fill(&values_of(storage));
    operands_ = {.function = function,
                 .arrays = std::span(arrays_).first(times),
                 .size = arrays_.front()->size(),
                 .columns = std::max(cols_of(storage), Index{1}),
                 .recorded = recorded};
  }
  ValueOperands(const ValueOperands&) = delete;
  ValueOperands& operator=(const ValueOperands&) = delete;
  [[nodiscard]] const SkeletonOperands<T>& operands() const noexcept { return operands_; }

 private:
  std::array<const Array<T>*, most_operands> arrays_{};
  SkeletonOperands<T> operands_;
};

/// The share of values that are not zero; 1 where that cannot be found out.
template <Element T>
[[nodiscard]] double density_on(Executor& device, const Storage<T>& storage) {
  constexpr auto counts = [](auto value) { return where(value != T{0}, T{1}, T{0}); };
  const auto function = skeleton::user_function<T, skeleton::Place::None, 1>(counts);
  const auto sum = skeleton::user_fold<T>(fold::plus);
  RecordedFunction recorded;
  function.record(function.object, recorded);
  RecordedFunction recorded_sum;
  sum.record(sum.object, device.facts().supports_double, recorded_sum);
  const ValueOperands<T> values(storage, function, &recorded);
  try {
    const double nonzeros = skeleton_operations<T>(device.backend())
                                .reduce(device, values.operands(), sum, &recorded_sum);
    return nonzeros / static_cast<double>(std::max(values.operands().size, Index{1}));
  } catch (const std::exception&) {
    return 1;  // the map itself is done
  }
}

}  // namespace switchyard
