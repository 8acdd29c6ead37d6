// Facts, hints, states, plans and counters in the C interface.
#include "arguments.hpp"
#include "command/plan_json.hpp"
#include "failure.hpp"

namespace switchyard::c {
namespace {

template <Element T>
sy_info info_of(const GMatrix<T>& matrix) {
  const Structure structure = matrix.structure();
  return {.rows = structure.rows,
          .cols = structure.cols,
          .nnz = structure.nnz,
          .nnz_is_exact = structure.exact ? 1 : 0,
          .element_bits = 8 * std::int32_t{sizeof(T)}};
}

ExpectedCalls expected(const Request& request, Index calls) {
  ExpectedCalls hint{.columns = request.columns};
  (request.operand == Operand::Matrix ? hint.products : hint.transposed) = calls;
  return hint;
}

template <Element T>
std::string explanation_json(const GMatrix<T>& matrix, const Request& request) {
  command::JsonValue document;
  document["matrix"] = command::matrix_json(matrix.structure());
  command::add_decision(document, with_measurements(matrix.plan(request), matrix.history()),
                        precision_of<T>);
  command::add_request(document, request);  // of a symmetric matrix another is planned
  document["states"] = command::state_names(matrix.states());
  document["counters"] = command::counters_json(matrix.counters());
  return command::json_value_text(std::move(document));
}

/// Gives the caller the text that `write` makes of the matrix.
template <class Write>
sy_status give_text(const sy_matrix* matrix, char** text, const Write& write) {
  return guarded([&] {
    char*& result = required(text, "the pointer to the text");
    result = text_for_caller(with_matrix(matrix, write));
  });
}

}  // namespace
}  // namespace switchyard::c

using namespace switchyard::c;

sy_status sy_matrix_info(const sy_matrix* matrix, sy_info* info) {
  return guarded([&] {
    sy_info& result = required(info, "info");
    result = with_matrix(matrix, [](const auto& A) { return info_of(A); });
  });
}

sy_status sy_expect_calls(const sy_matrix* matrix, const sy_request* request, int64_t calls) {
  return guarded([&] {
    if (calls < 1) {
      throw switchyard::Error(switchyard::ErrorCode::InvalidArgument,
                              "the number of expected calls is below 1");
    }
    const auto hint = expected(request_of(request), calls);
    with_matrix(matrix, [&](const auto& A) { A.expect_calls(hint); });
  });
}

sy_status sy_pin(const sy_matrix* matrix, const char* state) {
  return guarded([&] { with_matrix(matrix, [&](const auto& A) { A.pin(state_of(state)); }); });
}

sy_status sy_pin_request(const sy_matrix* matrix, const sy_request* request, const char* state) {
  return guarded([&] {
    const switchyard::Request wanted = request_of(request);
    with_matrix(matrix, [&](const auto& A) { A.pin(state_of(state), wanted); });
  });
}

sy_status sy_unpin(const sy_matrix* matrix) {
  return guarded([&] { with_matrix(matrix, [](const auto& A) { A.unpin(); }); });
}

sy_status sy_states(const sy_matrix* matrix, char** states) {
  return give_text(matrix, states, [](const auto& A) {
    std::string names;
    for (const auto state : A.states()) names += (names.empty() ? "" : " ") + name(state);
    return names;
  });
}

sy_status sy_bring_to(const sy_matrix* matrix, const char* state) {
  return guarded([&] { with_matrix(matrix, [&](const auto& A) { A.bring_to(state_of(state)); }); });
}

sy_status sy_evict(const sy_matrix* matrix, const char* state, int32_t* dropped) {
  return guarded([&] {
    const bool was = with_matrix(matrix, [&](const auto& A) { return A.evict(state_of(state)); });
    if (dropped) *dropped = was ? 1 : 0;
  });
}

sy_status sy_plan_json(const sy_matrix* matrix, const sy_request* request, char** json) {
  return give_text(matrix, json, [&](const auto& A) {
    using namespace switchyard::command;
    return json_value_text(plan_json(A.plan(request_of(request))));
  });
}

sy_status sy_explain_json(const sy_matrix* matrix, const sy_request* request, char** json) {
  return give_text(matrix, json,
                   [&](const auto& A) { return explanation_json(A, request_of(request)); });
}

sy_status sy_explain(const sy_matrix* matrix, const sy_request* request, char** text) {
  return give_text(matrix, text, [&](const auto& A) { return A.explain(request_of(request)); });
}

sy_status sy_matrix_counters(const sy_matrix* matrix, sy_counters* counters) {
  return guarded([&] {
    sy_counters& result = required(counters, "counters");
    result = with_matrix(matrix, [](const auto& A) { return counters_for_caller(A.counters()); });
  });
}
