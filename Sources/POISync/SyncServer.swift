/// A server of records, as a synchroniser uses it.
///
/// Both functions exchange JSON documents. A record is the object that the model describes, with the member `_version`:
/// the server's name for this state of the record, a text or a number that it never uses again. A removed record is an
/// object with the key, the time of its removal, `_version`, and `"_removed": true`.
public protocol SyncServer {
  /// Asks for the records that changed behind a checkpoint.
  ///
  /// - Parameters:
  ///   - checkpoint: what the page before named; nil for the first page.
  ///   - limit: the greatest number of records that is wanted.
  /// - Returns: `{"documents": […], "checkpoint": "…", "epoch": "…"}`. There are no documents behind the last checkpoint.
  ///   The epoch names the life of the server's records: another one says that checkpoints and versions mean nothing now.
  /// - Throws: `SyncError`.
  mutating func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8]

  /// Sends records.
  ///
  /// - Parameter request: `{"documents": […]}`. Here `_version` names the version that the record replaces; without it
  ///   the server must not have the record, nor its removal.
  /// - Returns: `{"outcomes": […]}`, one for each record, in the same order: `{"version": …}` if the server took it;
  ///   `{"conflict": {…}}` with its own record or removal if that has another version; `{"unknown": true}` if it has none;
  ///   `{"refused": "…"}` with the reason.
  /// - Throws: `SyncError`.
  mutating func push(_ request: [UInt8]) throws(SyncError) -> [UInt8]
}
