// Every operation on vectors that exists. A new one is a line for each backend here.
#include "opencl/vector_operations.hpp"

#include <algorithm>
#include <array>
#include <switchyard/backends/vector_operations.hpp>

#include "openmp/vector_operations.hpp"

namespace switchyard {
namespace {

constexpr std::string_view program = "vector_operations";

template <Element T>
constexpr std::array elementwise_table{
    ElementwiseOperation<T>{Elementwise::Axpby, Backend::OpenMP, "", &openmp::axpby<T>},
    ElementwiseOperation<T>{Elementwise::Scale, Backend::OpenMP, "", &openmp::scale<T>},
    ElementwiseOperation<T>{Elementwise::Fill, Backend::OpenMP, "", &openmp::fill<T>},
    ElementwiseOperation<T>{Elementwise::Add, Backend::OpenMP, "", &openmp::add<T>},
    ElementwiseOperation<T>{Elementwise::Relu, Backend::OpenMP, "", &openmp::relu<T>},
    ElementwiseOperation<T>{Elementwise::Multiply, Backend::OpenMP, "",
                            &openmp::multiply_elements<T>},
    ElementwiseOperation<T>{Elementwise::Axpby, Backend::OpenCL, program, &opencl::axpby<T>},
    ElementwiseOperation<T>{Elementwise::Scale, Backend::OpenCL, program, &opencl::scale<T>},
    ElementwiseOperation<T>{Elementwise::Fill, Backend::OpenCL, program, &opencl::fill<T>},
    ElementwiseOperation<T>{Elementwise::Add, Backend::OpenCL, program, &opencl::add<T>},
    ElementwiseOperation<T>{Elementwise::Relu, Backend::OpenCL, program, &opencl::relu<T>},
    ElementwiseOperation<T>{Elementwise::Multiply, Backend::OpenCL, program,
                            &opencl::multiply_elements<T>},
};

template <Element T>
constexpr std::array reduce_table{
    ReduceOperation<T>{Reduction::Dot, Backend::OpenMP, "", &openmp::dot<T>},
    ReduceOperation<T>{Reduction::Sum, Backend::OpenMP, "", &openmp::sum<T>},
    ReduceOperation<T>{Reduction::Dot, Backend::OpenCL, program, &opencl::dot<T>},
    ReduceOperation<T>{Reduction::Sum, Backend::OpenCL, program, &opencl::sum<T>},
};

template <class Table, class Kind>
const auto* find_in(const Table& table, Kind kind, Backend backend) {
  const auto found = std::ranges::find_if(
      table, [&](const auto& entry) { return entry.kind == kind && entry.backend == backend; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

template <Element T>
std::span<const ElementwiseOperation<T>> elementwise_operations() {
  return elementwise_table<T>;
}

template <Element T>
std::span<const ReduceOperation<T>> reduce_operations() {
  return reduce_table<T>;
}

template <Element T>
const ElementwiseOperation<T>* find_elementwise(Elementwise kind, Backend backend) {
  return find_in(elementwise_table<T>, kind, backend);
}

template <Element T>
const ReduceOperation<T>* find_reduction(Reduction kind, Backend backend) {
  return find_in(reduce_table<T>, kind, backend);
}

template std::span<const ElementwiseOperation<float>> elementwise_operations();
template std::span<const ElementwiseOperation<double>> elementwise_operations();
template std::span<const ReduceOperation<float>> reduce_operations();
template std::span<const ReduceOperation<double>> reduce_operations();
template const ElementwiseOperation<float>* find_elementwise(Elementwise, Backend);
template const ElementwiseOperation<double>* find_elementwise(Elementwise, Backend);
template const ReduceOperation<float>* find_reduction(Reduction, Backend);
template const ReduceOperation<double>* find_reduction(Reduction, Backend);

}  // namespace switchyard
