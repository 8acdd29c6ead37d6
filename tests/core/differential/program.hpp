// Programs that use one matrix in any way there is, as RapidCheck makes and shrinks them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace switchyard::testing {

/// What a program can do with its matrix and its vectors.
enum class Action {
  MultiplyVectors,
  MultiplySpans,
  WriteDense,
  WriteCsr,
  Assign,
  Pin,
  Unpin,
  Evict,
  ExpectCalls,
  BringTo,
  CopyOut,
  ShortenMemory,
  FreeMemory,
  ChangeVectors,
  SwapVectors,
  LoseDevice,
};

/// One of them; what there is to choose in it is chosen by the numbers.
struct Command {
  Action action = Action::MultiplyVectors;
  std::uint32_t seed = 0;
  std::uint32_t choice = 0;
};

struct Program {
  std::uint32_t seed = 0;  ///< of the first contents
  std::vector<Command> commands;
};

std::ostream& operator<<(std::ostream& out, const Program& program);

}  // namespace switchyard::testing
