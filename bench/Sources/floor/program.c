/* Ending, memory and time for all the others. */
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

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
