// A gate that calls pass and forks close.
#include "forks.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace switchyard::python {
namespace {

std::atomic<int> inside{0};   ///< calls that have passed
std::atomic<int> forking{0};  ///< threads that are about to fork

void rest() noexcept { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

NoFork::NoFork() noexcept {
  ++inside;
  while (forking > 0) {  // whoever forks sees this call inside, or this call sees it
    --inside;
    while (forking > 0) rest();
    ++inside;
  }
}

NoFork::~NoFork() { --inside; }

void before_fork() noexcept {
  ++forking;
  while (inside > 0) rest();
}

void after_fork() noexcept { --forking; }

void after_fork_in_child() noexcept {
  inside = 0;  // of a thread that was turning round at the gate
  forking = 0;
}

}  // namespace switchyard::python
