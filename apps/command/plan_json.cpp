// Writing plans as JSON.
#include "plan_json.hpp"

namespace switchyard::command {
namespace {

template <class Value>
JsonValue or_null(const std::optional<Value>& value) {
  return value ? JsonValue(*value) : JsonValue(nullptr);
}

JsonValue step_json(const Step& step) {
  JsonValue json;
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
  json["bytes"] = JsonValue::whole(step.bytes);
  json["relative_error"] = step.relative_error;
  json["extrapolated"] = step.extrapolated;
  json["price_measured"] = step.price_measured;
  json["built_in"] = step.built_in;
  return json;
}

JsonValue edge_json(const YardEdge& edge) {
  return JsonValue()
      .with("from", name(edge.from))
      .with("to", name(edge.to))
      .with("kind", name(edge.kind))
      .with("seconds", edge.seconds)
      .with("bytes", JsonValue::whole(edge.bytes))
      .with("relative_error", edge.relative_error)
      .with("extrapolated", edge.extrapolated)
      .with("built_in", edge.built_in);
}

JsonValue node_json(const YardNode& node) {
  return JsonValue()
      .with("state", name(node.state))
      .with("variant", node.variant)
      .with("multiply_seconds", node.multiply_seconds)
      .with("vector_seconds", node.vector_seconds)
      .with("once_seconds", node.once_seconds)
      .with("companion_seconds", node.companion_seconds)
      .with("relative_error", node.relative_error)
      .with("measured", node.measured)
      .with("stalled_share", node.stalled_share)
      .with("expected_factor", node.expected_factor)
      .with("extrapolated", node.extrapolated)
      .with("built_in", node.built_in)
      .with("matrix_bytes", JsonValue::whole(node.matrix_bytes))
      .with("travel_bytes", JsonValue::whole(node.travel_bytes));
}

/// An array, empty and not null where there is nothing.
template <class Range, class Write>
JsonValue array_of(const Range& range, Write write) {
  JsonValue array = JsonValue::array();
  for (const auto& entry : range) array.push_back(write(entry));
  return array;
}

JsonValue companion_json(const Companion& companion) {
  JsonValue json = JsonValue().with("from", name(companion.from));
  add_request(json, companion.request);
  json["calls"] = companion.calls;
  json["state"] = name(companion.state);
  json["predicted_seconds"] = companion.seconds;
  return json;
}

JsonValue state_or_null(const std::optional<State>& state) {
  return state ? JsonValue(name(*state)) : JsonValue(nullptr);
}

JsonValue alternative_json(const Plan& plan, const Alternative& other) {
  return JsonValue()
      .with("state", name(other.state))
      .with("predicted_seconds", other.predicted_seconds)
      .with("slower_by_seconds", other.predicted_seconds - plan.predicted_seconds)
      .with("steps", array_of(shortest_plan(plan.yard, other.state).steps, step_json));
}

JsonValue vector_json(std::uint64_t valid, double bytes) {
  JsonValue json =
      JsonValue().with("bytes", JsonValue::whole(bytes)).with("spaces", JsonValue::array());
  for (int i = 0; i < 64; ++i) {
    if (!(valid >> i & 1)) continue;
    json["spaces"].push_back(name(i == 0 ? Space::host() : Space::device(i - 1)));
  }
  return json;
}

JsonValue vectors_json(const Yard& yard) {
  JsonValue x = vector_json(yard.vectors.x_valid, yard.x_bytes);
  x["written_on_host_share"] = yard.vectors.x_fresh;
  JsonValue y = vector_json(yard.vectors.y_valid, yard.y_bytes);
  y["read_on_host_share"] = yard.vectors.y_read;
  y["kept"] = yard.vectors.y_kept;
  return JsonValue().with("x", std::move(x)).with("y", std::move(y));
}

}  // namespace

JsonValue matrix_json(const Structure& structure) {
  return JsonValue()
      .with("rows", structure.rows)
      .with("cols", structure.cols)
      .with("nnz", structure.nnz)
      .with("density", structure.density())
      .with("exact", structure.exact);
}

JsonValue state_names(const std::vector<State>& states) {
  return array_of(states, [](State state) { return name(state); });
}

JsonValue plan_json(const Plan& plan) {
  return JsonValue()
      .with("steps", array_of(plan.steps, step_json))
      .with("predicted_seconds", plan.predicted_seconds)
      .with("grounds", name(plan.reason))
      .with("bound", plan.bound)
      .with("holds_for", or_null(plan.holds_for))
      .with("pinned", plan.pinned);
}

void add_yard(JsonValue& document, const Yard& yard) {
  document["valid"] = state_names(yard.valid);
  document["edges"] = array_of(yard.edges, edge_json);
  document["nodes"] = array_of(yard.nodes, node_json);
  document["companions"] = array_of(yard.companions, companion_json);
}

void add_request(JsonValue& document, const Request& request) {
  document["columns"] = request.columns;
  document["transposed"] = request.operand == Operand::Transpose;
}

void add_decision(JsonValue& document, const Plan& plan, Precision precision) {
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
    return JsonValue().with("state", name(refused.state)).with("reason", refused.reason.text());
  });
}

JsonValue counters_json(const Counters& counters) {
  return JsonValue()
      .with("calls", counters.calls)
      .with("switches", counters.switches)
      .with("decisions_planned", counters.decisions_planned)
      .with("decisions_remembered", counters.decisions_remembered)
      .with("conversions", counters.conversions)
      .with("converted_bytes", counters.converted_bytes)
      .with("transfers", counters.transfers)
      .with("transferred_bytes", counters.transferred_bytes)
      .with("vector_bytes", counters.vector_bytes)
      .with("switching_seconds", counters.switching_seconds)
      .with("device_failures", counters.device_failures)
      .with("completed_after_failure", counters.completed_after_failure);
}

std::string json_value_text(JsonValue document) {
  JsonValue stamped;
  stamped["schema_version"] = std::int64_t{schema_version};
  stamped.update(std::move(document));
  return stamped.text() + "\n";
}

void add_yard(Json& document, const Yard& yard) {
  JsonValue added;
  add_yard(added, yard);
  document.update(Json(added));
}

void add_request(Json& document, const Request& request) {
  JsonValue added;
  add_request(added, request);
  document.update(Json(added));
}

void add_decision(Json& document, const Plan& plan, Precision precision) {
  JsonValue added;
  add_decision(added, plan, precision);
  document.update(Json(added));
}

}  // namespace switchyard::command
