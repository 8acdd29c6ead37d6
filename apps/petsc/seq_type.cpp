// SEQAIJ with products of Switchyard. All else is SEQAIJ's, on its own arrays.
#include "seq_type.hpp"

#include <memory>

#include "block.hpp"
#include "failure.hpp"
#include "seq_names.hpp"
#include "seq_products.hpp"
#include "session.hpp"

namespace switchyard::petsc {
namespace {

PlainFunctions& base() noexcept {
  static PlainFunctions functions;
  return functions;
}

PetscErrorCode destroy_block(Mat matrix) {
  PetscFunctionBegin;
  const std::unique_ptr<Block> block(known_block(matrix));
  matrix->spptr = nullptr;
  if (!block || !block->settings.explain || block->role != Role::Whole) PetscFunctionReturn(0);
  PetscCall(block->see(matrix));
  std::string text;
  PetscCall(guarded(__func__, [&] { text = session_text() + "\n" + block->explanation(); }));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", text.c_str()));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy(Mat matrix) {
  PetscFunctionBegin;
  const Block* const block = known_block(matrix);
  const auto destroy_plain = block && block->destroy_plain ? block->destroy_plain : base().destroy;
  PetscCall(destroy_block(matrix));
  PetscCall(remove_names(matrix));
  // `MatHeaderMerge` has taken the name away.
  if (reinterpret_cast<PetscObject>(matrix)->type_name) {
    PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix), MATSEQAIJ));
  }
  PetscCall(destroy_plain(matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode duplicate(Mat matrix, MatDuplicateOption option, Mat* copy) {
  Block* block = nullptr;
  PetscFunctionBegin;
  PetscCall(block_of(matrix, block));
  PetscCall(base().duplicate(matrix, option, copy));
  PetscCall(adopt(*copy, block->settings));
  PetscFunctionReturn(0);
}

PetscErrorCode view(Mat matrix, PetscViewer viewer) {
  PetscBool is_ascii = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscFunctionBegin;
  PetscCall(base().view(matrix, viewer));
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  const Block* const block = known_block(matrix);
  if (!is_ascii || format != PETSC_VIEWER_ASCII_INFO_DETAIL || !block || block->role != Role::Whole)
    PetscFunctionReturn(0);
  std::string text;
  PetscCall(guarded(__func__, [&] { text = session_text() + "\n" + block->summary(); }));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s", text.c_str()));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/// SEQAIJ's own does not tell that the values have changed.
PetscErrorCode retrieve_values(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(base().retrieve_values(matrix));
  PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(matrix)));
  PetscFunctionReturn(0);
}

// Whether `keep_base` makes its matrix, which then stays as SEQAIJ makes it.
bool is_keeping_base = false;

PetscErrorCode keep_base() {
  is_keeping_base = true;
  const PetscErrorCode failure = keep_plain(MATSEQAIJ, base());
  is_keeping_base = false;
  return failure;
}

PetscErrorCode set_functions(Mat matrix) {
  PetscFunctionBegin;
  matrix->ops->mult = multiply;
  matrix->ops->multadd = multiply_add;
  matrix->ops->multtranspose = multiply_transposed;
  matrix->ops->multtransposeadd = multiply_transposed_add;
  matrix->ops->duplicate = duplicate;
  matrix->ops->destroy = destroy;
  matrix->ops->view = view;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(matrix), "MatRetrieveValues_C",
                                       retrieve_values));
  PetscFunctionReturn(0);
}

PetscErrorCode restore_functions(Mat matrix) {
  PetscFunctionBegin;
  const PlainFunctions& kept = base();
  matrix->ops->mult = kept.mult;
  matrix->ops->multadd = kept.multadd;
  matrix->ops->multtranspose = kept.multtranspose;
  matrix->ops->multtransposeadd = kept.multtransposeadd;
  matrix->ops->duplicate = kept.duplicate;
  matrix->ops->destroy = kept.destroy;
  matrix->ops->view = kept.view;
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(matrix), "MatRetrieveValues_C",
                                       kept.retrieve_values));
  PetscFunctionReturn(0);
}

PetscErrorCode convert_back(Mat matrix, MatType, MatReuse reuse, Mat* result) {
  Mat plain = *result;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(matrix, plain, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(0);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, &plain));
  const std::unique_ptr<Block> block(known_block(plain));
  plain->spptr = nullptr;
  PetscCall(remove_names(plain));
  PetscCall(restore_functions(plain));
  if (block && block->destroy_plain) plain->ops->destroy = block->destroy_plain;
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(plain), MATSEQAIJ));
  *result = plain;
  PetscFunctionReturn(0);
}

PetscErrorCode convert(Mat matrix, MatType, MatReuse reuse, Mat* result) {
  return convert_by(adopt, matrix, reuse, result);
}

PetscErrorCode create(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(MatSetType(matrix, MATSEQAIJ));
  PetscCall(convert(matrix, MATSEQAIJSWITCHYARD, MAT_INPLACE_MATRIX, &matrix));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode register_seq_type() {
  PetscFunctionBegin;
  PetscCall(MatRegister(MATSEQAIJSWITCHYARD, create));
  PetscCall(MatSeqAIJRegister(MATSEQAIJSWITCHYARD, convert));
  PetscFunctionReturn(0);
}

PetscErrorCode adopt(Mat matrix, const Settings& settings) {
  auto* const object = reinterpret_cast<PetscObject>(matrix);
  PetscBool is_plain = PETSC_FALSE;
  Block* block = nullptr;
  PetscFunctionBegin;
  if (is_keeping_base) PetscFunctionReturn(0);
  if (!is_switchyard_block(matrix)) {
    PetscCall(PetscObjectTypeCompare(object, MATSEQAIJ, &is_plain));
    PetscCheck(is_plain, PETSC_COMM_SELF, PETSC_ERR_SUP, "%s is no %s; convert it to that first",
               object->type_name, MATSEQAIJ);
    PetscCall(keep_base());
    // Submatrices have another destroy, which leads to SEQAIJ's.
    const auto destroy_plain = matrix->ops->destroy;
    PetscCall(set_functions(matrix));
    PetscCall(block_of(matrix, block));
    block->destroy_plain = destroy_plain;
    PetscCall(add_names(matrix, convert, convert_back));
    PetscCall(PetscObjectChangeTypeName(object, MATSEQAIJSWITCHYARD));
  }
  PetscCall(block_of(matrix, block));
  PetscCall(block->use(settings));
  PetscFunctionReturn(0);
}

const PlainFunctions& seq_base() noexcept { return base(); }

Block* known_block(Mat matrix) noexcept {
  return matrix->ops->mult == multiply ? static_cast<Block*>(matrix->spptr) : nullptr;
}

bool is_switchyard_block(Mat matrix) noexcept { return matrix->ops->mult == multiply; }

PetscErrorCode block_of(Mat matrix, Block*& block) {
  PetscFunctionBegin;
  if (!matrix->spptr) PetscCall(guarded(__func__, [&] { matrix->spptr = new Block; }));
  block = static_cast<Block*>(matrix->spptr);
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
