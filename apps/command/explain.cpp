// `switchyard explain`: the plan for a matrix, and what it was chosen from.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <switchyard/containers/symmetry.hpp>
#include <switchyard/core/outlook.hpp>

#include "activity.hpp"
#include "command.hpp"
#include "explain_report.hpp"
#include "machine.hpp"
#include "run.hpp"
#include "values.hpp"

namespace switchyard::command {
namespace {

/// On the host, x and y are the caller's own memory: each product reads the one there and leaves
/// the other there. On a device they are a program's vectors that stay there.
VectorTraffic traffic_from(Space x) {
  if (x.is_host()) return {};
  const std::uint64_t only_there = std::uint64_t{1} << x.index();
  return {.x_valid = only_there, .y_valid = only_there, .x_fresh = 0, .y_read = 0};
}

/// What a program would know of the matrix: of dense data alone, a sample.
template <Element T>
Structure first_look(const Storage<T>& storage, const std::vector<State>& valid) {
  const bool all_dense =
      std::ranges::all_of(valid, [](State state) { return state.format == Format::Dense; });
  return all_dense ? switchyard::first_look(storage) : exact_structure(storage);
}

/// With a symmetric matrix the transpose is no request of its own.
template <Element T>
Request computed_as(Request product, const Storage<T>& storage) {
  const bool transposed = product.operand == Operand::Transpose;
  if (transposed && is_symmetric(storage).value_or(false)) product.operand = Operand::Matrix;
  return product;
}

template <Element T>
PlanQuestion question_of(const ExplainRequest& request, const Storage<T>& storage) {
  std::vector<State> valid = request.from;
  if (valid.empty()) valid.push_back({Space::host(), format_of(storage)});
  std::ranges::sort(valid);
  valid.erase(std::ranges::unique(valid).begin(), valid.end());
  return {.structure = first_look(storage, valid),
          .precision = precision_of<T>,
          .valid = valid,
          .calls = request.calls,
          .vectors = traffic_from(request.x),
          .request = computed_as(request.product, storage),
          .pinned = request.state};
}

/// The plan as `pin` would make it. Throws `Error(Unsupported)` where no way leads to the state.
Plan pinned_to(State state, Plan plan) {
  const auto reached = [&](const Alternative& other) { return other.state == state; };
  if (plan.target() != state && std::ranges::none_of(plan.alternatives, reached)) {
    const auto refused = std::ranges::find(plan.yard.refused, state, &RefusedState::state);
    throw Error(ErrorCode::Unsupported, "this state cannot be planned for", name(state),
                refused != plan.yard.refused.end()
                    ? refused->reason.text()
                    : "explain without --state lists those that can");
  }
  if (plan.target() != state) plan = shortest_plan(std::move(plan.yard), state);
  plan.pinned = true;
  return plan;
}

void check_spaces(const ExplainRequest& request, std::size_t spaces) {
  if (request.state) check_space(request.state->space, spaces);
  for (const State state : request.from) check_space(state.space, spaces);
  check_space(request.x, spaces);
}

/// The plan for the machine that a profile was measured on, which need not be this one.
Explanation explain_elsewhere(const ExplainRequest& request, const PlanQuestion& question) {
  Profile profile = load_profile(*request.profile);
  if (!knows_products(profile)) {
    throw Error(ErrorCode::ProfileMismatch, "the profile has no model of a multiplication",
                profile.file, "calibrate again");
  }
  const auto spaces = outlook_of(profile, question.precision);
  check_spaces(request, spaces.size());
  if (request.device) {
    check_space(*request.device, spaces.size());
    profile = only_spaces(profile, {*request.device});
  }
  const Situation situation{.request = question.request,
                            .structure = question.structure,
                            .precision = question.precision,
                            .valid = question.valid,
                            .spaces = spaces,
                            .horizon = question.calls,
                            .vectors = question.vectors,
                            .refused = {},
                            .pinned = question.pinned};
  Plan plan = shortest_plan(price_unmeasured(situation, profile));
  if (request.state) plan = pinned_to(*request.state, std::move(plan));
  return {.structure = question.structure,
          .plan = std::move(plan),
          .profile = std::make_shared<const Profile>(std::move(profile)),
          .elsewhere = true};
}

/// x and y as the plan's traffic has them: the caller's own memory, or vectors on a device.
template <Element T>
class ProductVectors {
 public:
  ProductVectors(const Runtime& runtime, const GMatrix<T>& matrix, const ExplainRequest& request)
      : product_(request.product),
        host_x_(test_vector<T>(x_size(product_, matrix.rows(), matrix.cols()))),
        host_y_(static_cast<std::size_t>(y_size(product_, matrix.rows(), matrix.cols()))),
        on_host_(request.x.is_host()) {
    const Space x = request.x;
    if (on_host_) return;
    const Index columns = product_.columns;
    x_ = MultiVector<T>(std::ssize(host_x_) / columns, columns, host_x_);
    y_ = MultiVector<T>(std::ssize(host_y_) / columns, columns);
    static_cast<void>(x_.elements().target_in(runtime.executor(x)->memory(), true));
    x_.elements().written_in(x);
  }

  void multiply(const GMatrix<T>& matrix) {
    if (on_host_) {
      multiply_once<T>(matrix, product_, host_x_, host_y_);
    } else if (product_.operand == Operand::Transpose) {
      matrix.multiply_transposed(x_, y_);
    } else {
      matrix.multiply(x_, y_);
    }
  }

 private:
  Request product_;
  std::vector<T> host_x_;
  std::vector<T> host_y_;
  MultiVector<T> x_;
  MultiVector<T> y_;
  bool on_host_;
};

/// Makes the products of the plan, in the plan's state, and puts what they took beside it.
template <Element T>
void analyze(const Runtime& runtime, const ExplainRequest& request, Explanation& explanation,
             Storage<T> storage, Activity& activity) {
  activity.now("multiplying");
  const GMatrix<T> matrix = runtime.matrix(std::move(storage));
  stand_in(matrix, explanation.plan.yard.valid);
  const auto steps_before = static_cast<std::ptrdiff_t>(matrix.history().size());
  matrix.pin(explanation.plan.target());
  expect_calls(matrix, request.product, request.calls);
  matrix.measure_products(true);
  ProductVectors<T> vectors(runtime, matrix, request);
  Run run;
  for (Index call = 0; call < request.calls; ++call) {
    activity.count(call, request.calls);
    run.seconds.push_back(seconds_of([&] { vectors.multiply(matrix); }));
  }
  run.history = matrix.history();
  run.history.erase(run.history.begin(), run.history.begin() + steps_before);
  explanation.plan = with_run(std::move(explanation.plan), run);
  explanation.counters = matrix.counters();
}

template <Element T>
Explanation explain(const ExplainRequest& request, Activity& activity) {
  activity.now(loading_words(request.matrix));
  Storage<T> storage = load_matrix<T>(request.matrix);
  check_columns(request.product, rows_of(storage), cols_of(storage));
  const PlanQuestion question = question_of(request, storage);
  if (request.profile && !request.analyze) return explain_elsewhere(request, question);

  const auto trace = trace_for(request.trace);
  activity.now("opening the devices");
  const Machine machine = open_machine({request.device, request.profile, trace});
  check_spaces(request, machine.runtime.executors().size());
  Explanation explanation{.structure = question.structure,
                          .plan = machine.runtime.plan(question),
                          .profile = machine.runtime.profile(),
                          .profile_problem = machine.profile_problem};
  if (request.state) {
    explanation.plan = pinned_to(*request.state, std::move(explanation.plan));
  }
  if (request.analyze) {
    analyze(machine.runtime, request, explanation, std::move(storage), activity);
  }
  explanation.trace_failure = write_trace(trace, request.trace);
  return explanation;
}

Outcome run_explain(const ExplainRequest& request, const CommonOptions& common) {
  if (request.trace && !request.analyze) {
    throw UsageError("--trace records what --analyze runs", "--trace", "give --analyze too");
  }
  check_on_device(request.state, request.device);
  Activity activity(!common.quiet);
  const Explanation explanation =
      with_precision(request.precision, [&]<Element T>() { return explain<T>(request, activity); });
  return {common.json ? json_text(report_document(request, explanation))
                      : report_text(request, explanation),
          explanation.trace_failure};
}

void add_vectors(CLI::App& app, ExplainRequest& request) {
  app.add_option_function<std::string>(
         "--x",
         [&request](const std::string& text) {
           const auto space = parse_space(text);
           constexpr int spaces_told_apart = 64;
           if (!space || space->index() >= spaces_told_apart) {
             throw UsageError("'" + text + "' is no space", "--x", "spaces are like host, device0");
           }
           request.x = *space;
         },
         "where x and y live: host (the default; copied to and from a device on every call) or\n"
         "deviceN (they stay there)")
      ->type_name("SPACE");
}

}  // namespace

Action add_explain(CLI::App& app) {
  const auto request = std::make_shared<ExplainRequest>();
  add_matrix(app, request->matrix);
  add_index(app, "--calls", request->calls, 1,
            "the call-count hint: how many multiplications to plan for (default 1)");
  add_request(app, request->product);
  add_from(app, request->from);
  add_state(app, request->state, "plan for this state instead of the best one (default auto)");
  add_vectors(app, *request);
  add_profile(app, request->profile,
              "plan with this profile, for the machine that it was measured on; with --analyze,\n"
              "for this machine");
  app.add_flag("--analyze", request->analyze,
               "multiply as planned, and show measured times beside the predicted ones");
  add_trace(app, request->trace,
            "with --analyze: write every step and call to this file, for chrome://tracing or\n"
            "Perfetto");
  add_precision(app, request->precision, float_by_default);
  add_device(app, request->device, "plan with the host and this device only");
  return [request](const CommonOptions& common) { return run_explain(*request, common); };
}

}  // namespace switchyard::command
