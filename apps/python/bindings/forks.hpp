// Keeping forks and calls apart, so that a child process finds no lock taken by a thread it lacks.
#pragma once

namespace switchyard::python {

/// While it lives, `before_fork` waits. Waits itself while a fork is being made. Threads: any.
class NoFork {
 public:
  NoFork() noexcept;
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

/// Waits until no `NoFork` lives, and lets none begin. REQUIRES: the calling thread has none.
void before_fork() noexcept;
/// Lets them begin again. For the parent.
void after_fork() noexcept;
/// The same for the child, where no other thread is left.
void after_fork_in_child() noexcept;

}  // namespace switchyard::python
