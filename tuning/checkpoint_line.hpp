// The lines of a checkpoint as text: one for the machine, one for each finished experiment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <switchyard/models/profile.hpp>
#include <vector>

#include "measure.hpp"

namespace switchyard {

/// The samples of finished experiments, by the experiment's name.
using FinishedExperiments = std::map<std::string, std::vector<KeyedSample>>;

// All lines end in '\n' and hold no other.
[[nodiscard]] std::string machine_line(const Fingerprint& fingerprint);
[[nodiscard]] std::string experiment_line(const std::string& experiment,
                                          const std::vector<KeyedSample>& samples);

/// Whether `line`, without its end, is what `machine_line` writes for that machine.
[[nodiscard]] bool is_machine_line(std::string_view line, const Fingerprint& fingerprint);
/// Takes over one experiment's line, without its end. Returns false, `finished` being what it was,
/// where it is not what `experiment_line` writes: a damaged line is as if nothing was measured.
bool read_experiment_line(std::string_view line, FinishedExperiments& finished);

}  // namespace switchyard
