package import POISQLite
import POITestSupport

@testable import POIFiles
@testable package import POIKit
@testable package import POIRecords

/// A store in a scratch folder for several imports.
package struct FeedStore: ~Copyable {
  package let model: Model
  private let folder: ScratchFolder

  package var path: String { folder.file("store.sqlite") }

  package init(_ model: Model) throws {
    self.model = model
    folder = try ScratchFolder()
  }

  /// The stored value of the attribute `a` of one record, or the message of its reject.
  ///
  /// - Parameters:
  ///   - value: as JSON text.
  ///   - schema: the keywords of the attribute.
  package static func imported(_ value: String, as schema: String) throws -> [String] {
    let feed = try FeedStore(Model(parsing: #"{"x-table":"t","properties":{"a":{\#(schema)}}}"#))
    try feed.take(#"{"a":\#(value)}"#)
    return try feed.rows("SELECT quote(a) FROM t UNION ALL SELECT message FROM poikit_reject")
  }

  /// Imports texts as the inputs of one run.
  @discardableResult
  package func take(
    _ texts: String..., options: ImportOptions = ImportOptions(),
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws -> ImportReport {
    var session = try ImportSession(
      into: Store(path), model: model, options: options, onProgress: onProgress)
    for (index, text) in texts.enumerated() {
      var source = BytesSource(Array(text.utf8), name: "input \(index)")
      try session.importAll(from: &source)
    }
    return try session.finish()
  }

  /// Keeps one record of each key.
  @discardableResult
  package func deduplicate(
    _ options: DeduplicationOptions = DeduplicationOptions()
  ) throws -> DeduplicationReport {
    let store = try Store(path)
    return try store.deduplicate(
      Deduplicator(layout: store.layout(), options: options), clock: someInstant)
  }

  /// Creates a unique index on some attributes.
  package func enforce(_ key: [String]) throws {
    let store = try Store(path)
    var options = DeduplicationOptions()
    options.enforcement = .index
    _ = try store.deduplicate(
      Deduplicator(layout: store.layout(key: key), options: options), clock: someInstant)
  }

  /// The rows that a statement returns, each as one text.
  package func rows(_ sql: SQL) throws -> [String] {
    try POIKitTestSupport.rows(sql, in: Connection(path: path, access: .readOnly))
  }

  package func execute(_ sql: SQL) throws {
    try Connection(path: path, access: .readWrite).execute(sql)
  }

  package func token(source: String = "") throws -> String? {
    try Store(path).token(of: model, source: source)
  }

  package func digest() throws -> Digest { try Store(path).digest(of: model).digest }
}

/// All orders of some lines.
package func permutations(of lines: [String]) -> [[String]] {
  guard lines.count > 1 else { return [lines] }
  return lines.indices.flatMap { index in
    var rest = lines
    let first = rest.remove(at: index)
    return permutations(of: rest).map { [first] + $0 }
  }
}
