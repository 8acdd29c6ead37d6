// The C library's calls under their own names: the program's come first wherever they are looked
// up.
#include "failing_files.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>

namespace switchyard::test {
namespace {

struct {
  bool active = false;
  Mishap mishap = Mishap::None;
  std::size_t at = 0;
  int error = 0;
  std::size_t calls = 0;
} state;

/// What is to happen at the call that begins now.
Mishap next() {
  if (!state.active) return Mishap::None;
  return state.calls++ == state.at ? state.mishap : Mishap::None;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void die() { raise(SIGKILL); }

template <class Call>
int at_mishap(Call call) {
  const Mishap mishap = next();
  if (mishap == Mishap::Fail) {
    errno = state.error;
    return -1;
  }
  if (mishap == Mishap::KillBefore || mishap == Mishap::KillHalfway) die();
  const int result = call();
  if (mishap == Mishap::KillAfter) die();
  return result;
}

}  // namespace

FailingFiles::FailingFiles(Mishap mishap, std::size_t at, int error) {
  state = {true, mishap, at, error, 0};
}
FailingFiles::~FailingFiles() { state.active = false; }
std::size_t FailingFiles::calls() const { return state.calls; }

}  // namespace switchyard::test

using switchyard::test::Mishap;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & O_CREAT ? static_cast<mode_t>(va_arg(more, int)) : mode_t{0};
  va_end(more);
  const auto call = [&] {
    return switchyard::test::real<int(const char*, int, ...)>("open")(path, flags, mode);
  };
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  return writes ? switchyard::test::at_mishap(call) : call();
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  const auto call = [&](std::size_t part) {
    return switchyard::test::real<ssize_t(int, const void*, std::size_t)>("write")(descriptor,
                                                                                   bytes, part);
  };
  switch (switchyard::test::next()) {
    case Mishap::Fail:
      errno = switchyard::test::state.error;
      return -1;
    case Mishap::Interrupt:
      errno = EINTR;
      return -1;
    case Mishap::Half:
      return call((size + 1) / 2);
    case Mishap::KillBefore:
      switchyard::test::die();
      break;
    case Mishap::KillHalfway:
      call(size / 2);
      switchyard::test::die();
      break;
    case Mishap::KillAfter:
      call(size);
      switchyard::test::die();
      break;
    case Mishap::None:
      break;
  }
  return call(size);
}

int fsync(int descriptor) {
  return switchyard::test::at_mishap(
      [&] { return switchyard::test::real<int(int)>("fsync")(descriptor); });
}

int close(int descriptor) {
  return switchyard::test::at_mishap(
      [&] { return switchyard::test::real<int(int)>("close")(descriptor); });
}

int rename(const char* from, const char* to) noexcept {
  return switchyard::test::at_mishap(
      [&] { return switchyard::test::real<int(const char*, const char*)>("rename")(from, to); });
}

}  // extern "C"
