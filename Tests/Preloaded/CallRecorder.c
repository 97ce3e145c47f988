#define _GNU_SOURCE
#include "CallRecorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

// The next function of this name, which the program would otherwise call.
#define NEXT(type, name)                          \
  static type next;                               \
  if (!next) next = (type)dlsym(RTLD_NEXT, name);

typedef int (*open_function)(const char *, int, ...);
typedef int (*open_at_function)(int, const char *, int, ...);
typedef int (*sync_function)(int);
typedef int (*truncate_function)(int, off64_t);
typedef ssize_t (*write_function)(int, const void *, size_t);
typedef ssize_t (*write_at_function)(int, const void *, size_t, off64_t);

static int record = -1;
static char folder[PATH_MAX];

// Held while a call changes a file and is recorded, so that the record has the calls of all threads in
// order.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void read_environment(void) {
  NEXT(open_function, "open64")
  const char *path = getenv("CALL_RECORD"), *of = getenv("CALL_RECORD_FOLDER");
  if (!path || !of || !realpath(of, folder)) return;
  record = next(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// MARK: The record

// Adds a line, and the bytes that were written; ends the program on failure, since a record with a gap
// is useless.
static void add(const char *line, const void *bytes, size_t size) {
  struct iovec parts[] = {
      {(void *)line, strlen(line)}, {(void *)bytes, size}, {"\n", size > 0 ? 1 : 0}};
  const ssize_t whole = parts[0].iov_len + parts[1].iov_len + parts[2].iov_len;
  if (writev(record, parts, 3) != whole) {
    fputs("CallRecorder: the record cannot be written\n", stderr);
    abort();
  }
}

#define ADD(...)                              \
  do {                                        \
    char line[PATH_MAX];                      \
    snprintf(line, sizeof line, __VA_ARGS__); \
    add(line, NULL, 0);                       \
  } while (0)

// The name in the folder of a path without links: "" is the folder itself, NULL is not recorded.
static const char *name_in_folder(const char *path) {
  const size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  if (path[length] == 0) return "";
  const char *name = path + length + 1, *end = strrchr(name, '-');
  if (path[length] != '/' || strchr(name, '/')) return NULL;
  return end && strcmp(end, "-shm") == 0 ? NULL : name;
}

// An open file: its inode, 0 for the folder, and its name.
struct place {
  unsigned long inode;
  char path[PATH_MAX];
  const char *name;
};

// Whether an open file is recorded; sets its place.
static bool is_recorded(int descriptor, struct place *place) {
  if (record < 0) return false;
  const int error = errno;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  struct stat status;
  const ssize_t length = readlink(link, place->path, sizeof place->path - 1);
  const bool is_known = length >= 0 && fstat(descriptor, &status) == 0;
  errno = error;
  if (!is_known) return false;
  place->path[length] = 0;
  place->name = name_in_folder(place->path);
  if (!place->name) return false;
  const bool is_folder = place->name[0] == 0;
  place->inode = is_folder ? 0 : status.st_ino;
  return is_folder || S_ISREG(status.st_mode);
}

// Makes and records a call; restores its errno afterwards.
#define RECORDED(type, call, ...) \
  pthread_mutex_lock(&turn);      \
  const type result = call;       \
  const int error = errno;        \
  if (result >= 0) {              \
    __VA_ARGS__;                  \
  }                               \
  pthread_mutex_unlock(&turn);    \
  errno = error;                  \
  return result;

// MARK: Opening

// Records an opened file. Opening a pipe may wait for other threads, so it is outside of the lock.
static int opened(int descriptor, int flags) {
  struct place place;
  const bool may_write = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
  if (descriptor < 0 || !may_write || !is_recorded(descriptor, &place)) return descriptor;
  pthread_mutex_lock(&turn);
  ADD("open %lu %s\n", place.inode, place.name);
  if (flags & O_TRUNC) ADD("truncate %lu 0\n", place.inode);
  pthread_mutex_unlock(&turn);
  return descriptor;
}

// The permissions argument, passed only if the call may create a file.
#define MODE                           \
  mode_t mode = 0;                     \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest;                      \
    va_start(rest, flags);             \
    mode = va_arg(rest, mode_t);       \
    va_end(rest);                      \
  }

int open(const char *path, int flags, ...) {
  NEXT(open_function, "open")
  MODE
  return opened(next(path, flags, mode), flags);
}

int open64(const char *path, int flags, ...) {
  NEXT(open_function, "open64")
  MODE
  return opened(next(path, flags, mode), flags);
}

int openat(int descriptor, const char *path, int flags, ...) {
  NEXT(open_at_function, "openat")
  MODE
  return opened(next(descriptor, path, flags, mode), flags);
}

int openat64(int descriptor, const char *path, int flags, ...) {
  NEXT(open_at_function, "openat64")
  MODE
  return opened(next(descriptor, path, flags, mode), flags);
}

// MARK: Writing

static void add_write(int descriptor, const void *bytes, ssize_t size, off64_t offset) {
  struct place place;
  if (size == 0 || !is_recorded(descriptor, &place)) return;
  char line[128];
  snprintf(line, sizeof line, "write %lu %lld %zd\n", place.inode, (long long)offset, size);
  add(line, bytes, size);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  NEXT(write_function, "write")
  struct place place;
  // A write to a pipe or terminal may wait for other threads, so it is outside of the lock.
  if (!is_recorded(descriptor, &place)) return next(descriptor, bytes, size);
  RECORDED(
      ssize_t, next(descriptor, bytes, size),
      // The offset is computed from the end of the write, because the file may be open for appending.
      add_write(descriptor, bytes, result, lseek64(descriptor, 0, SEEK_CUR) - result))
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  NEXT(write_at_function, "pwrite64")
  RECORDED(
      ssize_t, next(descriptor, bytes, size, offset),
      add_write(descriptor, bytes, result, offset))
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  NEXT(write_at_function, "pwrite64")
  RECORDED(
      ssize_t, next(descriptor, bytes, size, offset),
      add_write(descriptor, bytes, result, offset))
}

static void add_truncate(int descriptor, off64_t size) {
  struct place place;
  if (is_recorded(descriptor, &place)) ADD("truncate %lu %lld\n", place.inode, (long long)size);
}

int ftruncate(int descriptor, off_t size) {
  NEXT(truncate_function, "ftruncate64")
  RECORDED(int, next(descriptor, size), add_truncate(descriptor, size))
}

int ftruncate64(int descriptor, off64_t size) {
  NEXT(truncate_function, "ftruncate64")
  RECORDED(int, next(descriptor, size), add_truncate(descriptor, size))
}

// MARK: Syncing

// Other threads may write during a sync; their writes are not part of it.
static int sync_with(sync_function next, int descriptor) {
  struct place place;
  if (!is_recorded(descriptor, &place)) return next(descriptor);
  pthread_mutex_lock(&turn);
  ADD("sync %lu\n", place.inode);
  pthread_mutex_unlock(&turn);
  const int result = next(descriptor), error = errno;
  pthread_mutex_lock(&turn);
  if (result == 0) ADD("synced %lu\n", place.inode);
  pthread_mutex_unlock(&turn);
  errno = error;
  return result;
}

int fsync(int descriptor) {
  NEXT(sync_function, "fsync")
  return sync_with(next, descriptor);
}

int fdatasync(int descriptor) {
  NEXT(sync_function, "fdatasync")
  return sync_with(next, descriptor);
}

// MARK: Names

int unlink(const char *path) {
  typedef int (*unlink_function)(const char *);
  NEXT(unlink_function, "unlink")
  char whole[PATH_MAX];
  const char *name = record >= 0 && realpath(path, whole) ? name_in_folder(whole) : NULL;
  RECORDED(int, next(path), if (name) ADD("unlink %s\n", name))
}

int rename(const char *path, const char *new_path) {
  typedef int (*rename_function)(const char *, const char *);
  NEXT(rename_function, "rename")
  char whole[PATH_MAX], new_whole[PATH_MAX];
  const char *name = record >= 0 && realpath(path, whole) ? name_in_folder(whole) : NULL;
  RECORDED(
      int, next(path, new_path),
      if (name && realpath(new_path, new_whole) && name_in_folder(new_whole))
          ADD("rename %s/%s\n", name, name_in_folder(new_whole)))
}

int link(const char *path, const char *new_path) {
  typedef int (*link_function)(const char *, const char *);
  NEXT(link_function, "link")
  char whole[PATH_MAX], new_whole[PATH_MAX];
  const char *name = record >= 0 && realpath(path, whole) ? name_in_folder(whole) : NULL;
  RECORDED(
      int, next(path, new_path),
      if (name && realpath(new_path, new_whole) && name_in_folder(new_whole))
          ADD("link %s/%s\n", name, name_in_folder(new_whole)))
}
