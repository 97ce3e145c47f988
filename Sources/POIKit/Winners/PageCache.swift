internal import SQLiteKit

/// SQLite's page cache of a connection, enlarged for the removal of losers, and before that for the
/// search for them: the pages of a small store are still held then.
///
/// The pages of a portion of losers are read three times: for the digest, for the archive and to delete
/// its rows. Where one row in ten is a loser, a portion of 100 stands on 50 pages of 8 KiB. Pages that the
/// transaction has changed take nine tenths of the room.
struct PageCache {
  /// The room for the pages, in KiB.
  static let size: Int64 = 4_096

  /// What the connection had before, as `PRAGMA cache_size` says it.
  private let before: Int64

  /// Enlarges the cache of a connection that has less.
  static func enlarge(in connection: Connection) throws(DeduplicationError) -> PageCache {
    try DeduplicationError.converting { () throws(SQLiteError) in
      let before = try connection.integer("PRAGMA main.cache_size") ?? 0
      let pageSize = try connection.integer("PRAGMA main.page_size") ?? 0
      // A negative number counts KiB, a positive one pages.
      let kibibytes = before < 0 ? 0 - before : before * pageSize / 1_024
      if kibibytes < size { try connection.execute("PRAGMA main.cache_size = -\(size)") }
      return PageCache(before: before)
    }
  }

  /// Gives the connection the size that it had.
  func restore(in connection: Connection) {
    try? connection.execute("PRAGMA main.cache_size = \(before)")
  }
}
