import JSONStreaming
import POIKit
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Testing

/// A store that is synchronised, and an app that writes into it.
final class SyncDevice {
  static let model = """
    {"x-table": "poi", "x-key": "id", "x-timestamp": "changed", "required": ["id"], "properties": {
      "id": {"type": "string"}, "name": {"type": ["string", "null"]}, "tag": {"type": ["integer", "null"]},
      "changed": {"type": ["string", "null"], "format": "date-time"}}}
    """

  let store: Store
  let link: Link
  let app: Connection
  var options = SyncOptions()

  init(_ path: String, _ link: Link, isTracked: Bool = true) throws {
    self.link = link
    store = try Store(path)
    let model = try Model(parsing: Self.model)
    if isTracked {
      var options = ImportOptions()
      options.mergePolicy = .newest
      try store.importRecords(from: .text("", named: "nothing"), model: model, options: options)
      try store.track()
    } else {
      _ = try Synchronizer(store, model: model, server: link, address: "memory")
    }
    app = try Connection(path: path, access: .readWrite)
    // Another device may have the same store.
    try? app.execute("ALTER TABLE poi ADD COLUMN fav INTEGER")
    (options.pageSize, options.pushSize) = (2, 2)
  }

  func synchronizer() throws -> Synchronizer<Link> {
    try Synchronizer(
      store, model: Model(parsing: Self.model), server: link, address: "memory",
      options: options)
  }

  @discardableResult
  func cycle() throws -> SyncReport {
    var synchronizer = try synchronizer()
    return try synchronizer.cycle()
  }

  /// The records as JSON, without absent values, by key.
  func records() throws -> [JSONValue] {
    var bytes: [UInt8] = []
    try store.export { piece in for index in piece.indices { bytes.append(piece[index]) } }
    return try bytes.split(separator: UInt8(ascii: "\n")).map {
      try JSONValue(parsing: Array($0).span)
    }.sorted { $0["id"]?.string ?? "" < $1["id"]?.string ?? "" }
  }

  /// The number of keys with local changes.
  func localCount() throws -> Int {
    try store.trackingStatus().reduce(0) { $0 + $1.notSynchronisedCount + $1.pendingCount }
  }
}
