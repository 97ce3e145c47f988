internal import JSONStreaming

extension ModelReader {
  static func mergeRule(
    _ json: JSONValue, types: JSONTypes, storage: Attribute.Storage, isRelated: Bool,
    at place: String
  ) throws(ModelError) -> MergeRule? {
    guard let value = json["x-merge"] else { return nil }
    let place = place + "/x-merge"
    guard let rule = value.string.flatMap(MergeRule.init(rawValue:)) else {
      throw ModelError(
        message: "\(value) is not a merge rule; the rules are "
          + MergeRule.allCases.map(\.rawValue).joined(separator: ", "), pointer: place)
    }
    guard !isRelated, storage != .relation else {
      throw ModelError(
        message: "a related row is not merged; remove \"x-merge\"", pointer: place)
    }
    let needed: String? =
      switch rule {
      case .newest: nil
      case .longest:
        storage.isPlainText ? nil : "text: the type string and no format of its own form"
      case .minimum, .maximum: isOrdered(types, storage) ? nil : "numbers or instants"
      case .union: types.subtracting(.null) == .array ? nil : "arrays: the type array"
      }
    if let needed {
      throw ModelError(message: "\"\(rule.rawValue)\" needs \(needed)", pointer: place)
    }
    return rule
  }

  private static func isOrdered(_ types: JSONTypes, _ storage: Attribute.Storage) -> Bool {
    switch storage {
    case .instant: true
    case .integer, .real: types.subtracting([.null, .integer, .number]).isEmpty
    case .text, .date, .uuid, .json, .any, .relation: false
    }
  }

  /// Refuses merge rules of attributes that determine the winner.
  static func checkMergeRules(
    of attributes: [Attribute], key: [String], timestamp: String?, tombstone: Tombstone?
  ) throws(ModelError) {
    let deciding =
      key.map { ($0, "the key") } + (timestamp.map { [($0, "the timestamp")] } ?? [])
      + (tombstone?.attribute.map { [($0, "the tombstone")] } ?? [])
    for attribute in attributes where attribute.mergeRule != nil {
      guard let (name, role) = deciding.first(where: { $0.0.isExactly(attribute.name) }) else {
        continue
      }
      throw ModelError(
        message: "\"\(name)\" is \(role), which the winner keeps; remove \"x-merge\"",
        pointer: "/properties" + JSONPointer.step(name) + "/x-merge")
    }
  }
}
