internal import CSQLite

/// The SQLite library itself, as the whole process shares it.
public enum SQLiteLibrary {
  /// Has SQLite not count the memory that it takes, which costs a lock at each allocation.
  ///
  /// For a program's beginning: once a connection has been opened it changes nothing. Heap limits of
  /// SQLite's and `sqlite3_memory_used` do not work without the count.
  ///
  /// C function: `sqlite3_config`, `SQLITE_CONFIG_MEMSTATUS`
  public static func disableMemoryStatistics() {
    _ = csqlite_disable_memory_statistics()
  }
}
