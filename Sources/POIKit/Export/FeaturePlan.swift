internal import POIRecords

/// Where the parts of a GeoJSON Feature are in the records of a model.
///
/// Page: RFC 7946, section 3.2
struct FeaturePlan {
  enum Geometry {
    /// A field with a geometry as JSON.
    case field(Int)
    /// The fields of the coordinates of a point.
    case point(latitude: Int, longitude: Int)
  }

  let geometry: Geometry

  /// The place of the Feature's `id`, if the records are Features.
  let identifier: RecordPlan.Place?

  /// The node of `properties` if the records are Features, else the whole record.
  let properties: Int

  /// - Throws: `StoreFailure` with `invalidOptions` if the model has neither a geometry nor coordinates.
  init(of model: Model, _ plan: RecordPlan) throws {
    func field(at tokens: [String]) -> Int? {
      model.attributes.firstIndex { $0.source == .pointer(tokens) }
    }
    func number(named names: String...) -> Int? {
      model.attributes.firstIndex { attribute in
        attribute.storage == .real && names.contains { $0.isExactly(attribute.name) }
      }
    }
    func place(named name: String) -> RecordPlan.Place? {
      plan.nodes[SourceTree.root].places.first { plan.plainNames[$0].isExactly(name) }
        .map { plan.places[$0] }
    }
    if let field = field(at: ["geometry"]), model.attributes[field].storage == .json {
      geometry = .field(field)
    } else if let coordinates = model.recordRules.coordinates {
      geometry = .point(latitude: coordinates.latitude, longitude: coordinates.longitude)
    } else if let longitude = field(at: ["geometry", "coordinates", "0"]),
      let latitude = field(at: ["geometry", "coordinates", "1"])
    {
      geometry = .point(latitude: latitude, longitude: longitude)
    } else if let latitude = number(named: "latitude", "lat"),
      let longitude = number(named: "longitude", "lon", "lng")
    {
      geometry = .point(latitude: latitude, longitude: longitude)
    } else {
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(model.name)\" has no geometry; name the attributes of the coordinates with "
          + "\"x-coordinates\", or call them latitude and longitude")
    }
    if case .container(let node)? = place(named: "properties")?.content {
      properties = node
      identifier = place(named: "id").flatMap { if case .value = $0.content { $0 } else { nil } }
    } else {
      properties = SourceTree.root
      identifier = nil
    }
  }
}
