#pragma once

// A library for LD_PRELOAD: it counts a program's calls of the C library and SQLite. When the program
// ends, it writes the counts to the file named by CALL_COUNTS, as lines `name count`:
//
//   allocations    calls that allocate memory, from any thread
//   reads          calls of read
//   read-bytes     the bytes that they read
//   prepares       SQL statements prepared, by the program or again by SQLite
//   commits        steps of a COMMIT
//
// It has no functions to call.
