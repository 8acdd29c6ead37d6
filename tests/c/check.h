/* What the C tests share: expectations that count failures and go on. */
#ifndef SWITCHYARD_TESTS_C_CHECK_H
#define SWITCHYARD_TESTS_C_CHECK_H

#include <stdio.h>
#include <string.h>
#include <switchyard.h>

/** Failed expectations, which are what `main` returns. */
static int failures = 0;

/** Expects that a condition holds. */
#define EXPECT(condition) expect_that((condition) != 0, #condition, __FILE__, __LINE__)
/** Expects that a call returns this status; a failure has a text. */
#define EXPECT_STATUS(status, call) expect_status((status), (call), #call, __FILE__, __LINE__)
/** Expects that a call succeeds. */
#define EXPECT_OK(call) EXPECT_STATUS(SY_OK, call)

static void expect_that(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, what);
  ++failures;
}

static void expect_status(sy_status wanted, sy_status got, const char* call, const char* file,
                          int line) {
  if (got != wanted) {
    fprintf(stderr, "%s:%d: %s and not %s: %s\n  the last error: %s\n", file, line,
            sy_status_name(got), sy_status_name(wanted), call, sy_last_error());
    ++failures;
  }
  if (got != SY_OK) expect_that(sy_last_error()[0] != '\0', "an error has a text", file, line);
}

/** A runtime of the host alone, whose plans do not depend on times. */
static sy_runtime* quiet_runtime(void) {
  sy_options options;
  sy_runtime* runtime = NULL;
  memset(&options, 0, sizeof options);
  options.devices = "none";
  options.reproducible = 1;
  EXPECT_OK(sy_runtime_create(&options, &runtime));
  return runtime;
}

#endif
