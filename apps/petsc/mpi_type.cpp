// MPIAIJ whose blocks are of our type. Its multiplications send ghost values, multiply with the
// diagonal block meanwhile, and then with the off-diagonal block.
//
// Its type keeps the name "mpiaij": products of matrices are looked up by it
// (docs/decisions/0019).
#include "mpi_type.hpp"

#include <array>
#include <memory>

#include "block.hpp"
#include "failure.hpp"
#include "plain_type.hpp"
#include "seq_type.hpp"
#include "session.hpp"

namespace switchyard::petsc {
namespace {

constexpr const char* settings_name = "SwitchyardSettings";
// What MatConvert looks for: by the name of the type, and by the one that users write.
constexpr std::array converters{"MatConvert_mpiaij_mpiaijswitchyard_C",
                                "MatConvert_mpiaij_switchyard_C"};

/// Functions of MPIAIJ that are called through.
PlainFunctions& base() noexcept {
  static PlainFunctions functions;
  return functions;
}

PetscErrorCode forget_settings(void* settings) {
  delete static_cast<Settings*>(settings);
  return 0;
}

/// Keeps them with the matrix, for its blocks.
PetscErrorCode keep_settings(Mat matrix, const Settings& settings) {
  PetscContainer container = nullptr;
  Settings* kept = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(guarded(__func__, [&] { kept = new Settings(settings); }));
  PetscCall(PetscContainerSetPointer(container, kept));
  PetscCall(PetscContainerSetUserDestroy(container, forget_settings));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(matrix), settings_name,
                               reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(0);
}

/// After `MatHeaderMerge` there are none.
PetscErrorCode settings_of(Mat matrix, Settings& settings) {
  PetscObject object = nullptr;
  void* kept = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(matrix), settings_name, &object));
  if (!object) PetscFunctionReturn(0);
  PetscCall(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(object), &kept));
  settings = *static_cast<const Settings*>(kept);
  PetscFunctionReturn(0);
}

/// The two blocks of this rank, null before preallocation.
PetscErrorCode blocks_of(Mat matrix, std::array<Mat, 2>& blocks) {
  PetscFunctionBegin;
  blocks = {};
  // `MatHeaderMerge` takes the name away before it destroys.
  if (!reinterpret_cast<PetscObject>(matrix)->type_name || !matrix->data) PetscFunctionReturn(0);
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks[0], &blocks[1], nullptr));
  PetscFunctionReturn(0);
}

PetscErrorCode adopt_block(Mat matrix, Mat part, Role role) {
  PetscBool is_plain = PETSC_FALSE;
  Settings settings;
  Block* block = nullptr;
  PetscFunctionBegin;
  if (!part ||
      (is_switchyard_block(part) && known_block(part) && known_block(part)->role == role)) {
    PetscFunctionReturn(0);
  }
  // -mat_seqaij_type may have made it another subtype.
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(part), MATSEQAIJ, &is_plain));
  if (!is_plain && !is_switchyard_block(part)) PetscFunctionReturn(0);
  PetscCall(settings_of(matrix, settings));
  PetscCall(adopt(part, settings));
  PetscCall(block_of(part, block));
  block->role = role;
  PetscFunctionReturn(0);
}

/// MPIAIJ makes new blocks in several places.
PetscErrorCode adopt_blocks(Mat matrix) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(blocks_of(matrix, blocks));
  PetscCall(adopt_block(matrix, blocks[0], Role::Diagonal));
  PetscCall(adopt_block(matrix, blocks[1], Role::OffDiagonal));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(adopt_blocks(matrix));
  PetscCall(base().mult(matrix, x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_add(Mat matrix, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  PetscCall(adopt_blocks(matrix));
  PetscCall(base().multadd(matrix, x, y, z));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_transposed(Mat matrix, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(adopt_blocks(matrix));
  PetscCall(base().multtranspose(matrix, x, y));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply_transposed_add(Mat matrix, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  PetscCall(adopt_blocks(matrix));
  PetscCall(base().multtransposeadd(matrix, x, y, z));
  PetscFunctionReturn(0);
}

PetscErrorCode end_assembly(Mat matrix, MatAssemblyType type) {
  PetscFunctionBegin;
  PetscCall(base().assemblyend(matrix, type));
  if (type == MAT_FINAL_ASSEMBLY) PetscCall(adopt_blocks(matrix));
  PetscFunctionReturn(0);
}

/// What both blocks of this rank say, under a line about the rank.
PetscErrorCode text_of_blocks(Mat matrix, bool explains, std::string& text) {
  std::array<Mat, 2> blocks{};
  PetscFunctionBegin;
  PetscCall(blocks_of(matrix, blocks));
  PetscCall(guarded(__func__, [&] { text = session_text() + "\n"; }));
  for (Mat part : blocks) {
    Block* const block = part ? known_block(part) : nullptr;
    if (!block) continue;
    PetscCall(block->see(part));
    PetscCall(
        guarded(__func__, [&] { text += explains ? block->explanation() : block->summary(); }));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode view(Mat matrix, PetscViewer viewer) {
  PetscBool is_ascii = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  std::string text;
  PetscFunctionBegin;
  PetscCall(base().view(matrix, viewer));
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!is_ascii || format != PETSC_VIEWER_ASCII_INFO_DETAIL) PetscFunctionReturn(0);
  PetscCall(text_of_blocks(matrix, false, text));
  // The text has its own indentation.
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "%s", text.c_str()));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy(Mat matrix) {
  Settings settings;
  std::string text;
  const MPI_Comm ranks = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  PetscFunctionBegin;
  PetscCall(settings_of(matrix, settings));
  if (settings.explain) {
    PetscCall(text_of_blocks(matrix, true, text));
    PetscCall(PetscSynchronizedPrintf(ranks, "%s", text.c_str()));
    PetscCall(PetscSynchronizedFlush(ranks, PETSC_STDOUT));
  }
  PetscCall(base().destroy(matrix));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(matrix), settings_name, nullptr));
  PetscFunctionReturn(0);
}

PetscErrorCode adopt_matrix(Mat matrix, const Settings& settings);

PetscErrorCode duplicate(Mat matrix, MatDuplicateOption option, Mat* copy) {
  Settings settings;
  PetscFunctionBegin;
  PetscCall(settings_of(matrix, settings));
  PetscCall(base().duplicate(matrix, option, copy));
  PetscCall(adopt_matrix(*copy, settings));
  PetscFunctionReturn(0);
}

PetscErrorCode convert(Mat matrix, MatType, MatReuse reuse, Mat* result) {
  return convert_by(adopt_matrix, matrix, reuse, result);
}

PetscErrorCode adopt_matrix(Mat matrix, const Settings& settings) {
  PetscFunctionBegin;
  PetscCall(keep_plain(MATMPIAIJ, base()));
  PetscCall(keep_settings(matrix, settings));
  matrix->ops->mult = multiply;
  matrix->ops->multadd = multiply_add;
  matrix->ops->multtranspose = multiply_transposed;
  matrix->ops->multtransposeadd = multiply_transposed_add;
  matrix->ops->assemblyend = end_assembly;
  matrix->ops->duplicate = duplicate;
  matrix->ops->destroy = destroy;
  matrix->ops->view = view;
  for (const char* const name : converters) {
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(matrix), name, convert));
  }
  if (matrix->assembled) PetscCall(adopt_blocks(matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode create(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(MatSetType(matrix, MATMPIAIJ));
  PetscCall(convert(matrix, MATMPIAIJSWITCHYARD, MAT_INPLACE_MATRIX, &matrix));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode register_mpi_type() {
  PetscFunctionBegin;
  PetscCall(MatRegister(MATMPIAIJSWITCHYARD, create));
  PetscCall(MatRegisterRootName(MATSWITCHYARD, MATSEQAIJSWITCHYARD, MATMPIAIJSWITCHYARD));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
