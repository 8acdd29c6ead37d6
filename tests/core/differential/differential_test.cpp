// Whatever a program does, its products are those of a plain matrix in long double.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdlib>
#include <ostream>

#include "core/differential/player.hpp"
#include "sampling.hpp"

namespace switchyard::testing {

namespace {

constexpr std::array<std::string_view, 16> action_names{"multiply_vectors",
                                                        "multiply_spans",
                                                        "write_dense",
                                                        "write_csr",
                                                        "assign",
                                                        "pin",
                                                        "unpin",
                                                        "evict",
                                                        "expect_calls",
                                                        "bring_to",
                                                        "copy_out",
                                                        "shorten_memory",
                                                        "free_memory",
                                                        "change_vectors",
                                                        "swap_vectors",
                                                        "lose_device"};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Program& program) {
  out << "contents " << program.seed;
  for (const Command& command : program.commands) {
    out << ", " << action_names[static_cast<std::size_t>(command.action)] << ' ' << command.seed
        << ' ' << command.choice;
  }
  return out;
}

namespace {

rc::Gen<Command> any_command(int losing) {
  using rc::gen::just;
  const auto action = rc::gen::weightedElement<Action>({{6, Action::MultiplyVectors},
                                                        {6, Action::MultiplySpans},
                                                        {1, Action::WriteDense},
                                                        {1, Action::WriteCsr},
                                                        {1, Action::Assign},
                                                        {8, Action::Pin},
                                                        {1, Action::Unpin},
                                                        {2, Action::Evict},
                                                        {1, Action::ExpectCalls},
                                                        {2, Action::BringTo},
                                                        {1, Action::CopyOut},
                                                        {1, Action::ShortenMemory},
                                                        {1, Action::FreeMemory},
                                                        {1, Action::ChangeVectors},
                                                        {1, Action::SwapVectors},
                                                        {losing, Action::LoseDevice}});
  return rc::gen::map(rc::gen::tuple(action, rc::gen::inRange<std::uint32_t>(0, 1U << 16),
                                     rc::gen::inRange<std::uint32_t>(0, 1U << 10)),
                      [](const auto& parts) {
                        return Command{std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)};
                      });
}

rc::Gen<Program> any_program(int losing) {
  const auto commands =
      rc::gen::scale(0.3, rc::gen::container<std::vector<Command>>(any_command(losing)));
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange<std::uint32_t>(0, 1U << 16), commands),
                      [](const auto& parts) {
                        return Program{std::get<0>(parts), std::get<1>(parts)};
                      });
}

/// As many programs as SWITCHYARD_TEST_PROGRAMS says, or a number that takes a few seconds.
/// `usual` for two formats: every state is to get its share of the multiplications.
int programs_to_play(int usual) {
  const char* const asked = std::getenv("SWITCHYARD_TEST_PROGRAMS");
  if (asked) return std::max(std::atoi(asked), 1);
  return usual * static_cast<int>(number_of_formats) / 2;
}

/// Checks `property` on that many programs.
template <class Property>
void check_programs(int count, const Property& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = count;
  const rc::detail::TestMetadata metadata{.id = "Differential", .description = "differential"};
  const auto result = rc::detail::checkTestable(property, metadata, params);
  std::ostringstream words;
  rc::detail::printResultMessage(result, words);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << words.str();
}

template <class T>
class Differential : public ::testing::Test {
 protected:
  void report(const Runtime& runtime, long at_least) {
    for (const auto& executor : runtime.executors()) {
      if (!executor->supports(precision_of<T>)) continue;
      for (const FormatFacts& facts : format_table) {
        const State state{executor->space(), facts.format};
        this->RecordProperty(name(state), std::to_string(score_[state]));
        // Most matrices have more than one value, or get more when they are written.
        const bool constant = facts.values == ValueCoding::Constant;
        EXPECT_GE(score_[state], constant ? at_least / 2 : at_least) << name(state);
      }
    }
  }
  Score score_;
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Differential, Elements);

TYPED_TEST(Differential, AnyProgramGetsThePlainMatrixsProducts) {
  using T = TypeParam;
  const Runtime runtime{RuntimeOptions{}};
  // More devices share the same programs.
  const auto spaces = static_cast<int>(runtime.executors().size());
  const int sampled = 600 / Sample::one_in;
  const int programs = programs_to_play(sampled * std::max(spaces, 2));
  check_programs(programs, [&] {
    const Program program = *any_program(0);
    Player<T> player(runtime, program.seed, this->score_);
    for (const Command& command : program.commands) player.play(command);
  });
  // Shares differ much by chance: of 132 that 4400 programs gave, the smallest was 35. Less than
  // half of that is no bad luck: programs do not reach that state.
  this->report(runtime, std::clamp(programs / 300, 1, 1000));
}

// What was refused while memory was short, without failing a call, was refused to the next pin.
TYPED_TEST(Differential, ProgramsThatFailedOnceDoNotAgain) {
  const std::vector<Program> programs{{40726,
                                       {{Action::Pin, 0, 7},
                                        {Action::ShortenMemory, 936, 0},
                                        {Action::CopyOut, 0, 14},
                                        {Action::FreeMemory, 0, 0},
                                        {Action::MultiplyVectors, 0, 0}}},
                                      {0,
                                       {{Action::ShortenMemory, 1568, 0},
                                        {Action::Pin, 0, 131},
                                        {Action::MultiplySpans, 0, 0},
                                        {Action::Pin, 0, 30},
                                        {Action::MultiplyVectors, 0, 0},
                                        {Action::FreeMemory, 0, 0},
                                        {Action::MultiplySpans, 0, 0}}}};
  const Runtime runtime{RuntimeOptions{}};
  for (const Program& program : programs) {
    check_programs(1, [&] {
      Player<TypeParam> player(runtime, program.seed, this->score_);
      for (const Command& command : program.commands) player.play(command);
    });
  }
}

TYPED_TEST(Differential, AlsoWhereTheDeviceIsLost) {
  using T = TypeParam;
  check_programs(programs_to_play(60), [&] {
    const Program program = *any_program(1);
    const Runtime runtime{RuntimeOptions{}};
    Player<T> player(runtime, program.seed, this->score_);
    for (const Command& command : program.commands) player.play(command);
  });
  RuntimeOptions host;
  host.devices = "none";
  this->report(Runtime(host), 1);
}

}  // namespace
}  // namespace switchyard::testing
