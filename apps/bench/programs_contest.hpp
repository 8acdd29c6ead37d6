// One program: automatic and pinned, in turn.
#pragma once

#include "programs.hpp"
#include "programs_make.hpp"

namespace switchyard::command::bench {

/// Absent, with a note, where csr@host itself comes to nothing that others could be compared with.
/// A contender whose answer is another one, or an automatic choice that throws, is a failure.
template <Element T>
[[nodiscard]] std::optional<ProgramCase> contest_program(Laboratory& lab,
                                                         const Program<T>& program);

}  // namespace switchyard::command::bench
