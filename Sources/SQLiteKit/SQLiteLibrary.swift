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

  /// Has SQLite take the memory of each page as it needs it, and not that of the first twenty pages
  /// of every cache at once, which a short run never uses.
  ///
  /// For a program's beginning: once a connection has been opened it changes nothing.
  ///
  /// C function: `sqlite3_config`, `SQLITE_CONFIG_PAGECACHE`
  public static func allocatePagesSingly() {
    _ = csqlite_take_pages_singly()
  }
}
