// Exceptions as PETSc's errors.
#include "failure.hpp"

#include <new>
#include <switchyard/containers/error.hpp>

namespace switchyard::petsc {
namespace {

PetscErrorCode code_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument:
      return PETSC_ERR_ARG_WRONG;
    case ErrorCode::DimensionMismatch:
      return PETSC_ERR_ARG_SIZ;
    case ErrorCode::OutOfRange:
      return PETSC_ERR_ARG_OUTOFRANGE;
    case ErrorCode::OutOfMemory:
      return PETSC_ERR_MEM;
    case ErrorCode::DeviceOutOfMemory:
      return PETSC_ERR_GPU_RESOURCE;
    case ErrorCode::DeviceUnavailable:
    case ErrorCode::DeviceLost:
    case ErrorCode::BuildFailed:
      return PETSC_ERR_GPU;
    case ErrorCode::IoError:
      return PETSC_ERR_FILE_OPEN;
    case ErrorCode::ParseError:
    case ErrorCode::DataCorrupt:
    case ErrorCode::ProfileMismatch:
      return PETSC_ERR_FILE_UNEXPECTED;
    case ErrorCode::Unsupported:
      return PETSC_ERR_SUP;
    case ErrorCode::Internal:
      break;
  }
  return PETSC_ERR_LIB;
}

PetscErrorCode raise(const char* function, PetscErrorCode code, const char* text) noexcept {
  return PetscError(PETSC_COMM_SELF, 0, function, "switchyard", code, PETSC_ERROR_INITIAL,
                    "Switchyard: %s", text);
}

}  // namespace

PetscErrorCode current_failure(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return raise(function, code_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return raise(function, PETSC_ERR_MEM, "there is not enough host memory");
  } catch (const std::exception& error) {
    return raise(function, PETSC_ERR_LIB, error.what());
  } catch (...) {
    return raise(function, PETSC_ERR_LIB, "an unknown exception was thrown");
  }
}

}  // namespace switchyard::petsc
