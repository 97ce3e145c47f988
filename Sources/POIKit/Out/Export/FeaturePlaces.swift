internal import POIRecords

/// Where the parts of a GeoJSON Feature are in the records of a model.
///
/// Page: RFC 7946, section 3.2
struct FeaturePlaces {
  let geometry: GeometrySource

  /// The places of the members of a Feature that come first; nil for a member that the model does not map, and for a
  /// geometry of which it maps only coordinates.
  let identifier: Int?
  let ownGeometry: Int?
  let properties: Int?

  /// Whether the unmapped members tell empty properties from none.
  let keepsEmptyProperties: Bool

  /// The field of `type`, which says whether a record is a Feature; nil without it.
  let type: Int?

  /// The places of all other members.
  let others: [Int]
  static let memberNames = ["type", "id", "geometry", "properties"]

  /// - Throws: `StoreFailure` with `invalidOptions` if the model has neither a geometry nor coordinates.
  init(of model: Model, _ plan: RecordTemplate) throws {
    geometry = try GeometrySource(of: model)
    func place(named name: String, in node: Int = SourceTree.root) -> Int? {
      plan.nodes[node].places.first { plan.plainNames[$0].isExactly(name) }
    }
    others = plan.nodes[SourceTree.root].places.filter {
      !Self.memberNames.contains(plan.plainNames[$0])
    }
    keepsEmptyProperties = model.keepsMisfits
    identifier = place(named: "id")
    properties = place(named: "properties")
    type = place(named: "type").flatMap {
      if case .value = plan.places[$0].content { plan.places[$0].field } else { nil }
    }
    ownGeometry = place(named: "geometry").flatMap {
      guard case .container(let node) = plan.places[$0].content else { return $0 }
      return place(named: "type", in: node) == nil ? nil : $0
    }
  }
}
