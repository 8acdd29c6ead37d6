// Pricing: what every state and every edge would cost, from the models.
#include <algorithm>
#include <array>
#include <limits>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/planner.hpp>

#include "disturbance.hpp"
#include "format_outlook.hpp"
#include "likeness.hpp"
#include "predictions.hpp"
#include "vector_costs.hpp"

namespace switchyard {
namespace {

constexpr std::size_t formats = format_table.size();

/// The models of transfers between two spaces, in one direction. Null: there is none.
struct Link {
  const CostModel* to_new_memory = nullptr;
  const CostModel* to_existing_memory = nullptr;
};

/// What is found out about one state.
struct Slot {
  bool valid = false;
  bool refused = false;
  int node = -1;                         ///< in the yard; -1: none
  bool converts = false;                 ///< some conversion begins there
  const std::string* problem = nullptr;  ///< why some kernel for it cannot be built; null: none
  double quiet_seconds = std::numeric_limits<double>::infinity();  ///< of its fastest variant
  std::string_view quiet_variant = {};                             ///< while nothing delays it
};

/// Prices one situation against one profile.
class Pricing {
 public:
  Pricing(const Situation& situation, const Profile& profile)
      : situation_(situation),
        profile_(profile),
        formats_(situation),
        disturbance_(situation),
        slots_(situation.spaces.size() * formats) {}

  [[nodiscard]] Yard yard() {
    yard_.request = situation_.request;
    yard_.horizon = situation_.horizon;
    yard_.valid = situation_.valid;
    yard_.refused = situation_.refused;
    yard_.vectors = situation_.vectors;
    yard_.x_bytes = x_bytes(situation_);
    yard_.y_bytes = y_bytes(situation_);
    yard_.calibrated = profile_.calibrated;
    yard_.refused.reserve(situation_.refused.size() + slots_.size());
    note_states();
    for (std::size_t k = 0; k < situation_.spaces.size(); ++k) refuse_what_cannot_be(k);
    for (std::size_t k = 0; k < situation_.spaces.size(); ++k) add_nodes(k);
    doubt_built_in(yard_, situation_.spaces);
    note_wanted();
    for (std::size_t k = 0; k < situation_.spaces.size(); ++k) add_conversions(k);
    for (std::size_t k = 0; k < situation_.spaces.size(); ++k) add_transfers(k);
    for (std::size_t k = 0; k < situation_.spaces.size(); ++k) refuse_what_cannot_be_built(k);
    return std::move(yard_);
  }

 private:
  [[nodiscard]] const SpaceOutlook& outlook(std::size_t k) const { return situation_.spaces[k]; }
  [[nodiscard]] Slot& slot(std::size_t k, Format format) {
    return slots_[k * formats + static_cast<std::size_t>(format)];
  }

  template <class Function>
  void with_slot(State state, Function function) {
    const auto space = std::ranges::find(situation_.spaces, state.space, &SpaceOutlook::space);
    if (space == situation_.spaces.end()) return;
    function(slot(static_cast<std::size_t>(space - situation_.spaces.begin()), state.format));
  }

  void note_states() {
    for (const State state : situation_.valid) {
      with_slot(state, [](Slot& slot) { slot.valid = true; });
    }
    for (const RefusedState& refused : situation_.refused) {
      with_slot(refused.state, [](Slot& slot) { slot.refused = true; });
    }
  }

  void refuse(std::size_t k, Format format, Refusal reason, bool failed = false) {
    slot(k, format).refused = true;
    yard_.refused.push_back({{outlook(k).space, format}, std::move(reason), failed});
  }

  void refuse_what_cannot_be(std::size_t k) {
    for (const FormatFacts& facts : format_table) {
      Slot& slot = this->slot(k, facts.format);
      if (slot.refused) continue;
      if (!outlook(k).usable) {
        refuse(k, facts.format, outlook(k).why_not, true);
      } else if (slot.valid) {
        continue;
      } else if (const auto obstacle = formats_.obstacle(facts.format); !obstacle.empty()) {
        // Said only of what could be multiplied in.
        if (has_kernel(k, facts.format)) refuse(k, facts.format, Refusal::fixed(obstacle));
        slot.refused = true;
      } else if (formats_.bytes(facts.format) > outlook(k).capacity_bytes) {
        refuse(k, facts.format, Refusal::fixed("does not fit into the memory budget"));
      } else if (formats_.too_large(facts.format)) {
        refuse(k, facts.format, formats_.size_refusal(facts.format));
      } else if (formats_.needless(facts.format)) {
        refuse(k, facts.format, Refusal::fixed("all values are equal: no dictionary is needed"));
      } else if (is_for_others(facts.format)) {
        slot.refused = true;
      }
    }
  }

  /// Whether the format is made for the other operand than the one that is asked for. Nothing is
  /// converted to it then, unless it is pinned; a copy that is there can be left for other spaces.
  [[nodiscard]] bool is_for_others(Format format) const {
    if (gathered_operand(format) == situation_.request.operand || is_given(format)) return false;
    const bool pinned = situation_.pinned && situation_.pinned->format == format;
    return !pinned &&
           std::ranges::find(situation_.valid, format, &State::format) == situation_.valid.end();
  }

  /// Whether some kernel there takes the format.
  [[nodiscard]] bool has_kernel(std::size_t k, Format format) const {
    return std::ranges::find(outlook(k).multiplies, format, &MultiplyCapability::format) !=
           outlook(k).multiplies.end();
  }

  /// The entry of a program that is not ready, or null.
  [[nodiscard]] static const UnbuiltProgram* unbuilt(const SpaceOutlook& outlook,
                                                     std::string_view program) {
    if (program.empty()) return nullptr;
    const auto found = std::ranges::find(outlook.unbuilt, program, &UnbuiltProgram::program);
    return found == outlook.unbuilt.end() ? nullptr : &*found;
  }

  /// What building a program would still cost in that space; an unknown cost counts as nothing,
  /// since it is paid once and measured by no model.
  [[nodiscard]] double build_seconds(const SpaceOutlook& outlook,
                                     const UnbuiltProgram* program) const {
    if (!program) return 0;
    const auto cost = predict(
        profile_, build_key(outlook.space, situation_.precision, program->program), Features{});
    return cost ? cost->seconds : 0;
  }

  [[nodiscard]] std::optional<Estimate> model_cost(std::size_t k,
                                                   const MultiplyCapability& capability) {
    const State state{outlook(k).space, capability.format};
    return predict(
        profile_, multiply_key(state, situation_.request, situation_.precision, capability.variant),
        formats_.multiply_features(state.format));
  }

  /// Where no kernel that suits was calibrated, one is expected to take no longer than a calibrated
  /// one of the same product that does not suit: it is used because the other would take longer.
  [[nodiscard]] std::optional<Estimate> product_cost(std::size_t k,
                                                     const MultiplyCapability& capability) {
    const auto cost = model_cost(k, capability);
    if (!cost || !cost->built_in) return cost;
    std::optional<Estimate> unsuited;
    for (const MultiplyCapability& other : outlook(k).multiplies) {
      if (other.format != capability.format || !other.computes(situation_.request)) continue;
      const auto known = model_cost(k, other);
      if (!known || known->built_in) continue;
      if (other.suited) return cost;
      if (!unsuited || known->seconds < unsuited->seconds) unsuited = known;
    }
    if (!unsuited || unsuited->seconds >= cost->seconds) return cost;
    constexpr double error_of_another = 2;  // as of siblings in tuning/fallback.cpp
    unsuited->relative_error = std::max(unsuited->relative_error, error_of_another);
    return unsuited;
  }

  void add_nodes(std::size_t k) {
    if (!outlook(k).usable) return;
    const VectorCosts vectors = vector_costs(situation_, profile_, outlook(k));
    for (const MultiplyCapability& capability : outlook(k).multiplies) {
      add_multiply(k, capability, vectors);
    }
  }

  void add_multiply(std::size_t k, const MultiplyCapability& capability,
                    const VectorCosts& vectors) {
    Slot& slot = this->slot(k, capability.format);
    if (slot.refused || !capability.suited || !capability.computes(situation_.request)) return;
    const UnbuiltProgram* const program = unbuilt(outlook(k), capability.program);
    if (program && !program->problem.empty()) {
      if (!slot.problem) slot.problem = &program->problem;
      return;
    }
    const State state{outlook(k).space, capability.format};
    const auto product = product_cost(k, capability);
    if (!product) return;
    YardNode node{.state = state,
                  .multiply_seconds = product->seconds,
                  .vector_seconds = vectors.seconds,
                  .once_seconds = build_seconds(outlook(k), program) + vectors.once_seconds,
                  .model_seconds = product->seconds,
                  .model_error = product->relative_error,
                  .variant = capability.variant,
                  .relative_error = product->relative_error,
                  .extrapolated = product->extrapolated,
                  .matrix_bytes = formats_.bytes(state.format),
                  .travel_bytes = vectors.travel_bytes,
                  .built_in = product->built_in};
    if (situation_.measured) take_measured(node, outlook(k), capability.threads);
    keep_best(slot, node);
  }

  /// What products with this very matrix have cost goes before the model, and what others lost to
  /// other programs is expected of those that were not measured.
  void take_measured(YardNode& node, const SpaceOutlook& outlook, Threads threads) {
    const auto measured = situation_.measured->cost(node.state, node.variant);
    if (measured) {
      node.multiply_seconds = measured->seconds;
      node.stalled_share = 1 - measured->quiet_seconds / measured->seconds;
    }
    // A device's clock tells what single calls took, not what they lost together.
    if (!measured || !outlook.space.is_host()) {
      const double delay = disturbance_.delay(outlook, threads);
      node.multiply_seconds *= delay;
      node.stalled_share = 1 - 1 / delay;
    }
    if (!measured) return;
    node.relative_error = measured->relative_error;
    node.measured = true;
    node.built_in = false;
    node.extrapolated = false;
  }

  /// A state has one node: that of its fastest variant over the horizon. A calibrated variant goes
  /// before one that only a built-in model knows: assumed figures are often too low.
  void keep_best(Slot& slot, const YardNode& node) {
    if (slot.node < 0) {
      slot.node = static_cast<int>(yard_.nodes.size());
      yard_.nodes.push_back(node);
      note_quiet(slot, node);
      return;
    }
    YardNode& best = yard_.nodes[static_cast<std::size_t>(slot.node)];
    const bool is_better = node.built_in != best.built_in
                               ? best.built_in
                               : node.seconds(yard_.horizon) < best.seconds(yard_.horizon);
    OtherKernels others = best.others;
    note_other(others, is_better ? best : node);
    if (is_better) best = node;
    best.others = others;
    note_quiet(slot, node);
  }

  static void note_other(OtherKernels& others, const YardNode& node) {
    others.best_seconds = std::min(others.best_seconds, node.multiply_seconds);
    const double at_best = node.multiply_seconds / (1 + node.relative_error);
    if (node.measured || node.built_in || at_best >= others.untried_at_best()) return;
    others.untried = node.variant;
    others.untried_seconds = node.multiply_seconds;
    others.untried_error = node.relative_error;
  }

  /// Whether that kernel is the fastest for its state while nothing delays any.
  void note_quiet(Slot& slot, const YardNode& node) {
    const double seconds = node.multiply_seconds * (1 - node.stalled_share);
    if (seconds < slot.quiet_seconds) {
      slot.quiet_seconds = seconds;
      slot.quiet_variant = node.variant;
    }
    YardNode& best = yard_.nodes[static_cast<std::size_t>(slot.node)];
    const bool is_another = slot.quiet_variant != best.variant;
    best.others.quiet = is_another ? slot.quiet_variant : std::string_view{};
  }

  /// Whether a copy there can be left: what cannot be computed on can be the only copy there is.
  [[nodiscard]] static bool can_leave(const Slot& slot) { return slot.valid || !slot.refused; }

  /// Whether products are or have to be computed there.
  [[nodiscard]] bool is_wanted(std::size_t k, Format format) {
    return slot(k, format).node >= 0 || situation_.pinned == State{outlook(k).space, format};
  }
  /// The same in any space, once the nodes are there.
  [[nodiscard]] bool& wanted(Format format) { return wanted_[static_cast<std::size_t>(format)]; }
  void note_wanted() {
    for (const YardNode& node : yard_.nodes) wanted(node.state.format) = true;
    if (!situation_.pinned) return;
    with_slot(*situation_.pinned, [&](Slot&) { wanted(situation_.pinned->format) = true; });
  }

  /// A conversion has to lead to products there or, by a transfer, elsewhere; or on to another that
  /// does.
  [[nodiscard]] bool is_useful(std::size_t k, const ConvertCapability& conversion) {
    if (wanted(conversion.to)) return true;
    return std::ranges::any_of(outlook(k).conversions, [&](const ConvertCapability& next) {
      return next.from == conversion.to && next.to != conversion.from && is_wanted(k, next.to);
    });
  }

  void add_conversions(std::size_t k) {
    if (!outlook(k).usable) return;
    for (const ConvertCapability& conversion : outlook(k).conversions) {
      if (!can_leave(slot(k, conversion.from)) || slot(k, conversion.to).refused) continue;
      if (is_useful(k, conversion)) add_conversion(k, conversion);
    }
  }

  void add_conversion(std::size_t k, const ConvertCapability& conversion) {
    const SpaceOutlook& outlook = this->outlook(k);
    const UnbuiltProgram* const program = unbuilt(outlook, conversion.program);
    if (program && !program->problem.empty()) return;
    const auto cost = predict(
        profile_, convert_key(conversion.from, conversion.to, outlook.space, situation_.precision),
        formats_.convert_features(conversion.from, conversion.to));
    if (!cost) return;
    slot(k, conversion.from).converts = true;
    yard_.edges.push_back({.from = {outlook.space, conversion.from},
                           .to = {outlook.space, conversion.to},
                           .kind = StepKind::Convert,
                           .seconds = cost->seconds * disturbance_.delay_of_conversions(outlook) +
                                      build_seconds(outlook, program),
                           .bytes = formats_.bytes(conversion.to),
                           .relative_error = cost->relative_error,
                           .extrapolated = cost->extrapolated,
                           .built_in = cost->built_in});
  }

  /// Between the host and a device, in both directions.
  void add_transfers(std::size_t k) {
    if (outlook(k).space.is_host()) return;
    const auto host = static_cast<std::size_t>(
        std::ranges::find(situation_.spaces, Space::host(), &SpaceOutlook::space) -
        situation_.spaces.begin());
    if (host == situation_.spaces.size()) return;
    const Space space = outlook(k).space;
    const Link in = link(Space::host(), space);
    const Link out = link(space, Space::host());
    for (const FormatFacts& facts : format_table) {
      const Format format = facts.format;
      if (slot(host, format).refused) continue;
      if (!slot(k, format).refused && (is_wanted(k, format) || slot(k, format).converts)) {
        add_transfer(in, {Space::host(), format}, {space, format});
      }
      if (can_leave(slot(k, format))) add_transfer(out, {space, format}, {Space::host(), format});
    }
  }

  [[nodiscard]] Link link(Space from, Space to) const {
    return {profile_.find(transfer_key(from, to, new_memory)),
            profile_.find(transfer_key(from, to))};
  }

  void add_transfer(const Link& link, State from, State to) {
    // Each array is a transfer of its own, into memory that is allocated for it.
    const double bytes = formats_.bytes(from.format);
    const int arrays = facts_of(from.format).arrays;
    const Features array = transfer_features(bytes / arrays);
    auto cost = predict(link.to_new_memory, array);
    if (!cost) cost = predict(link.to_existing_memory, array);
    if (!cost) return;
    // Threads of the host, whose space comes first, copy into memory that the device can read.
    const double delay = disturbance_.delay_of_copies(outlook(0), bytes / arrays);
    yard_.edges.push_back({.from = from,
                           .to = to,
                           .kind = StepKind::Transfer,
                           .seconds = arrays * cost->seconds * delay,
                           .bytes = bytes,
                           .relative_error = cost->relative_error,
                           .extrapolated = cost->extrapolated,
                           .built_in = cost->built_in});
  }

  void refuse_what_cannot_be_built(std::size_t k) {
    for (const FormatFacts& facts : format_table) {
      Slot& slot = this->slot(k, facts.format);
      if (!slot.problem || slot.node >= 0 || slot.refused) continue;
      refuse(k, facts.format, *slot.problem, true);
    }
  }

  const Situation& situation_;
  const Profile& profile_;
  FormatOutlook formats_;
  std::array<bool, formats> wanted_{};  // products are or have to be computed in it, somewhere
  Disturbance disturbance_;
  std::vector<Slot> slots_;  // by space, in the order of the situation, and format
  Yard yard_;
};

}  // namespace

Yard price_yard(const Situation& situation, const Profile& profile) try {
  return Pricing(situation, profile).yard();
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
