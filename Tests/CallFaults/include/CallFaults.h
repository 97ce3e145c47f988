#pragma once

// A library to be loaded before all others (LD_PRELOAD): it makes one call fail of those that a
// program makes to the system, or ends the program there as `kill -9` does. Variables of the
// environment say which:
//
//   CALL_FAULT         changes: what changes a file (writes, syncs, truncations, removals);
//                      writes: only the writes; reads: what reads one;
//                      parser: the memory that yajl asks for
//   CALL_FAULT_AT      which of them, counted from 1
//   CALL_FAULT_ERRNO   the error; without it the program is killed, a write half done. Memory for the
//                      parser is refused in any case
//   CALL_FAULT_GOES_ON all calls that follow fail as well
//   CALL_FAULT_PATH    only calls on files whose path holds this text
//   CALL_FAULT_SIZE    every read gives at most so many bytes
//   CALL_FAULT_COUNT   a file that gets the number of the calls, at the program's end
//
// Nothing in it is called by name.
