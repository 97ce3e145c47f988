extension ModelReader {
  private static let tombstoneKeywords: Set<String> = ["attribute", "removal", "null"]

  static func tombstone(
    _ json: JSONValue?, attributes: [Attribute], key: [String]
  ) throws(ModelError) -> Tombstone? {
    let place = "/x-tombstone"
    guard let json else { return nil }
    if let members = json.members {
      try refuseUnknown(members, known: tombstoneKeywords, at: place)
    }
    let name = json.members == nil ? json : json["attribute"]
    let attribute = try name.map { name throws(ModelError) in
      try tombstoneAttribute(name, attributes: attributes)
    }
    let acceptsNullRecord = try boolean(json["null"], at: place + "/null")
    guard attribute != nil || acceptsNullRecord else {
      throw ModelError(
        message: "the tombstone has no attribute that marks a removal; name one, or say "
          + "\"null\": true", pointer: place)
    }
    guard !key.isEmpty else {
      throw ModelError(
        message: "a removal applies to the record with the same key; name the key with \"x-key\"",
        pointer: place)
    }
    var removal = Tombstone.Removal.mark
    if let value = json["removal"] {
      guard let named = value.string.flatMap(Tombstone.Removal.init(rawValue:)) else {
        throw ModelError(
          message: "\(value) is not a removal; the values are "
            + Tombstone.Removal.allCases.map(\.rawValue).joined(separator: ", "),
          pointer: place + "/removal")
      }
      removal = named
    }
    let tombstone = Tombstone(
      attribute: attribute?.name, removal: removal, acceptsNullRecord: acceptsNullRecord)
    if acceptsNullRecord { try checkNullRecord(tombstone, attribute, attributes, key: key) }
    return tombstone
  }

  private static func tombstoneAttribute(
    _ json: JSONValue, attributes: [Attribute]
  ) throws(ModelError) -> Attribute {
    guard let name = json.string, let index = attributes.index(named: name) else {
      throw ModelError(
        message: "the tombstone \(json) is not an attribute", pointer: "/x-tombstone")
    }
    let attribute = attributes[index]
    try refuseRelation(attribute, as: "tombstone", at: "/x-tombstone")
    if case .instant = attribute.storage { return attribute }
    guard attribute.storage == .integer, attribute.types.contains(.boolean) else {
      throw ModelError(
        message: "\"\(name)\" cannot say that a record was removed: it is neither a boolean nor an "
          + "instant", pointer: "/x-tombstone")
    }
    return attribute
  }

  /// Refuses models whose table could not hold a null record.
  private static func checkNullRecord(
    _ tombstone: Tombstone, _ attribute: Attribute?, _ attributes: [Attribute], key: [String]
  ) throws(ModelError) {
    let place = "/x-tombstone/null"
    let named = attributes.filter { key.containsExactly($0.name) }
    guard named.count == 1, named[0].source == .memberName else {
      throw ModelError(
        message: "a null record has only its member's name; the key must be one attribute "
          + "with \"x-source\": \"0#\"", pointer: place)
    }
    guard tombstone.removal == .mark else { return }
    guard let attribute, attribute.storage == .integer else {
      throw ModelError(
        message: "a null record sets the mark to true; name a boolean as \"attribute\", or say "
          + "\"removal\": \"delete\"", pointer: place)
    }
    let others = attributes.filter {
      $0.isRequired && $0.name != key[0] && $0.name != attribute.name
    }
    guard others.isEmpty else {
      throw ModelError(
        message: "a null record lacks \"\(others[0].name)\", which is required; say \"removal\": "
          + "\"delete\", or do not require it", pointer: place)
    }
  }
}
