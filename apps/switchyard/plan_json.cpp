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
  return json;
}

Json edge_json(const YardEdge& edge) {
  return {{"from", name(edge.from)},
          {"to", name(edge.to)},
          {"kind", name(edge.kind)},
          {"seconds", edge.seconds}};
}

Json node_json(const YardNode& node) {
  return {{"state", name(node.state)},
          {"variant", node.variant},
          {"multiply_seconds", node.multiply_seconds},
          {"vector_seconds", node.vector_seconds},
          {"once_seconds", node.once_seconds},
          {"relative_error", node.relative_error},
          {"measured", node.measured}};
}

/// An array, empty and not null where there is nothing.
template <class Range, class Write>
Json array_of(const Range& range, Write write) {
  Json array = Json::array();
  for (const auto& entry : range) array.push_back(write(entry));
  return array;
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
          {"grounds", name(plan.grounds)},
          {"bound", plan.bound},
          {"holds_for", or_null(plan.holds_for)}};
}

void add_yard(Json& document, const Yard& yard) {
  document["valid"] = state_names(yard.valid);
  document["edges"] = array_of(yard.edges, edge_json);
  document["nodes"] = array_of(yard.nodes, node_json);
}

void add_decision(Json& document, const Plan& plan, Precision precision) {
  document["horizon"] = plan.yard.horizon;
  document["precision"] = name(precision);
  add_yard(document, plan.yard);
  document["plan"] = plan_json(plan);
  document["alternatives"] = array_of(plan.alternatives, [](const Alternative& other) {
    return Json{{"state", name(other.state)}, {"predicted_seconds", other.predicted_seconds}};
  });
  document["changes_from"] = or_null(plan.changes_from);
  document["changes_below"] = or_null(plan.changes_below);
  document["refused"] = array_of(plan.yard.refused, [](const RefusedState& refused) {
    return Json{{"state", name(refused.state)}, {"reason", refused.reason}};
  });
}

}  // namespace switchyard::command
