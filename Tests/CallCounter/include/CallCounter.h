#pragma once

// A library to be loaded before all others (LD_PRELOAD): it counts what a program asks of the C
// library and of SQLite, and at the program's end writes the counts to the file that the
// environment variable CALL_COUNTS names, a line `name count` each:
//
//   allocations    calls that allocate memory, from any thread
//   reads          calls of read
//   read-bytes     the bytes that they read
//   prepares       SQL statements prepared, by the program itself or again by SQLite
//   commits        steps of a COMMIT
//
// Nothing in it is called by name.
