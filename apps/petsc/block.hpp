// One sequential matrix of PETSC as Switchyard sees it: what is kept beside PETSc's own arrays.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <switchyard/containers/request.hpp>
#include <switchyard/core/gmatrix.hpp>
#include <vector>

#include "petsc.hpp"
#include "settings.hpp"

namespace switchyard::petsc {

/// What a block is to its matrix.
enum class Role { Whole, Diagonal, OffDiagonal };

/// How often a block's contents were taken over.
struct Updates {
  PetscInt64 values = 0;    ///< new values in the same pattern
  PetscInt64 patterns = 0;  ///< a new pattern, the first one included
};

/// What tells contents of a matrix from others.
struct Contents {
  PetscObjectState state = -1;        ///< counts changes of the matrix
  PetscObjectState pattern = -1;      ///< counts changes of the pattern
  const PetscInt* offsets = nullptr;  ///< PETSc's arrays
  const PetscInt* columns = nullptr;
  const PetscScalar* values = nullptr;
  bool operator==(const Contents&) const = default;
  /// Whether only the values may differ.
  [[nodiscard]] bool has_pattern_of(const Contents& other) const noexcept {
    return pattern == other.pattern && offsets == other.offsets && columns == other.columns;
  }
};

/// A product y = A x + beta y, or of the transpose, on the program's own memory.
struct BlockProduct {
  Request request = {};
  std::span<const double> x;
  double beta = 0;
  std::span<double> y;
};

/// The copies of a SEQAIJ matrix in other formats and spaces. PETSc's CSR arrays are borrowed and
/// remain the matrix: everything but products is PETSc's. Lies in the matrix's `spptr`.
///
/// The first product after a change is PETSc's own, so that factors and temporaries cost nothing.
/// With a call-count hint or a pinned state there is no reason to wait.
class Block {
 public:
  Settings settings;        ///< of the matrix
  Role role = Role::Whole;  ///< for texts
  /// What destroys all but this block.
  PetscErrorCode (*destroy_plain)(Mat) = nullptr;

  /// Follows the state of `matrix`. `ready` says whether `multiply` may be called now. Otherwise
  /// the product is PETSc's.
  PetscErrorCode follow(Mat matrix, bool& ready);
  /// Does the product. REQUIRES: `follow` said that it is ready. Throws what `GMatrix` throws, and
  /// x and y are then unchanged.
  void multiply(const BlockProduct& product);

  /// Operations of a product with so many columns, as PETSc counts them for -log_view: the first
  /// term of a row is not added. REQUIRES: `follow` said that it is ready.
  [[nodiscard]] PetscLogDouble operations(Index columns) const {
    const Index terms = 2 * Index{taken_.offsets[rows_]} - filled_rows_;
    return static_cast<PetscLogDouble>(terms) * static_cast<PetscLogDouble>(columns);
  }

  /// The call-count hints, the pin and the plans follow these settings from now on.
  PetscErrorCode use(const Settings& wanted);
  /// A line for each thing worth knowing, as `-mat_view ::ascii_info_detail` shows it.
  [[nodiscard]] std::string summary() const;
  /// The plans of the requests so far, as `-mat_switchyard_explain` prints them. Empty without any.
  /// `see` comes first: plans of contents that have changed are not made.
  [[nodiscard]] std::string explanation() const;
  /// Compares the contents of `matrix` with those that are held.
  PetscErrorCode see(Mat matrix);

 private:
  /// The rows with elements, where they are few: an off-diagonal block has hardly any others.
  struct FewRows {
    std::vector<Column> rows;           ///< their numbers, ascending
    std::vector<std::int32_t> offsets;  ///< of these rows
    std::vector<double> elements;       ///< of x or y in these rows
  };

  PetscErrorCode take_over(Mat matrix);
  void hold(bool same_pattern);
  void find_few_rows();
  [[nodiscard]] Csr<double> borrowed() const;
  void apply_settings();
  void note(const Request& request);
  void multiply_few_rows(const BlockProduct& product);

  std::optional<GMatrix<double>> held_;
  std::optional<FewRows> few_;
  Index rows_ = 0;
  Index cols_ = 0;
  Index filled_rows_ = 0;          // rows with elements
  Contents seen_;                  // what PETSc has
  Contents taken_;                 // what `held_` has
  bool is_held_ = false;           // whether these are the same, or PETSc's cannot be held
  bool is_usable_ = false;         // of what is held: whether it can be multiplied with
  PetscInt64 waited_ = 0;          // products since the contents changed
  PetscInt64 by_petsc_ = 0;        // products by PETSc
  std::vector<Request> requests_;  // that were seen
  Updates updates_;
};

/// The block of a matrix whose type is MATSEQAIJSWITCHYARD, made if there is none yet. After
/// `MatHeaderMerge` a matrix has the functions of one type and the contents of another.
PetscErrorCode block_of(Mat matrix, Block*& block);
/// The same, or null if there is none.
[[nodiscard]] Block* known_block(Mat matrix) noexcept;
/// Whether the type of `matrix` is MATSEQAIJSWITCHYARD.
[[nodiscard]] bool is_switchyard_block(Mat matrix) noexcept;

}  // namespace switchyard::petsc
