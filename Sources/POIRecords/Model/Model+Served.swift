/// The form of a record between a store and its server: as in the model, with members of the protocol.
extension Model {
  /// The member with the server's version of a record: a text or a number.
  package static let versionMember = "_version"

  /// The column of the version.
  package static let versionColumn = reservedPrefix + "version"

  /// The member that marks removals.
  package static let removalMemberOfServer = "_removed"

  /// The same model for records of a server: each has a version, which is no part of its content, and may be the
  /// removal of the record with its key.
  package var asServed: Model {
    var model = self
    model.rules.schemas.append(.anything)
    // A text is kept as JSON, too, because it has no type of its own here.
    var version = Attribute(
      name: Model.versionColumn, column: Model.versionColumn,
      source: .pointer([Model.versionMember]), types: [.integer, .number], storage: .json,
      isRequired: true, isLenient: false, readsEmptyAsNull: false, allowsNUL: false,
      defaultValue: nil, mergeRule: nil, schema: model.rules.schemas.count - 1, relation: nil)
    version.isContent = false
    model.attributes.append(version)
    model.removalMember = Model.removalMemberOfServer
    return model
  }

  /// The slot of the version in records of a server; nil in others.
  package var versionSlot: Int? { attributes.firstIndex { !$0.isContent } }
}
