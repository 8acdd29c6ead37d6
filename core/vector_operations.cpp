// Operations on vectors: choosing the space, and going on where a device fails.
#include <bit>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <switchyard/backends/vector_operations.hpp>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/runtime.hpp>
#include <switchyard/core/vector_operations.hpp>

#include "execution/failures.hpp"

namespace switchyard {
namespace {

void check_size(Index size, Index expected) {
  if (size == expected) return;
  throw Error(ErrorCode::DimensionMismatch, "vectors of " + std::to_string(expected) + " and " +
                                                std::to_string(size) +
                                                " elements do not go together");
}

/// Where to work on operands that are valid in these spaces (bit i: in the space of index i): where
/// the last product ran, if all of them are there; else on a device that holds them all; else on
/// the host, if that does. Where no space does, where the last product ran, so that vectors follow
/// the matrix; before any, on a device that alone holds one of them.
Space place_for(std::size_t spaces, std::optional<Space> products,
                std::initializer_list<std::uint64_t> operands) {
  if (spaces == 1) return Space::host();
  constexpr std::uint64_t host = 1;
  const std::uint64_t devices = ((std::uint64_t{1} << spaces) - 1) & ~host;
  const auto first_of = [](std::uint64_t mask) {
    return Space::device(std::countr_zero(mask) - 1);
  };
  std::uint64_t common = devices | host;
  for (const std::uint64_t valid : operands) common &= valid;
  if (products && (common >> products->index() & 1)) return *products;
  if (common & devices) return first_of(common & devices);
  if (common != 0) return Space::host();
  if (products) return *products;
  for (const std::uint64_t valid : operands) {
    if ((valid & host) == 0 && (valid & devices) != 0) return first_of(valid & devices);
  }
  return Space::host();
}

template <Element... T>
Space place_for(const Runtime& runtime, const Vector<T>&... operands) {
  return place_for(runtime.executors().size(), runtime.last_product_space(),
                   {operands.outlook().valid_mask...});
}

/// After a failure on a device: the device itself is given up where the failure is its own.
void note_failure(const Runtime& runtime, Executor& device, const Error& error) {
  if (device_has_failed(error)) return runtime.set_aside(device.space(), error.what());
  log(LogLevel::Warning,
      "an operation on vectors is done on the host: " + std::string(error.what()));
}

/// `work(device)`, a second time where there was no room at first; nothing where that fails too.
template <class Work>
auto tried_on(const Runtime& runtime, Executor& device, const Work& work)
    -> std::optional<decltype(work(device))> {
  for (const bool again : {true, false}) {
    try {
      return with_enough_memory([&] { return work(device); });
    } catch (const Error& error) {
      const Error reason = diagnosed(device, error);
      if (memory_was_short(reason) && again) {
        device.memory()->trim();
        continue;
      }
      note_failure(runtime, device, reason);
      break;
    }
  }
  return std::nullopt;
}

/// `work(executor, operation)` with what `find` knows for the executor's backend, in that space or
/// on the host where that does not succeed.
template <Element T, class Find, class Work>
auto compute_in(const Runtime& runtime, Space space, const Find& find, const Work& work) {
  const auto run = [&](Executor& executor) { return work(executor, *find(executor.backend())); };
  if (!space.is_host()) {
    Executor& device = *runtime.executor(space);
    const bool usable =
        device.supports(precision_of<T>) && runtime.set_aside_reason(space).empty() &&
        device.build_problem(find(device.backend())->program, precision_of<T>).empty();
    if (usable) {
      if (const auto result = tried_on(runtime, device, run)) return *result;
    }
  }
  return with_enough_memory([&] { return run(*runtime.executor(Space::host())); });
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
  compute_in<T>(runtime, space, find, run);
  const Index operands = 1 + (combination.x ? 1 : 0) + (combination.y ? 1 : 0);
  runtime.note_vector_work({.operations = 1, .bytes = bytes_of(*combination.z) * operands});
}

/// What has one operand, which is changed in place.
template <Element T>
void change(const Runtime& runtime, Elementwise kind, T a, Vector<T>& z) {
  if (z.size() == 0) return;
  combine<T>(runtime, place_for(runtime, z),
             {.kind = kind, .a = a, .z = &z, .reads_z = kind != Elementwise::Fill});
}

template <Element T>
double reduce(const Runtime& runtime, Reduction kind, const Vector<T>& x, const Vector<T>* y) {
  if (x.size() == 0) return 0;
  const Space space = y ? place_for(runtime, x, *y) : place_for(runtime, x);
  const auto find = [&](Backend backend) { return find_reduction<T>(kind, backend); };
  const auto run = [&](Executor& executor, const ReduceOperation<T>& operation) {
    const auto& memory = executor.memory();
    return operation.run(executor, x.in(memory), y ? &y->in(memory) : nullptr);
  };
  const double result = compute_in<T>(runtime, space, find, run);
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
  const Space space = reads_y ? place_for(runtime, x, y) : place_for(runtime, x);
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
  combine<T>(runtime, place_for(runtime, x, y),
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
