#include "StoreFaults.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static atomic_int armed_fault = -1;
static atomic_int armed_code;
static atomic_bool armed_repeats;
static atomic_long calls_left, failed_calls;

void store_faults_arm(enum StoreFault fault, long at, int code, bool repeats) {
  armed_code = code;
  armed_repeats = repeats;
  calls_left = at;
  failed_calls = 0;
  armed_fault = (int)fault;
}

long store_faults_disarm(void) {
  armed_fault = -1;
  return failed_calls;
}

// Counts a call and returns whether it must fail.
static bool fails(enum StoreFault fault) {
  if (armed_fault != (int)fault) return false;
  const long left = --calls_left;
  if (left > 0 || (left < 0 && !armed_repeats)) return false;
  failed_calls++;
  return true;
}

// MARK: Memory

static sqlite3_mem_methods memory;

static void *allocate(int size) {
  return fails(STORE_FAULT_ALLOCATION) ? NULL : memory.xMalloc(size);
}

static void *reallocate(void *block, int size) {
  return fails(STORE_FAULT_ALLOCATION) ? NULL : memory.xRealloc(block, size);
}

// MARK: Files

// A file of this VFS, followed by the system's one.
struct File {
  sqlite3_file base;
  sqlite3_file *inner;
};

static sqlite3_vfs vfs;
static sqlite3_vfs *system_vfs;

static sqlite3_file *inner(sqlite3_file *file) { return ((struct File *)file)->inner; }

#define PASS(file, method, ...) inner(file)->pMethods->method(inner(file), __VA_ARGS__)

static int file_close(sqlite3_file *file) { return inner(file)->pMethods->xClose(inner(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return fails(STORE_FAULT_READ) ? armed_code : PASS(file, xRead, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (fails(STORE_FAULT_WRITE)) {
    PASS(file, xWrite, bytes, count / 2, offset);
    return armed_code;
  }
  return PASS(file, xWrite, bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return fails(STORE_FAULT_TRUNCATE) ? armed_code : PASS(file, xTruncate, size);
}

static int file_sync(sqlite3_file *file, int flags) {
  (void)file, (void)flags;
  return fails(STORE_FAULT_SYNC) ? armed_code : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return PASS(file, xFileSize, size);
}

static int file_lock(sqlite3_file *file, int kind) {
  return fails(STORE_FAULT_LOCK) ? armed_code : PASS(file, xLock, kind);
}

static int file_unlock(sqlite3_file *file, int kind) { return PASS(file, xUnlock, kind); }

static int file_check_lock(sqlite3_file *file, int *result) {
  return PASS(file, xCheckReservedLock, result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return PASS(file, xFileControl, operation, argument);
}

static int file_sector_size(sqlite3_file *file) {
  return inner(file)->pMethods->xSectorSize(inner(file));
}

static int file_characteristics(sqlite3_file *file) {
  return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static int file_map(sqlite3_file *file, int page, int size, int extends, void volatile **address) {
  if (fails(STORE_FAULT_MAP)) {
    *address = NULL;
    return armed_code;
  }
  return PASS(file, xShmMap, page, size, extends, address);
}

static int file_map_lock(sqlite3_file *file, int offset, int count, int flags) {
  if ((flags & SQLITE_SHM_LOCK) && fails(STORE_FAULT_LOCK)) return armed_code;
  return PASS(file, xShmLock, offset, count, flags);
}

static void file_map_barrier(sqlite3_file *file) {
  inner(file)->pMethods->xShmBarrier(inner(file));
}

static int file_unmap(sqlite3_file *file, int removes) { return PASS(file, xShmUnmap, removes); }

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_map,
    .xShmLock = file_map_lock,
    .xShmBarrier = file_map_barrier,
    .xShmUnmap = file_unmap,
};

static int open_file(
    sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  (void)self;
  struct File *ours = (struct File *)file;
  ours->base.pMethods = NULL;
  if (fails(STORE_FAULT_OPEN)) return armed_code;
  ours->inner = (sqlite3_file *)(ours + 1);
  const int status = system_vfs->xOpen(system_vfs, name, ours->inner, flags, flags_out);
  if (ours->inner->pMethods) ours->base.pMethods = &file_methods;
  return status;
}

static int delete_file(sqlite3_vfs *self, const char *name, int syncs) {
  (void)self, (void)syncs;
  return fails(STORE_FAULT_DELETE) ? armed_code : system_vfs->xDelete(system_vfs, name, 0);
}

static int do_not_sleep(sqlite3_vfs *self, int microseconds) {
  (void)self;
  return microseconds;
}

bool store_faults_install(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) != SQLITE_OK) return false;
  if (!memory.xMalloc) {
    // SQLite chooses its memory functions only when it is initialised.
    if (sqlite3_initialize() != SQLITE_OK || sqlite3_shutdown() != SQLITE_OK) return false;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) != SQLITE_OK) return false;
  }
  sqlite3_mem_methods ours = memory;
  ours.xMalloc = allocate;
  ours.xRealloc = reallocate;
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) != SQLITE_OK) return false;
  if (sqlite3_initialize() != SQLITE_OK) return false;
  system_vfs = sqlite3_vfs_find(NULL);
  vfs = *system_vfs;
  vfs.zName = "store-faults";
  vfs.szOsFile = (int)sizeof(struct File) + system_vfs->szOsFile;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xSleep = do_not_sleep;
  return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
}
