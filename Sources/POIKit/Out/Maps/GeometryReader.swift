internal import POISQLite

/// Reads the geometries of rows.
struct GeometryReader: ~Copyable {
  private let source: GeometrySource
  private var json = StoredJSON()

  /// The geometry of the last row that has one.
  private(set) var geometry = WellKnownBinary()

  init(_ source: GeometrySource) { self.source = source }

  /// Reads the geometry of a statement's current row; returns false if it has none, or if it is not GeoJSON.
  ///
  /// - Parameter firstColumn: the column of the first field.
  mutating func read(_ statement: borrowing Statement, firstColumn: Int) -> Bool {
    switch source {
    case .field(let field):
      guard json.read(firstColumn + field, of: statement) else { return false }
      return geometry.set(json.element, at: json.element.start)
    case .point(let latitude, let longitude):
      guard let latitude = statement.number(firstColumn + latitude),
        let longitude = statement.number(firstColumn + longitude)
      else { return false }
      geometry.set(longitude: longitude, latitude: latitude)
      return true
    }
  }

  /// Reads the geometry of the current row; returns false if nothing of it is in a rectangle.
  ///
  /// - Parameter statement: a row id and the fields.
  mutating func read(_ statement: borrowing Statement, touching box: GeographicBox) -> Bool {
    read(statement, firstColumn: 1) && box.touches(geometry.envelope)
  }
}

extension Statement {
  /// A column of the current row as a finite number; nil if it is not one.
  fileprivate func number(_ column: Int) -> Double? {
    switch value(column) {
    case .integer(let integer): Double(integer)
    case .real(let real): real.isFinite ? real : nil
    case .null, .text, .blob: nil
    }
  }
}
