internal import CPOISQLite

/// Settings of the SQLite library for the whole process.
package enum SQLiteLibrary {
  /// Turns off SQLite's memory statistics, which cost a lock at each allocation.
  ///
  /// Call it before the first connection is opened; later calls have no effect. SQLite's heap
  /// limits and `sqlite3_memory_used` do not work without the statistics.
  ///
  /// C function: `sqlite3_config`, `SQLITE_CONFIG_MEMSTATUS`
  package static func disableMemoryStatistics() {
    _ = csqlite_disable_memory_statistics()
  }

  /// Makes SQLite allocate each page when it needs it. By default it allocates the first twenty
  /// pages of every cache at once, which a short run never uses.
  ///
  /// Call it before the first connection is opened; later calls have no effect.
  ///
  /// C function: `sqlite3_config`, `SQLITE_CONFIG_PAGECACHE`
  package static func allocatePagesSingly() {
    _ = csqlite_take_pages_singly()
  }
}
