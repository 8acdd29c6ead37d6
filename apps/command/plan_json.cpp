// Writing plans as JSON.
#include "plan_json.hpp"

namespace switchyard::command {
namespace {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json step_json(const Step& step) {
  Json json;
  json["kind"] = name(step.kind);
  if (step.kind == StepKind::Multiply) {
    json["state"] = name(step.to);
    json["variant"] = step.variant;
    json["calls"] = step.calls;
  } else {
    json["from"] = name(step.from);
    json["to"] = name(step.to);
  }
  json["predicted_seconds"] = step.predicted_seconds;
  json["measured_seconds"] = or_null(step.measured_seconds);
  json["bytes"] = whole(step.bytes);
  json["relative_error"] = step.relative_error;
  json["extrapolated"] = step.extrapolated;
  json["price_measured"] = step.price_measured;
  json["built_in"] = step.built_in;
  return json;
}

Json edge_json(const YardEdge& edge) {
  return {{"from", name(edge.from)},           {"to", name(edge.to)},
          {"kind", name(edge.kind)},           {"seconds", edge.seconds},
          {"bytes", whole(edge.bytes)},        {"relative_error", edge.relative_error},
          {"extrapolated", edge.extrapolated}, {"built_in", edge.built_in}};
}

Json node_json(const YardNode& node) {
  return {{"state", name(node.state)},
          {"variant", node.variant},
          {"multiply_seconds", node.multiply_seconds},
          {"vector_seconds", node.vector_seconds},
          {"once_seconds", node.once_seconds},
          {"companion_seconds", node.companion_seconds},
          {"relative_error", node.relative_error},
          {"measured", node.measured},
          {"stalled_share", node.stalled_share},
          {"expected_factor", node.expected_factor},
          {"extrapolated", node.extrapolated},
          {"built_in", node.built_in},
          {"matrix_bytes", whole(node.matrix_bytes)},
          {"travel_bytes", whole(node.travel_bytes)}};
}

/// An array, empty and not null where there is nothing.
template <class Range, class Write>
Json array_of(const Range& range, Write write) {
  Json array = Json::array();
  for (const auto& entry : range) array.push_back(write(entry));
  return array;
}

Json companion_json(const Companion& companion) {
  Json json{{"from", name(companion.from)}};
  add_request(json, companion.request);
  json["calls"] = companion.calls;
  json["state"] = name(companion.state);
  json["predicted_seconds"] = companion.seconds;
  return json;
}

Json state_or_null(const std::optional<State>& state) {
  return state ? Json(name(*state)) : Json(nullptr);
}

Json alternative_json(const Plan& plan, const Alternative& other) {
  return {{"state", name(other.state)},
          {"predicted_seconds", other.predicted_seconds},
          {"slower_by_seconds", other.predicted_seconds - plan.predicted_seconds},
          {"steps", array_of(shortest_plan(plan.yard, other.state).steps, step_json)}};
}

Json vector_json(std::uint64_t valid, double bytes) {
  Json json{{"bytes", whole(bytes)}, {"spaces", Json::array()}};
  for (int i = 0; i < 64; ++i) {
    if (!(valid >> i & 1)) continue;
    json["spaces"].push_back(name(i == 0 ? Space::host() : Space::device(i - 1)));
  }
  return json;
}

Json vectors_json(const Yard& yard) {
  Json x = vector_json(yard.vectors.x_valid, yard.x_bytes);
  x["written_on_host_share"] = yard.vectors.x_fresh;
  Json y = vector_json(yard.vectors.y_valid, yard.y_bytes);
  y["read_on_host_share"] = yard.vectors.y_read;
  y["kept"] = yard.vectors.y_kept;
  return {{"x", x}, {"y", y}};
}

}  // namespace

Json matrix_json(const Structure& structure) {
  return {{"rows", structure.rows},
          {"cols", structure.cols},
          {"nnz", structure.nnz},
          {"density", structure.density()},
          {"exact", structure.exact}};
}

Json state_names(const std::vector<State>& states) {
  return array_of(states, [](State state) { return name(state); });
}

Json plan_json(const Plan& plan) {
  return {{"steps", array_of(plan.steps, step_json)},
          {"predicted_seconds", plan.predicted_seconds},
          {"grounds", name(plan.reason)},
          {"bound", plan.bound},
          {"holds_for", or_null(plan.holds_for)},
          {"pinned", plan.pinned}};
}

void add_yard(Json& document, const Yard& yard) {
  document["valid"] = state_names(yard.valid);
  document["edges"] = array_of(yard.edges, edge_json);
  document["nodes"] = array_of(yard.nodes, node_json);
  document["companions"] = array_of(yard.companions, companion_json);
}

void add_request(Json& document, const Request& request) {
  document["columns"] = request.columns;
  document["transposed"] = request.operand == Operand::Transpose;
}

void add_decision(Json& document, const Plan& plan, Precision precision) {
  document["horizon"] = plan.yard.horizon;
  document["precision"] = name(precision);
  add_request(document, plan.yard.request);
  add_yard(document, plan.yard);
  document["plan"] = plan_json(plan);
  document["alternatives"] = array_of(
      plan.alternatives, [&](const Alternative& other) { return alternative_json(plan, other); });
  document["changes_from"] = or_null(plan.changes_from);
  document["changes_from_state"] = state_or_null(plan.changes_from_state);
  document["changes_below"] = or_null(plan.changes_below);
  document["changes_below_state"] = state_or_null(plan.changes_below_state);
  document["vectors"] = vectors_json(plan.yard);
  document["models"] = plan.yard.calibrated ? "calibrated" : "built-in";
  document["refused"] = array_of(plan.yard.refused, [](const RefusedState& refused) {
    return Json{{"state", name(refused.state)}, {"reason", refused.reason.text()}};
  });
}

Json counters_json(const Counters& counters) {
  return {{"calls", counters.calls},
          {"switches", counters.switches},
          {"decisions_planned", counters.decisions_planned},
          {"decisions_remembered", counters.decisions_remembered},
          {"conversions", counters.conversions},
          {"converted_bytes", counters.converted_bytes},
          {"transfers", counters.transfers},
          {"transferred_bytes", counters.transferred_bytes},
          {"vector_bytes", counters.vector_bytes},
          {"switching_seconds", counters.switching_seconds},
          {"device_failures", counters.device_failures},
          {"completed_after_failure", counters.completed_after_failure}};
}

}  // namespace switchyard::command
