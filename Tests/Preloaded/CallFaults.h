#pragma once

// A library for LD_PRELOAD: it makes one system call of a program fail, or kills the program there as
// `kill -9` does. Environment variables:
//
//   CALL_FAULT         changes: calls that change a file (writes, syncs, truncations, removals,
//                      names); folders: syncs of folders;
//                      writes: only the writes; reads: calls that read a file;
//                      parser: allocations of yajl
//   CALL_FAULT_AT      the call that fails, counted from 1
//   CALL_FAULT_ERRNO   the error; without it the program is killed, in the middle of a write. An
//                      allocation of the parser fails in any case
//   CALL_FAULT_REPEATS all later calls fail as well
//   CALL_FAULT_PATH    only calls on files whose path contains this text
//   CALL_FAULT_SIZE    the maximum bytes of a read
//   CALL_FAULT_COUNT   the file that gets the number of calls when the program ends
//
// It has no functions to call.
