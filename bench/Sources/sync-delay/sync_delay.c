#define _GNU_SOURCE
#include "sync_delay.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*sync_function)(int);

static int sync_slowly(const char *name, int descriptor) {
  const sync_function next = (sync_function)dlsym(RTLD_NEXT, name);
  const int status = next(descriptor);
  const char *text = getenv("SYNC_DELAY");
  const double seconds = text ? strtod(text, NULL) / 1000 : 0;
  const struct timespec delay = {
      (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&delay, NULL);
  return status;
}

int fsync(int descriptor) { return sync_slowly("fsync", descriptor); }

int fdatasync(int descriptor) { return sync_slowly("fdatasync", descriptor); }
