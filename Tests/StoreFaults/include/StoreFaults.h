#pragma once

#include <stdbool.h>

// What SQLite asks of the system, made to fail on purpose: it runs on a VFS of ours, and takes its
// memory through functions of ours, which pass everything on but the calls that are to fail.
//
// One process has one of it. It does not wait: a sleep returns at once, and a sync that is not to fail
// does nothing, so thousands of runs take seconds.

/// What can fail.
enum StoreFault {
  STORE_FAULT_OPEN,
  STORE_FAULT_READ,
  /// A write that fails has written half of its bytes.
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

/// Puts itself between SQLite and the system; before SQLite is used for the first time.
///
/// Returns whether SQLite took it.
bool store_faults_install(void);

/// Makes the `at`-th call of a kind fail from now on, counted from 1, and, where it goes on, all that
/// follow.
///
/// `code` is what SQLite is told; of no concern to an allocation.
void store_faults_arm(enum StoreFault fault, long at, int code, bool goes_on);

/// Makes nothing fail any more. Returns how many calls have failed since `store_faults_arm`.
long store_faults_disarm(void);
