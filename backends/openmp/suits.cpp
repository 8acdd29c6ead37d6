// On which hosts a number of threads is a choice of its own.
#include "openmp/operations.hpp"

namespace switchyard::openmp {
namespace {

/// Below this, half of the threads are one.
constexpr int least_threads_to_halve = 4;

}  // namespace

bool suits_one_thread(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return facts.compute_units > 1;
}

bool suits_half_of_threads(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return facts.compute_units >= least_threads_to_halve;
}

}  // namespace switchyard::openmp
