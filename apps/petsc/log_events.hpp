// What -log_view shows of the types.
#pragma once

#include <switchyard/core/gmatrix.hpp>

#include "petsc.hpp"

namespace switchyard::petsc {

/// Their numbers in PETSc's log.
struct LogEvents {
  PetscLogEvent take_over = 0;  ///< contents of PETSc's matrix are taken over
  PetscLogEvent plan = 0;       ///< a plan was made; counted only
  PetscLogEvent convert = 0;    ///< a copy was made in another format
  PetscLogEvent transfer = 0;   ///< a copy was made in another memory
};

/// Registers them.
PetscErrorCode register_log_events();
/// REQUIRES: `register_log_events`.
[[nodiscard]] const LogEvents& log_events() noexcept;

/// Adds to PETSc's log what the library does inside of one call: plans, conversions and transfers,
/// with the times that it has measured itself. Does nothing where PETSc does not log.
class Accounting {
 public:
  /// The matrix that is about to be used.
  explicit Accounting(const GMatrix<double>& matrix);
  /// Adds the differences.
  ~Accounting();
  Accounting(const Accounting&) = delete;
  Accounting& operator=(const Accounting&) = delete;

 private:
  void add_moves(Index moves) const;

  const GMatrix<double>& matrix_;
  const bool active_;
  Counters before_;
};

}  // namespace switchyard::petsc
