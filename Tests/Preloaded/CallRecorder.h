#pragma once

// A library for LD_PRELOAD: it records all changes that a program makes to the files of one folder, in
// order and with the bytes written. Environment variables:
//
//   CALL_RECORD        the file to which the record is appended
//   CALL_RECORD_FOLDER the folder; subfolders are not recorded
//
// The record has a line for each successful call, with words separated by spaces. INODE is the system's
// number of a file; a new file may get the number of a removed one.
//
//   open INODE NAME            for writing, or created
//   write INODE OFFSET SIZE    the bytes follow, and the end of the line
//   truncate INODE SIZE        or extend
//   sync INODE                 begins; the inode 0 is the folder, whose names are synced
//   synced INODE               ends
//   unlink NAME
//   rename NAME/NEW-NAME
//   link NAME/NEW-NAME
//
// Not recorded are files that end in -shm, which SQLite creates anew, writes into mapped memory, and
// writes by other calls; a replay shows that they are missing.
//
// It has no functions to call.
