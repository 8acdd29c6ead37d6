// Keeping the last error of each thread.
#include "failure.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace switchyard::c {
namespace {

/// As long as the header promises. An array, so that nothing is allocated when memory is short.
thread_local std::array<char, 1024> text{};

sy_status keep(sy_status status, std::string_view message) noexcept {
  std::size_t length = std::min(message.size(), text.size() - 1);
  // A character of several bytes is left out as a whole.
  const auto continues = [&](std::size_t i) {
    return i < message.size() && (static_cast<unsigned char>(message[i]) & 0xC0) == 0x80;
  };
  while (length > 0 && continues(length)) --length;
  std::copy_n(message.begin(), length, text.begin());
  text[length] = '\0';
  return status;
}

/// The codes follow SY_OK in their order.
constexpr sy_status status_of(ErrorCode code) noexcept {
  return static_cast<sy_status>(static_cast<int>(code) + 1);
}
static_assert(status_of(ErrorCode::InvalidArgument) == SY_INVALID_ARGUMENT);
static_assert(status_of(ErrorCode::DimensionMismatch) == SY_DIMENSION_MISMATCH);
static_assert(status_of(ErrorCode::OutOfRange) == SY_OUT_OF_RANGE);
static_assert(status_of(ErrorCode::ParseError) == SY_PARSE_ERROR);
static_assert(status_of(ErrorCode::DataCorrupt) == SY_DATA_CORRUPT);
static_assert(status_of(ErrorCode::ProfileMismatch) == SY_PROFILE_MISMATCH);
static_assert(status_of(ErrorCode::OutOfMemory) == SY_OUT_OF_MEMORY);
static_assert(status_of(ErrorCode::DeviceUnavailable) == SY_DEVICE_UNAVAILABLE);
static_assert(status_of(ErrorCode::DeviceOutOfMemory) == SY_DEVICE_OUT_OF_MEMORY);
static_assert(status_of(ErrorCode::DeviceLost) == SY_DEVICE_LOST);
static_assert(status_of(ErrorCode::BuildFailed) == SY_BUILD_FAILED);
static_assert(status_of(ErrorCode::IoError) == SY_IO_ERROR);
static_assert(status_of(ErrorCode::Unsupported) == SY_UNSUPPORTED);
static_assert(status_of(ErrorCode::Internal) == SY_INTERNAL);

}  // namespace

sy_status current_failure() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return keep(SY_OUT_OF_MEMORY, "there is not enough host memory");
  } catch (const std::exception& error) {
    return keep(SY_INTERNAL, error.what());
  } catch (...) {
    return keep(SY_INTERNAL, "an unknown exception was thrown");
  }
}

const char* last_error() noexcept { return text.data(); }

}  // namespace switchyard::c
