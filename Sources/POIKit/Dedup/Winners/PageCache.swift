internal import POISQLite

/// SQLite's page cache of a connection, enlarged while losers are searched and removed, so that the
/// pages of a small store are read once.
///
/// The pages of a portion of losers are read three times: for the digest, for the archive and to
/// delete the rows. If one row in ten is a loser, a portion of 100 is on 50 pages of 8 KiB. Pages
/// changed by the transaction use nine tenths of the cache.
struct PageCache {
  /// In KiB.
  static let size: Int64 = 4_096

  private let before: Int64

  /// Enlarges the cache of a connection that has a smaller one.
  static func enlarge(in connection: Connection) throws -> PageCache {
    let before = try connection.integer("PRAGMA main.cache_size") ?? 0
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 0
    // A negative number counts KiB, a positive one pages.
    let kibibytes = before < 0 ? 0 - before : before * pageSize / 1_024
    if kibibytes < size { try connection.execute("PRAGMA main.cache_size = -\(size)") }
    return PageCache(before: before)
  }

  func restore(in connection: Connection) {
    try? connection.execute("PRAGMA main.cache_size = \(before)")
  }
}
