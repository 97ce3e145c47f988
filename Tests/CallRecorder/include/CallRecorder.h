#pragma once

// A library to be loaded before all others (LD_PRELOAD): it keeps a record of what a program does to
// the files of one folder, in order and with all bytes that are written. Variables of the environment
// say which:
//
//   CALL_RECORD        the file that gets the record; it is appended to
//   CALL_RECORD_FOLDER the folder; what happens in folders of its own is left out
//
// The record is a line for each call that succeeded, of words with a space between. INODE is the
// number that the system gives a file; a new file may get the one of a file that was removed.
//
//   open INODE NAME            for writing, or made
//   write INODE OFFSET SIZE    the bytes follow, and the end of the line
//   truncate INODE SIZE        or made longer
//   sync INODE                 begins; the inode is 0 for the folder, whose names are synced
//   synced INODE               and is done
//   unlink NAME
//   rename NAME/NEW-NAME
//
// Files that end in -shm are left out: SQLite makes them anew. So are writes into mapped memory and by
// calls of other names; who replays a record sees them missing from the files.
//
// Nothing in it is called by name.
