// Opening and closing what the matrices of one process share.
#include "session.hpp"

#include <array>
#include <optional>

#include "failure.hpp"
#include "merged_trace.hpp"
#include "shares.hpp"

namespace switchyard::petsc {
namespace {

std::optional<Session>& current() {
  static std::optional<Session> session;
  return session;
}

PetscErrorCode read_text(const char* name, std::string& text) {
  std::array<char, PETSC_MAX_PATH_LEN> value{};
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, name, value.data(), value.size(), &given));
  if (given) PetscCall(guarded(__func__, [&] { text = value.data(); }));
  PetscFunctionReturn(0);
}

PetscErrorCode read_options(Session& session) {
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(read_text("-mat_switchyard_devices", session.devices));
  PetscCall(read_text("-mat_switchyard_trace", session.trace_file));
  PetscCall(
      PetscOptionsGetInt(nullptr, nullptr, "-mat_switchyard_threads", &session.threads, &given));
  PetscCheck(!given || session.threads >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_switchyard_threads: %" PetscInt_FMT " is below 1", session.threads);
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode open_session() {
  PetscFunctionBegin;
  PetscCall(guarded(__func__, [] { current().emplace(); }));
  PetscCall(find_ranks(session().ranks));
  PetscCall(read_options(session()));
  if (!session().trace_file.empty()) {
    // The times of all ranks begin here.
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(guarded(__func__, [] { session().trace = std::make_shared<Trace>(); }));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode close_session() {
  PetscFunctionBegin;
  if (!current()) PetscFunctionReturn(0);
  if (session().trace) PetscCall(write_merged_trace(*session().trace, session().trace_file));
  current().reset();
  PetscFunctionReturn(0);
}

Session& session() { return *current(); }

Runtime& runtime() {
  Session& open = session();
  if (!open.runtime) open.runtime = std::make_unique<Runtime>(options_for(open));
  return *open.runtime;
}

std::string session_text() {
  const Session& open = session();
  std::string text = "rank " + std::to_string(open.ranks.rank);
  if (!open.runtime) return text + ": no runtime was needed yet";
  const auto& executors = open.runtime->executors();
  const int threads = executors.front()->facts().compute_units;
  text += ": " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  if (open.ranks.locals > 1) {
    text += ", memory shared by " + std::to_string(open.ranks.locals) + " ranks";
  }
  for (std::size_t i = 1; i < executors.size(); ++i) {
    text += ", " + name(executors[i]->space()) + " " + executors[i]->facts().name;
  }
  if (executors.size() > 1 && open.device_sharers > 1) {
    text += " shared by " + std::to_string(open.device_sharers) + " ranks";
  }
  return text;
}

}  // namespace switchyard::petsc
