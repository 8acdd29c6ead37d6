// What of the checks does not depend on a type.
#include "arguments.hpp"

#include <algorithm>

namespace switchyard::c {

void check_memory(int memory) {
  if (memory == SY_COPY || memory == SY_BORROW || memory == SY_BORROW_ONLY) return;
  throw Error(ErrorCode::InvalidArgument, "memory is " + std::to_string(memory), {},
              "it is SY_COPY, SY_BORROW or SY_BORROW_ONLY");
}

Request request_of(const sy_request* request) {
  if (!request) return {};
  if (request->columns < 1) {
    throw Error(ErrorCode::InvalidArgument, "x and y need at least one column");
  }
  if (request->transposed != 0 && request->transposed != 1) {
    throw Error(ErrorCode::InvalidArgument, "transposed is " + std::to_string(request->transposed),
                {}, "it is 0 or 1");
  }
  const Operand operand = request->transposed == 0 ? Operand::Matrix : Operand::Transpose;
  return {.operand = operand, .columns = request->columns};
}

State state_of(const char* name) {
  const std::string_view text(&required(name, "state"));
  if (const auto state = parse_state(text)) return *state;
  throw Error(ErrorCode::InvalidArgument, "'" + std::string(text) + "' is no state", {},
              "states are like csr@host, dense@device0");
}

char* text_for_caller(std::string_view text) {
  char* const copy = new char[text.size() + 1];
  *std::ranges::copy(text, copy).out = '\0';
  return copy;
}

sy_counters counters_for_caller(const Counters& counters) {
  return {.calls = counters.calls,
          .switches = counters.switches,
          .decisions_planned = counters.decisions_planned,
          .decisions_remembered = counters.decisions_remembered,
          .conversions = counters.conversions,
          .converted_bytes = counters.converted_bytes,
          .transfers = counters.transfers,
          .transferred_bytes = counters.transferred_bytes,
          .vector_bytes = counters.vector_bytes,
          .device_failures = counters.device_failures,
          .completed_after_failure = counters.completed_after_failure,
          .switching_seconds = counters.switching_seconds};
}

}  // namespace switchyard::c
