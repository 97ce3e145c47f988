#pragma once

#include <stdbool.h>

// Fault injection for SQLite: a VFS and memory functions that forward every call except those that must
// fail.
//
// It is global to the process. A sleep returns at once, and a sync that must not fail does nothing, so
// thousands of runs need only seconds.

/// A kind of call that can fail.
enum StoreFault {
  STORE_FAULT_OPEN,
  STORE_FAULT_READ,
  /// A failing write has written half of its bytes.
  STORE_FAULT_WRITE,
  STORE_FAULT_SYNC,
  STORE_FAULT_TRUNCATE,
  STORE_FAULT_DELETE,
  /// A lock of the file or of the index of its write-ahead log.
  STORE_FAULT_LOCK,
  /// The index of the write-ahead log cannot be mapped.
  STORE_FAULT_MAP,
  STORE_FAULT_ALLOCATION,
};

/// Installs the VFS and the memory functions; call it before the first use of SQLite.
///
/// Returns whether SQLite accepted them.
bool store_faults_install(void);

/// Makes the `at`-th call of a kind fail, counted from 1; if `repeats`, all later ones fail, too.
///
/// `code` is the result that SQLite gets; an allocation ignores it.
void store_faults_arm(enum StoreFault fault, long at, int code, bool repeats);

/// Stops the faults. Returns the number of failed calls since `store_faults_arm`.
long store_faults_disarm(void);
