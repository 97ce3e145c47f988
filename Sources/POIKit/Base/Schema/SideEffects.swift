internal import POIRecords
internal import POISQLite

/// Whether a write changes more rows than the written ones, because of an app's additions to the
/// schema.
enum SideEffects {
  /// Whether a write may change or delete other rows of a model's tables: by triggers, which may
  /// change any row, or by foreign keys with actions.
  static func arePossible(
    on model: Model, in connection: Connection
  ) throws -> Bool {
    if try !Trigger.ofApp(in: connection).isEmpty { return true }
    let own = ownReferences(model.relations, to: model.table)
    let tables = [model.table] + model.tablesOfRelationsToOne + model.tablesOfRelationsToMany
    var actions = try connection.prepare(actions, isPersistent: false)
    for table in tables {
      try actions.bind(1, text: table)
      while try actions.step() {
        let reference = Reference(
          table: table, column: actions.text(0), parent: actions.text(1))
        guard own.contains(reference) else { return true }
      }
    }
    return false
  }

  private struct Reference: Hashable {
    var table: String
    var column: String
    var parent: String
  }

  /// The foreign keys that delete the rows of arrays with their parents.
  private static func ownReferences(
    _ relations: [RelationToMany], to parent: String
  ) -> Set<Reference> {
    var references: Set<Reference> = []
    for relation in relations {
      switch relation.link {
      case .parent(let column):
        references.insert(Reference(table: relation.element.table, column: column, parent: parent))
      case .join(let join, let parentColumn, _):
        references.insert(Reference(table: join, column: parentColumn, parent: parent))
      }
      references.formUnion(ownReferences(relation.element.relations, to: relation.element.table))
    }
    return references
  }

  private static var actions: SQL {
    """
    SELECT "from", "table" FROM pragma_foreign_key_list(?1)
    WHERE on_delete NOT IN ('NO ACTION', 'RESTRICT') OR on_update NOT IN ('NO ACTION', 'RESTRICT')
    """
  }
}
