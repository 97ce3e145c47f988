/* Errors, memory and time. */
#include "floor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

_Noreturn void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("floor: error: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

void *allocate(size_t size) { return reallocate(NULL, size); }

void *reallocate(void *memory, size_t size) {
  void *result = realloc(memory, size);
  if (result == NULL) fail("no memory for %zu bytes", size);
  return result;
}

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct seconds seconds_now(void) {
  return (struct seconds){
    read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)
  };
}

struct seconds seconds_since(struct seconds start) {
  struct seconds now = seconds_now();
  return (struct seconds){ now.wall - start.wall, now.cpu - start.cpu };
}
