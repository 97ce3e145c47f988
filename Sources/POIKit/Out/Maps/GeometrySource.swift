internal import POIRecords
internal import POISQLite

/// Where the geometry of a model's rows is.
enum GeometrySource: BitwiseCopyable {
  /// A field with a GeoJSON geometry.
  case field(Int)
  /// The fields of the coordinates of a point.
  case point(latitude: Int, longitude: Int)

  /// - Throws: `StoreFailure` with `invalidOptions` if the model has neither a geometry nor coordinates.
  init(of model: Model) throws {
    func field(at tokens: [String]) -> Int? {
      model.attributes.firstIndex { $0.source == .pointer(tokens) }
    }
    func number(named names: String...) -> Int? {
      model.attributes.firstIndex { attribute in
        attribute.storage == .real && names.contains(attribute.name.lowercased())
      }
    }
    if let field = field(at: ["geometry"]), model.attributes[field].storage == .json {
      self = .field(field)
    } else if let coordinates = model.recordRules.coordinates {
      self = .point(latitude: coordinates.latitude, longitude: coordinates.longitude)
    } else if let longitude = field(at: ["geometry", "coordinates", "0"]),
      let latitude = field(at: ["geometry", "coordinates", "1"])
    {
      self = .point(latitude: latitude, longitude: longitude)
    } else if let latitude = number(named: "latitude", "lat"),
      let longitude = number(named: "longitude", "lon", "lng")
    {
      self = .point(latitude: latitude, longitude: longitude)
    } else {
      let other = model.attributes.first {
        ["lat", "latitude", "lon", "lng", "longitude", "geometry"].contains($0.name.lowercased())
      }
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(model.name)\" has no geometry"
          + (other.map { ": \($0.column) is \($0.storage.phrase)" } ?? "")
          + "; name the attributes of the coordinates with \"x-coordinates\", or call them latitude and longitude"
      )
    }
  }

  /// Whether an attribute is the geometry or a part of it.
  func contains(_ field: Int) -> Bool {
    switch self {
    case .field(let geometry): field == geometry
    case .point: false
    }
  }
}

extension GeometrySource {
  /// The numbers of the positions of GeoJSON geometries in a column, and their condition: rows `j`, whose `key` is 0
  /// for a longitude and 1 for a latitude.
  static func numbers(of column: SQL) -> SQL {
    """
    json_tree(CASE WHEN json_valid(\(column)) THEN \(column) END) AS j WHERE j.type IN ('integer', 'real') \
    AND (j.path = '$.coordinates' OR j.path GLOB '$.coordinates[[]*' \
    OR j.path GLOB '$.geometries[[]*.coordinates' OR j.path GLOB '$.geometries[[]*.coordinates[[]*')
    """
  }
}

extension Model {
  /// The name of the spatial index of the table in a shipped store.
  var spatialIndex: String { table + "_spatial" }

  /// The number of triggers, whose names begin with the index's, that keep it equal to the rows.
  static let spatialTriggerCount = 6
}
