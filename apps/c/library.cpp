// Versions, names and texts of the C interface.

#include "failure.hpp"

namespace {

static_assert(SY_VERSION_MAJOR == SWITCHYARD_VERSION_MAJOR);
static_assert(SY_VERSION_MINOR == SWITCHYARD_VERSION_MINOR);
static_assert(SY_VERSION_PATCH == SWITCHYARD_VERSION_PATCH);

}  // namespace

const char* sy_version() { return SWITCHYARD_VERSION; }

int32_t sy_abi_version() { return SY_ABI_VERSION; }

const char* sy_status_name(int status) {
  if (status == SY_OK) return "ok";
  if (status < SY_OK || status > SY_INTERNAL) return "unknown";
  // The library's names are literals, which end with a zero.
  return switchyard::name(static_cast<switchyard::ErrorCode>(status - 1)).data();
}

const char* sy_last_error() { return switchyard::c::last_error(); }

void sy_free(char* text) { delete[] text; }
