// Pricing: what every state and every switch would cost, from the models.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/planner.hpp>

namespace switchyard {
namespace {

/// A prediction where the profile has a model and it gives a number; absent otherwise.
std::optional<Estimate> predict(const Profile& profile, const ModelKey& key,
                                const Features& features) {
  const CostModel* const model = profile.find(key);
  if (!model) return std::nullopt;
  const Estimate estimate = model->predict(features);
  if (!std::isfinite(estimate.seconds) || estimate.seconds < 0) return std::nullopt;
  return estimate;
}

/// What the vectors add to products in one space, whatever kernel makes them.
struct VectorCosts {
  double seconds = 0;       ///< for each product
  double once_seconds = 0;  ///< for the first
  double travel_bytes = 0;  ///< for each product
};

/// Prices one situation against one profile.
class Pricing {
 public:
  Pricing(const Situation& situation, const Profile& profile)
      : situation_(situation), profile_(profile) {}

  [[nodiscard]] Yard yard() {
    yard_.horizon = situation_.horizon;
    yard_.valid = situation_.valid;
    yard_.refused = situation_.refused;
    yard_.vectors = situation_.vectors;
    yard_.x_bytes = static_cast<double>(situation_.structure.cols) * element_bytes();
    yard_.y_bytes = static_cast<double>(situation_.structure.rows) * element_bytes();
    yard_.calibrated = profile_.calibrated;
    for (const SpaceOutlook& outlook : situation_.spaces) refuse_what_cannot_be(outlook);
    if (situation_.precision == Precision::Float) {
      add_operations<float>();
    } else {
      add_operations<double>();
    }
    for (const SpaceOutlook& outlook : situation_.spaces) {
      if (!outlook.space.is_host()) add_transfers(outlook);
    }
    for (RefusedState& state : unbuildable_) {
      if (!has_node(state.state) && !is_refused(state.state)) yard_.refused.push_back(state);
    }
    return std::move(yard_);
  }

 private:
  [[nodiscard]] double element_bytes() const {
    return static_cast<double>(size_of(situation_.precision));
  }
  [[nodiscard]] double bytes_of(Format format) const {
    return bytes_in(format, situation_.structure, size_of(situation_.precision));
  }
  [[nodiscard]] bool is_valid(State state) const {
    return std::ranges::find(situation_.valid, state) != situation_.valid.end();
  }
  [[nodiscard]] bool is_refused(State state) const {
    return std::ranges::find(yard_.refused, state, &RefusedState::state) != yard_.refused.end();
  }

  [[nodiscard]] bool has_node(State state) const {
    return std::ranges::find(yard_.nodes, state, &YardNode::state) != yard_.nodes.end();
  }
  /// What cannot be computed on can be the only copy there is.
  [[nodiscard]] bool can_leave(State state) const { return is_valid(state) || !is_refused(state); }

  void refuse_what_cannot_be(const SpaceOutlook& outlook) {
    for (const FormatFacts& facts : format_table) {
      const State state{outlook.space, facts.format};
      if (is_refused(state)) continue;
      const double bytes = facts.bytes(situation_.structure, size_of(situation_.precision));
      if (!outlook.usable) {
        yard_.refused.push_back({state, outlook.why_not, true});
      } else if (!is_valid(state) && bytes > outlook.capacity_bytes) {
        yard_.refused.push_back({state, "does not fit into the memory budget"});
      }
    }
  }

  template <Element T>
  void add_operations() {
    for (const SpaceOutlook& outlook : situation_.spaces) {
      const VectorCosts vectors = vector_costs<T>(outlook);
      for (const MultiplyOperation<T>& operation : multiply_operations<T>()) {
        if (operation.backend == outlook.backend) add_multiply(outlook, operation, vectors);
      }
      for (const ConvertOperation<T>& operation : convert_operations<T>()) {
        if (operation.backend == outlook.backend) add_conversion(outlook, operation);
      }
    }
  }

  template <Element T>
  void add_multiply(const SpaceOutlook& outlook, const MultiplyOperation<T>& operation,
                    const VectorCosts& vectors) {
    const State state{outlook.space, operation.format};
    if (is_refused(state)) return;
    const bool suited =
        !outlook.executor || operation.suited(outlook.executor->facts(), situation_.structure);
    if (!suited) return;
    if (auto problem = build_problem(outlook, operation.program); !problem.empty()) {
      unbuildable_.push_back({state, std::move(problem), true});
      return;
    }
    const auto product =
        predict(profile_, multiply_key(state, situation_.precision, operation.variant),
                multiply_features(state.format, situation_.structure, situation_.precision));
    if (!product) return;
    YardNode node{.state = state,
                  .multiply_seconds = product->seconds,
                  .vector_seconds = vectors.seconds,
                  .once_seconds = build_seconds(outlook, operation.program) + vectors.once_seconds,
                  .variant = operation.variant,
                  .relative_error = product->relative_error,
                  .extrapolated = product->extrapolated,
                  .matrix_bytes = bytes_of(state.format),
                  .travel_bytes = vectors.travel_bytes,
                  .built_in = product->built_in};
    const auto measured =
        situation_.measured ? situation_.measured->cost(state, operation.variant) : std::nullopt;
    if (measured) {
      node.multiply_seconds = measured->seconds;
      node.relative_error = measured->relative_error;
      node.measured = true;
      node.built_in = false;
      node.extrapolated = false;
    }
    keep_best(node);
  }

  /// A state has one node: that of its fastest variant over the horizon. A calibrated variant goes
  /// before one that only a built-in model knows: assumed figures are often too low.
  void keep_best(const YardNode& node) {
    const auto same = std::ranges::find(yard_.nodes, node.state, &YardNode::state);
    if (same == yard_.nodes.end()) {
      yard_.nodes.push_back(node);
    } else if (node.built_in != same->built_in) {
      if (same->built_in) *same = node;
    } else if (node.seconds(yard_.horizon) < same->seconds(yard_.horizon)) {
      *same = node;
    }
  }

  template <Element T>
  void add_conversion(const SpaceOutlook& outlook, const ConvertOperation<T>& operation) {
    const State from{outlook.space, operation.from};
    const State to{outlook.space, operation.to};
    if (!outlook.usable || !can_leave(from) || is_refused(to)) return;
    if (!build_problem(outlook, operation.program).empty()) return;
    const auto cost = predict(
        profile_, convert_key(from.format, to.format, outlook.space, situation_.precision),
        convert_features(from.format, to.format, situation_.structure, situation_.precision));
    if (!cost) return;
    yard_.edges.push_back({.from = from,
                           .to = to,
                           .kind = StepKind::Convert,
                           .seconds = cost->seconds + build_seconds(outlook, operation.program),
                           .bytes = bytes_of(to.format),
                           .relative_error = cost->relative_error,
                           .extrapolated = cost->extrapolated,
                           .built_in = cost->built_in});
  }

  void add_transfers(const SpaceOutlook& outlook) {
    for (const FormatFacts& facts : format_table) {
      const State host{Space::host(), facts.format};
      const State device{outlook.space, facts.format};
      if (is_refused(host)) continue;
      const double bytes = facts.bytes(situation_.structure, size_of(situation_.precision));
      if (!is_refused(device)) add_transfer(host, device, bytes, facts.arrays);
      if (can_leave(device)) add_transfer(device, host, bytes, facts.arrays);
    }
  }

  void add_transfer(State from, State to, double bytes, int arrays) {
    // Each array is a transfer of its own, into memory that is allocated for it.
    const double size = bytes / arrays;
    auto cost =
        predict(profile_, transfer_key(from.space, to.space, new_memory), transfer_features(size));
    if (!cost) cost = journey(from.space, to.space, size);
    if (!cost) return;
    yard_.edges.push_back({.from = from,
                           .to = to,
                           .kind = StepKind::Transfer,
                           .seconds = arrays * cost->seconds,
                           .bytes = bytes,
                           .relative_error = cost->relative_error,
                           .extrapolated = cost->extrapolated,
                           .built_in = cost->built_in});
  }

  /// Into memory that is there.
  [[nodiscard]] std::optional<Estimate> journey(Space from, Space to, double bytes) const {
    return predict(profile_, transfer_key(from, to), transfer_features(bytes));
  }
  [[nodiscard]] std::optional<double> travel(Space from, Space to, double bytes) const {
    const auto cost = journey(from, to, bytes);
    if (!cost) return std::nullopt;
    return cost->seconds;
  }

  [[nodiscard]] std::string build_problem(const SpaceOutlook& outlook,
                                          std::string_view program) const {
    if (program.empty() || !outlook.executor) return {};
    return outlook.executor->build_problem(program, situation_.precision);
  }

  /// What building a program would still cost in that space; an unknown cost counts as nothing,
  /// since it is paid once and measured by no model.
  [[nodiscard]] double build_seconds(const SpaceOutlook& outlook, std::string_view program) const {
    if (program.empty() || !outlook.executor ||
        outlook.executor->built(program, situation_.precision)) {
      return 0;
    }
    const auto cost =
        predict(profile_, build_key(outlook.space, situation_.precision, program), Features{});
    return cost ? cost->seconds : 0;
  }

  /// What x and y must travel if products run in that space. What the program will do with them is
  /// known by share only; what must be brought now, because it is not there, is sure.
  template <Element T>
  [[nodiscard]] VectorCosts vector_costs(const SpaceOutlook& outlook) const {
    const VectorTraffic& vectors = situation_.vectors;
    const double x_bytes = yard_.x_bytes;
    const double y_bytes = yard_.y_bytes;
    const Space space = outlook.space;
    const double between = seconds_between_products<T>(outlook);
    const double x_in = arrival(vectors.x_valid, space, x_bytes);
    const double y_in = vectors.y_kept ? arrival(vectors.y_valid, space, y_bytes) : 0;
    if (space.is_host()) return {.seconds = between, .once_seconds = x_in + y_in};
    const double x_again = travel(Space::host(), space, x_bytes).value_or(0);
    const double y_out = travel(space, Space::host(), y_bytes).value_or(0);
    // Once: the share of the first journey that the average per product does not hold yet.
    return {.seconds = between + vectors.x_fresh * x_again + vectors.y_read * y_out,
            .once_seconds = std::max(x_in - vectors.x_fresh * x_again, 0.0) + y_in,
            .travel_bytes = vectors.x_fresh * x_bytes + vectors.y_read * y_bytes};
  }

  /// What the program does with vectors from one product to the next, were it done in that space.
  /// Elementwise work is a stream of bytes, for which the dense product is the model.
  template <Element T>
  [[nodiscard]] double seconds_between_products(const SpaceOutlook& outlook) const {
    const VectorWork& work = situation_.vectors.between;
    if (work.operations <= 0) return 0;
    const double bytes = static_cast<double>(work.bytes) / static_cast<double>(work.operations);
    const auto side = static_cast<Index>(std::sqrt(bytes / sizeof(T))) + 1;
    const Features features = multiply_features(
        Format::Dense, {.rows = side, .cols = side, .nnz = side * side}, precision_of<T>);
    double operation = std::numeric_limits<double>::infinity();
    for (const MultiplyOperation<T>& dense : multiply_operations<T>()) {
      if (dense.backend != outlook.backend || dense.format != Format::Dense) continue;
      const ModelKey key =
          multiply_key({outlook.space, Format::Dense}, precision_of<T>, dense.variant);
      if (const auto cost = predict(profile_, key, features)) {
        operation = std::min(operation, cost->seconds);
      }
    }
    if (!std::isfinite(operation)) return 0;
    const double answer = outlook.space.is_host()
                              ? 0
                              : travel(outlook.space, Space::host(), sizeof(double)).value_or(0);
    return static_cast<double>(work.operations) * operation +
           static_cast<double>(work.sums) * answer;
  }

  /// Seconds until a vector that is valid in the spaces of `mask` is in `space`.
  [[nodiscard]] double arrival(std::uint64_t mask, Space space, double bytes) const {
    if (mask >> space.index() & 1) return 0;
    const bool on_host = mask & 1;
    double seconds = 0;
    if (!on_host) {
      const int holder = std::countr_zero(mask);
      seconds +=
          mask == 0 ? 0 : travel(Space::device(holder - 1), Space::host(), bytes).value_or(0);
    }
    if (!space.is_host()) seconds += travel(Space::host(), space, bytes).value_or(0);
    return seconds;
  }

  const Situation& situation_;
  const Profile& profile_;
  std::vector<RefusedState> unbuildable_;  // by some variant at least
  Yard yard_;
};

}  // namespace

std::vector<SpaceOutlook> outlook_of(const Profile& profile) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  std::vector<SpaceOutlook> spaces{{.space = Space::host(), .capacity_bytes = endless}};
  for (std::size_t k = 0; k < profile.fingerprint().devices.size(); ++k) {
    spaces.push_back({.space = Space::device(static_cast<int>(k)),
                      .backend = Backend::OpenCL,
                      .capacity_bytes = endless});
  }
  return spaces;
}

Yard price_yard(const Situation& situation, const Profile& profile) try {
  return Pricing(situation, profile).yard();
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
