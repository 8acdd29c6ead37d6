// Following a matrix of PETSC, and multiplying with it.
#include "block.hpp"

#include <algorithm>
#include <span>
#include <switchyard/containers/csr_check.hpp>

#include "failure.hpp"
#include "log_events.hpp"
#include "session.hpp"

namespace switchyard::petsc {
namespace {

// Requests beyond so many still multiply, but are not explained.
constexpr std::size_t most_requests = 16;

// PETSc keeps a list of the rows that are not empty where these are less than 0.4 of all.
constexpr double few_rows_share = 0.4;

/// `MatCreateSeqAIJWithArrays` also takes rows whose columns do not ascend.
bool is_csr(Index rows, Index cols, const PetscInt* offsets, const PetscInt* columns) {
  const std::span all(offsets, static_cast<std::size_t>(rows) + 1);
  const std::span stored(columns, static_cast<std::size_t>(offsets[rows]));
  return !pattern_faults(all, std::span<const Column>(stored), cols).any();
}

Index count_filled_rows(Index rows, const PetscInt* offsets) noexcept {
  Index filled = 0;
  for (Index i = 0; i < rows; ++i) filled += offsets[i + 1] > offsets[i] ? 1 : 0;
  return filled;
}

template <class T>
Array<T> view(const T* values, Index size) {
  return Array<T>::borrow({values, static_cast<std::size_t>(size)});
}

}  // namespace

PetscErrorCode Block::see(Mat matrix) {
  Contents contents;
  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(matrix), &contents.state));
  PetscCall(MatGetNonzeroState(matrix, &contents.pattern));
  PetscScalar* values = nullptr;
  PetscCall(
      MatSeqAIJGetCSRAndMemType(matrix, &contents.offsets, &contents.columns, &values, nullptr));
  contents.values = values;
  if (contents == seen_) PetscFunctionReturn(0);
  seen_ = contents;
  is_held_ = false;
  waited_ = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode Block::follow(Mat matrix, bool& ready) {
  PetscFunctionBegin;
  ready = false;
  PetscCall(see(matrix));
  if (!is_held_) {
    const bool in_a_hurry = settings.pin || settings.calls > 0;
    if (waited_ > 0 || in_a_hurry) PetscCall(take_over(matrix));
    ++waited_;
  }
  ready = is_held_ && is_usable_;
  if (!ready) ++by_petsc_;
  PetscFunctionReturn(0);
}

PetscErrorCode Block::take_over(Mat matrix) {
  PetscFunctionBegin;
  const PetscLogEvent event = log_events().take_over;
  const bool same_pattern =
      held_ && seen_.has_pattern_of(taken_) && matrix->rmap->n == rows_ && matrix->cmap->n == cols_;
  rows_ = matrix->rmap->n;
  cols_ = matrix->cmap->n;
  PetscCall(PetscLogEventBegin(event, matrix, 0, 0, 0));
  PetscCall(guarded(__func__, [&] { hold(same_pattern); }));
  PetscCall(PetscLogEventEnd(event, matrix, 0, 0, 0));
  PetscFunctionReturn(0);
}

void Block::hold(bool same_pattern) {
  const bool empty = !seen_.offsets || seen_.offsets[rows_] == 0 || !seen_.values;
  is_usable_ = !empty && (same_pattern || is_csr(rows_, cols_, seen_.offsets, seen_.columns));
  if (is_usable_) {
    taken_ = {};
    if (!same_pattern) find_few_rows();
    if (held_) {
      held_->assign(borrowed());
    } else {
      held_.emplace(runtime().matrix(borrowed()));
    }
    taken_ = seen_;
    ++(same_pattern ? updates_.values : updates_.patterns);
    apply_settings();
  }
  is_held_ = true;
}

void Block::find_few_rows() {
  few_.reset();
  filled_rows_ = count_filled_rows(rows_, seen_.offsets);
  const auto filled = static_cast<double>(filled_rows_);
  if (filled > few_rows_share * static_cast<double>(rows_)) return;
  FewRows few{{}, {0}, {}};
  for (Index row = 0; row < rows_; ++row) {
    if (seen_.offsets[row + 1] == seen_.offsets[row]) continue;
    few.rows.push_back(static_cast<Column>(row));
    few.offsets.push_back(seen_.offsets[row + 1]);
  }
  few_ = std::move(few);
}

Csr<double> Block::borrowed() const {
  const Index nnz = seen_.offsets[rows_];
  const Index rows = few_ ? static_cast<Index>(few_->rows.size()) : rows_;
  const std::int32_t* const offsets = few_ ? few_->offsets.data() : seen_.offsets;
  return {rows,
          cols_,
          nnz,
          view<std::int32_t>(offsets, rows + 1),
          view<Column>(seen_.columns, nnz),
          view<double>(seen_.values, nnz)};
}

void Block::apply_settings() {
  if (settings.pin) held_->pin(*settings.pin);
  if (settings.calls > 0) held_->expect_calls(settings.calls);
}

void Block::multiply(const BlockProduct& product) {
  note(product.request);
  const Accounting accounting(*held_);
  if (few_) return multiply_few_rows(product);
  const Index columns = product.request.columns;
  if (product.request.operand == Operand::Matrix) {
    held_->multiply(1, product.x, product.beta, product.y, columns);
  } else {
    held_->multiply_transposed(1, product.x, product.beta, product.y, columns);
  }
}

void Block::multiply_few_rows(const BlockProduct& product) {
  const auto columns = static_cast<std::size_t>(product.request.columns);
  std::vector<double>& some = few_->elements;
  some.resize(few_->rows.size() * columns);
  const auto each = [&](const auto& visit) {
    std::size_t place = 0;
    for (const Column row : few_->rows) {
      const std::size_t first = static_cast<std::size_t>(row) * columns;
      for (std::size_t k = 0; k < columns; ++k) visit(some[place++], first + k);
    }
  };
  if (product.request.operand == Operand::Transpose) {
    each([&](double& element, std::size_t i) { element = product.x[i]; });
    held_->multiply_transposed(1, some, product.beta, product.y, product.request.columns);
    return;
  }
  held_->multiply(1, product.x, 0, some, product.request.columns);
  if (product.beta == 0) std::ranges::fill(product.y, 0.0);
  each([&](double& element, std::size_t i) { product.y[i] += element; });
}

void Block::note(const Request& request) {
  if (std::ranges::find(requests_, request) != requests_.end()) return;
  if (requests_.size() < most_requests) requests_.push_back(request);
}

PetscErrorCode Block::use(const Settings& wanted) {
  PetscFunctionBegin;
  if (wanted == settings) PetscFunctionReturn(0);
  settings = wanted;
  if (held_) {
    PetscCall(guarded(__func__, [&] {
      held_->unpin();
      apply_settings();
    }));
  }
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
