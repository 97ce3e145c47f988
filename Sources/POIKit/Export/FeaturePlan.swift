internal import POIRecords

/// Where the parts of a GeoJSON Feature are in the records of a model.
///
/// Page: RFC 7946, section 3.2
struct FeaturePlan {
  let geometry: GeometrySource

  /// The place of the Feature's `id`, if the records are Features.
  let identifier: RecordPlan.Place?

  /// The node of `properties` if the records are Features, else the whole record.
  let properties: Int

  /// - Throws: `StoreFailure` with `invalidOptions` if the model has neither a geometry nor coordinates.
  init(of model: Model, _ plan: RecordPlan) throws {
    func place(named name: String) -> RecordPlan.Place? {
      plan.nodes[SourceTree.root].places.first { plan.plainNames[$0].isExactly(name) }
        .map { plan.places[$0] }
    }
    geometry = try GeometrySource(of: model)
    if case .container(let node)? = place(named: "properties")?.content {
      properties = node
      identifier = place(named: "id").flatMap { if case .value = $0.content { $0 } else { nil } }
    } else {
      properties = SourceTree.root
      identifier = nil
    }
  }
}
