internal import JSONStreaming

extension Model {
  /// What is set instead of what a model's document says; nil leaves it as it is.
  package struct Overrides: Sendable {
    /// The table: `x-table`.
    package var table: String?
    /// The names of the attributes in the key: `x-key`.
    package var key: [String]?
    /// The name of the timestamp: `x-timestamp`.
    package var timestamp: String?

    /// What decides between equally new records: `x-ties`.
    package var ties: TieRule?
    package var groupsNullKeys: Bool?

    package init() {}
  }

  /// The model with overrides; the same model if they change nothing.
  ///
  /// - Throws: `ModelError` if an override does not fit the model.
  package func with(_ overrides: Overrides) throws(ModelError) -> Model {
    var document = members
    if let table = overrides.table, !Self.isSameTable(table, self.table) {
      document["x-table"] = .string(table)
    }
    if let key = overrides.key,
      isKeyDoubtful || !key.elementsEqual(self.key, by: { $0.isExactly($1) })
    {
      document["x-key"] = .array(key.map { .string($0) })
      document["x-key-doubtful"] = nil
    }
    if let timestamp = overrides.timestamp, self.timestamp?.isExactly(timestamp) != true {
      document["x-timestamp"] = .string(timestamp)
      // Texts of any form are kept as they are, and read as times.
      if attribute(named: timestamp)?.storage == .text, var all = document["properties"]?.members,
        var property = all[timestamp]?.members, property["format"] == nil
      {
        property["format"] = .string(TextFormat.timestamp.name)
        all[timestamp] = .object(property)
        document["properties"] = .object(all)
      }
    }
    if let groups = overrides.groupsNullKeys, groups != groupsNullKeys {
      document["x-null-key"] = .string(groups ? "group" : "keep")
    }
    if let ties = overrides.ties { document["x-ties"] = .string(ties.rawValue) }
    return document == members ? self : try Model(document)
  }

  /// Whether SQLite takes two names for one: it ignores the case of ASCII letters.
  private static func isSameTable(_ name: String, _ other: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return name.utf8.elementsEqual(other.utf8) { folded($0) == folded($1) }
  }
}
