#define _GNU_SOURCE
#include "CallFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long call_count;
static long fault_at, fault_errno, read_size;
static bool repeats;
static const char *fault = "", *fault_path;

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

__attribute__((constructor)) static void read_environment(void) {
  if (getenv("CALL_FAULT")) fault = getenv("CALL_FAULT");
  fault_at = number("CALL_FAULT_AT");
  fault_errno = number("CALL_FAULT_ERRNO");
  repeats = getenv("CALL_FAULT_REPEATS") != NULL;
  fault_path = getenv("CALL_FAULT_PATH");
  read_size = number("CALL_FAULT_SIZE");
}

__attribute__((destructor)) static void write_count(void) {
  const char *path = getenv("CALL_FAULT_COUNT");
  const long count = call_count;
  fault = "";
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}

// The next function of this name, which the program would otherwise call.
#define NEXT(type, name)                          \
  static type next;                               \
  if (!next) next = (type)dlsym(RTLD_NEXT, name);

// Whether a call is on a selected file.
static bool is_on(int descriptor, const char *path) {
  if (!fault_path) return true;
  char link[64], target[4096];
  if (!path) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return false;
    target[length] = 0;
    path = target;
  }
  return strstr(path, fault_path) != NULL;
}

static bool counts(const char *kind) {
  return strcmp(fault, kind) == 0 || (strcmp(kind, "writes") == 0 && strcmp(fault, "changes") == 0);
}

// Counts a call and returns whether it must fail.
static bool fails(const char *kind, int descriptor, const char *path) {
  if (!counts(kind) || !is_on(descriptor, path)) return false;
  const long count = ++call_count;
  return fault_at > 0 && (count == fault_at || (repeats && count > fault_at));
}

// Kills the program, unless an error is set.
static int fail(void) {
  if (!fault_errno) {
    raise(SIGKILL);
    for (;;) pause();
  }
  errno = (int)fault_errno;
  return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  typedef ssize_t (*write_function)(int, const void *, size_t);
  NEXT(write_function, "write")
  if (fails("writes", descriptor, NULL)) {
    if (size > 1) (void)!next(descriptor, bytes, size / 2);
    return fail();
  }
  return next(descriptor, bytes, size);
}

typedef ssize_t (*write_at_function)(int, const void *, size_t, off64_t);

static ssize_t write_at(
    write_at_function next, int descriptor, const void *bytes, size_t size, off64_t offset) {
  if (fails("writes", descriptor, NULL)) {
    if (size > 1) (void)!next(descriptor, bytes, size / 2, offset);
    return fail();
  }
  return next(descriptor, bytes, size, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  NEXT(write_at_function, "pwrite64")
  return write_at(next, descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  NEXT(write_at_function, "pwrite64")
  return write_at(next, descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
  typedef int (*sync_function)(int);
  NEXT(sync_function, "fsync")
  struct stat status;
  const bool is_folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  return fails(is_folder && !counts("changes") ? "folders" : "changes", descriptor, NULL)
             ? fail()
             : next(descriptor);
}

int fdatasync(int descriptor) {
  typedef int (*sync_function)(int);
  NEXT(sync_function, "fdatasync")
  return fails("changes", descriptor, NULL) ? fail() : next(descriptor);
}

typedef int (*truncate_function)(int, off64_t);

int ftruncate(int descriptor, off_t size) {
  NEXT(truncate_function, "ftruncate64")
  return fails("changes", descriptor, NULL) ? fail() : next(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
  NEXT(truncate_function, "ftruncate64")
  return fails("changes", descriptor, NULL) ? fail() : next(descriptor, size);
}

int unlink(const char *path) {
  typedef int (*unlink_function)(const char *);
  NEXT(unlink_function, "unlink")
  return fails("changes", -1, path) ? fail() : next(path);
}

int rename(const char *path, const char *new_path) {
  typedef int (*rename_function)(const char *, const char *);
  NEXT(rename_function, "rename")
  return fails("changes", -1, path) ? fail() : next(path, new_path);
}

int link(const char *path, const char *new_path) {
  typedef int (*link_function)(const char *, const char *);
  NEXT(link_function, "link")
  return fails("changes", -1, path) ? fail() : next(path, new_path);
}

ssize_t read(int descriptor, void *buffer, size_t size) {
  typedef ssize_t (*read_function)(int, void *, size_t);
  NEXT(read_function, "read")
  if (fails("reads", descriptor, NULL)) return fail();
  const bool is_short = read_size > 0 && size > (size_t)read_size && is_on(descriptor, NULL);
  return next(descriptor, buffer, is_short ? (size_t)read_size : size);
}

ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset) {
  typedef ssize_t (*read_at_function)(int, void *, size_t, off64_t);
  NEXT(read_at_function, "pread64")
  return fails("reads", descriptor, NULL) ? fail() : next(descriptor, buffer, size, offset);
}

// MARK: The parser's memory

extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);

static _Thread_local bool refuses_memory;

void *malloc(size_t size) {
  if (!refuses_memory) return __libc_malloc(size);
  refuses_memory = false;
  return NULL;
}

void *realloc(void *memory, size_t size) {
  if (!refuses_memory) return __libc_realloc(memory, size);
  refuses_memory = false;
  return NULL;
}

struct parser_memory {
  void *(*malloc)(void *, size_t);
  void *(*realloc)(void *, void *, size_t);
  void (*free)(void *, void *);
  void *context;
};

// The program's functions, the same for all of its parsers.
static struct parser_memory program_memory;

static void *parser_malloc(void *context, size_t size) {
  refuses_memory = fails("parser", -1, NULL);
  return program_memory.malloc(context, size);
}

static void *parser_realloc(void *context, void *memory, size_t size) {
  refuses_memory = fails("parser", -1, NULL);
  return program_memory.realloc(context, memory, size);
}

void *yajl_alloc(const void *callbacks, struct parser_memory *memory, void *context) {
  typedef void *(*alloc_function)(const void *, struct parser_memory *, void *);
  NEXT(alloc_function, "yajl_alloc")
  if (!memory || strcmp(fault, "parser") != 0) return next(callbacks, memory, context);
  program_memory = *memory;
  struct parser_memory ours = {parser_malloc, parser_realloc, memory->free, memory->context};
  return next(callbacks, &ours, context);
}
