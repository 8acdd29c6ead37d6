// Operations on vectors: those of the table, where the vectors are.
#include <array>
#include <cmath>
#include <switchyard/backends/vector_operations.hpp>
#include <switchyard/core/vector_operations.hpp>

#include "execution/vector_work.hpp"

namespace switchyard {
namespace {

template <Element... T>
Space place_of(const Runtime& runtime, const Vector<T>&... operands) {
  const std::array valid{operands.outlook().valid_mask...};
  return place_for(runtime, valid);
}

/// `work(executor, operation)` with what `find` knows for the executor's backend, in that space or
/// on the host where that does not succeed.
template <Element T, class Find, class Work>
auto compute_with(const Runtime& runtime, Space space, const Find& find, const Work& work) {
  const auto usable = [&](Executor& device) {
    return device.build_problem(find(device.backend())->program, precision_of<T>).empty();
  };
  const auto run = [&](Executor& executor) { return work(executor, *find(executor.backend())); };
  return compute_in<T>(runtime, space, usable, run);
}

template <Element T>
Index bytes_of(const Vector<T>& vector) {
  return vector.size() * Index{sizeof(T)};
}

/// The vectors and numbers of an elementwise operation; those that it does not name are null.
template <Element T>
struct Combination {
  Elementwise kind;
  T a{};
  T b{};
  const Vector<T>* x = nullptr;
  const Vector<T>* y = nullptr;
  Vector<T>* z = nullptr;
  bool reads_z = true;  ///< its old contents matter
};

template <Element T>
void combine(const Runtime& runtime, Space space, const Combination<T>& combination) {
  const auto find = [&](Backend backend) { return find_elementwise<T>(combination.kind, backend); };
  const auto run = [&](Executor& executor, const ElementwiseOperation<T>& operation) {
    const auto& memory = executor.memory();
    ElementwiseOperands<T> operands{.a = combination.a, .b = combination.b};
    if (combination.x) operands.x = &combination.x->in(memory);
    if (combination.y) operands.y = &combination.y->in(memory);
    operands.z = &combination.z->target_in(memory, combination.reads_z);
    operation.run(executor, operands);
    combination.z->combined_in(executor.space());
    return true;
  };
  compute_with<T>(runtime, space, find, run);
  const Index operands = 1 + (combination.x ? 1 : 0) + (combination.y ? 1 : 0);
  runtime.note_vector_work({.operations = 1, .bytes = bytes_of(*combination.z) * operands});
}

/// What has one operand, which is changed in place.
template <Element T>
void change(const Runtime& runtime, Elementwise kind, T a, Vector<T>& z) {
  if (z.size() == 0) return;
  combine<T>(runtime, place_of(runtime, z),
             {.kind = kind, .a = a, .z = &z, .reads_z = kind != Elementwise::Fill});
}

template <Element T>
double reduce(const Runtime& runtime, Reduction kind, const Vector<T>& x, const Vector<T>* y) {
  if (x.size() == 0) return 0;
  const Space space = y ? place_of(runtime, x, *y) : place_of(runtime, x);
  const auto find = [&](Backend backend) { return find_reduction<T>(kind, backend); };
  const auto run = [&](Executor& executor, const ReduceOperation<T>& operation) {
    const auto& memory = executor.memory();
    return operation.run(executor, x.in(memory), y ? &y->in(memory) : nullptr);
  };
  const double result = compute_with<T>(runtime, space, find, run);
  const Index operands = y && y != &x ? 2 : 1;
  runtime.note_vector_work({.operations = 1, .sums = 1, .bytes = bytes_of(x) * operands});
  return result;
}

}  // namespace

template <Element T>
T dot(const Runtime& runtime, const Vector<T>& x, const Vector<T>& y) {
  check_size(y.size(), x.size());
  return static_cast<T>(reduce(runtime, Reduction::Dot, x, &y));
}

template <Element T>
T sum(const Runtime& runtime, const Vector<T>& x) {
  return static_cast<T>(reduce<T>(runtime, Reduction::Sum, x, nullptr));
}

template <Element T>
T norm(const Runtime& runtime, const Vector<T>& x) {
  return static_cast<T>(std::sqrt(reduce(runtime, Reduction::Dot, x, &x)));
}

template <Element T>
void axpby(const Runtime& runtime, std::type_identity_t<T> a, const Vector<T>& x,
           std::type_identity_t<T> b, Vector<T>& y) {
  check_size(y.size(), x.size());
  if (x.size() == 0) return;
  const bool reads_y = b != T{0};
  const Space space = reads_y ? place_of(runtime, x, y) : place_of(runtime, x);
  combine<T>(runtime, space,
             {.kind = Elementwise::Axpby, .a = a, .b = b, .x = &x, .z = &y, .reads_z = reads_y});
}

template <Element T>
void scale(const Runtime& runtime, std::type_identity_t<T> a, Vector<T>& x) {
  change<T>(runtime, Elementwise::Scale, a, x);
}

template <Element T>
void fill(const Runtime& runtime, std::type_identity_t<T> value, Vector<T>& x) {
  change<T>(runtime, Elementwise::Fill, value, x);
}

template <Element T>
void add_scalar(const Runtime& runtime, std::type_identity_t<T> value, Vector<T>& x) {
  change<T>(runtime, Elementwise::Add, value, x);
}

template <Element T>
void relu(const Runtime& runtime, Vector<T>& x) {
  change<T>(runtime, Elementwise::Relu, T{0}, x);
}

template <Element T>
void multiply_elements(const Runtime& runtime, const Vector<T>& x, const Vector<T>& y,
                       Vector<T>& z) {
  check_size(y.size(), x.size());
  check_size(z.size(), x.size());
  if (x.size() == 0) return;
  combine<T>(runtime, place_of(runtime, x, y),
             {.kind = Elementwise::Multiply, .x = &x, .y = &y, .z = &z, .reads_z = false});
}

template float dot(const Runtime&, const Vector<float>&, const Vector<float>&);
template double dot(const Runtime&, const Vector<double>&, const Vector<double>&);
template float sum(const Runtime&, const Vector<float>&);
template double sum(const Runtime&, const Vector<double>&);
template float norm(const Runtime&, const Vector<float>&);
template double norm(const Runtime&, const Vector<double>&);
template void axpby<float>(const Runtime&, float, const Vector<float>&, float, Vector<float>&);
template void axpby<double>(const Runtime&, double, const Vector<double>&, double, Vector<double>&);
template void scale<float>(const Runtime&, float, Vector<float>&);
template void scale<double>(const Runtime&, double, Vector<double>&);
template void fill<float>(const Runtime&, float, Vector<float>&);
template void fill<double>(const Runtime&, double, Vector<double>&);
template void add_scalar<float>(const Runtime&, float, Vector<float>&);
template void add_scalar<double>(const Runtime&, double, Vector<double>&);
template void relu(const Runtime&, Vector<float>&);
template void relu(const Runtime&, Vector<double>&);
template void multiply_elements(const Runtime&, const Vector<float>&, const Vector<float>&,
                                Vector<float>&);
template void multiply_elements(const Runtime&, const Vector<double>&, const Vector<double>&,
                                Vector<double>&);

}  // namespace switchyard
