#define _GNU_SOURCE
#include "CallCounter.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static atomic_long allocations, reads, read_bytes, prepares, commits, syncs;

__attribute__((destructor)) static void write_counts(void) {
  const long counted_allocations = allocations;
  const char *path = getenv("CALL_COUNTS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(
      file, "allocations %ld\nreads %ld\nread-bytes %ld\nprepares %ld\ncommits %ld\n"
      "syncs %ld\n",
      counted_allocations, reads, read_bytes, prepares, commits, syncs);
  fclose(file);
}

// The C library's own functions, exported under these names for wrappers.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  allocations++;
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  allocations++;
  void *allocated = __libc_memalign(alignment, size);
  if (!allocated) return ENOMEM;
  *memory = allocated;
  return 0;
}

// The next function of this name, which the program would otherwise call.
#define NEXT(type, name)                          \
  static type next;                               \
  if (!next) next = (type)dlsym(RTLD_NEXT, name);

ssize_t read(int descriptor, void *buffer, size_t size) {
  typedef ssize_t (*read_function)(int, void *, size_t);
  NEXT(read_function, "read")
  const ssize_t count = next(descriptor, buffer, size);
  reads++;
  if (count > 0) read_bytes += count;
  return count;
}

int fsync(int descriptor) {
  typedef int (*sync_function)(int);
  NEXT(sync_function, "fsync")
  syncs++;
  return next(descriptor);
}

int fdatasync(int descriptor) {
  typedef int (*sync_function)(int);
  NEXT(sync_function, "fdatasync")
  syncs++;
  return next(descriptor);
}

int sqlite3_prepare_v3(
    void *database, const char *sql, int size, unsigned flags, void **statement,
    const char **rest) {
  typedef int (*prepare_function)(void *, const char *, int, unsigned, void **, const char **);
  NEXT(prepare_function, "sqlite3_prepare_v3")
  prepares++;
  return next(database, sql, size, flags, statement, rest);
}

int sqlite3_prepare_v2(
    void *database, const char *sql, int size, void **statement, const char **rest) {
  typedef int (*prepare_function)(void *, const char *, int, void **, const char **);
  NEXT(prepare_function, "sqlite3_prepare_v2")
  prepares++;
  return next(database, sql, size, statement, rest);
}

int sqlite3_step(void *statement) {
  typedef int (*step_function)(void *);
  NEXT(step_function, "sqlite3_step")
  typedef const char *(*sql_function)(void *);
  static sql_function sql_of;
  if (!sql_of) sql_of = (sql_function)dlsym(RTLD_NEXT, "sqlite3_sql");
  const char *sql = sql_of(statement);
  if (sql && strncasecmp(sql, "COMMIT", 6) == 0) commits++;
  const int status = next(statement);
  // A step prepares a statement again if the schema or the settings have changed.
  typedef int (*status_function)(void *, int, int);
  static status_function status_of;
  if (!status_of) status_of = (status_function)dlsym(RTLD_NEXT, "sqlite3_stmt_status");
  const int reprepare_count = 5;
  prepares += status_of(statement, reprepare_count, 1);
  return status;
}
