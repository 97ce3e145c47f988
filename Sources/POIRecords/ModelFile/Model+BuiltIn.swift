extension Model {
  /// The built-in model: a point of interest with an optional category.
  public static let poi: Model = {
    do {
      return try Model(parsing: builtInDocument)
    } catch {
      preconditionFailure("the built-in model: \(error)")
    }
  }()

  static let builtInDocument = """
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "poi",
      "title": "Point of interest",
      "description": "A named place. Latitude and longitude are WGS 84 degrees.",
      "x-table": "poi",
      "x-key": "identifier",
      "x-timestamp": "updatedAt",
      "type": "object",
      "required": ["identifier", "name", "latitude", "longitude"],
      "properties": {
        "identifier": { "type": "string", "format": "uuid" },
        "name": { "type": "string", "minLength": 1 },
        "address": { "type": ["string", "null"] },
        "city": { "type": ["string", "null"] },
        "country": { "type": ["string", "null"] },
        "information": { "type": ["string", "null"] },
        "latitude": { "type": "number", "minimum": -90, "maximum": 90 },
        "longitude": { "type": "number", "minimum": -180, "maximum": 180 },
        "updatedAt": { "type": ["string", "null"], "format": "date-time" },
        "category": {
          "type": ["object", "null"],
          "x-relation": { "table": "category", "unique": "name" },
          "required": ["name"],
          "properties": { "name": { "type": "string", "minLength": 1 } }
        }
      }
    }
    """
}
