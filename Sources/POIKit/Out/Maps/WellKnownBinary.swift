internal import JSONStreaming
internal import POIRecords

/// A geometry as well-known binary, made from GeoJSON.
///
/// Page: OGC 06-103r4, section 8; RFC 7946, section 3.1
struct WellKnownBinary: ~Copyable {
  /// The geometry, in little-endian byte order.
  private var bytes = GrowableBuffer<UInt8>(minimumCapacity: 64)

  /// Its envelope; empty for a geometry without positions.
  private(set) var envelope = Envelope()

  private(set) var isPoint = false

  /// Whether it was made of a type and coordinates alone.
  private(set) var isPlain = false

  private var hasAltitudes = false

  /// The number of collections in collections from which on a value is not a geometry.
  private static let deepest = 16

  private static let point: UInt32 = 1
  private static let types: [(name: StaticString, code: UInt32)] = [
    ("Point", point), ("LineString", 2), ("Polygon", 3), ("MultiPoint", 4), ("MultiLineString", 5),
    ("MultiPolygon", 6), ("GeometryCollection", 7),
  ]

  /// Replaces the geometry by a point.
  mutating func set(longitude: Double, latitude: Double) {
    clear()
    appendHeader(Self.point)
    append(longitude)
    append(latitude)
    envelope.include(longitude: longitude, latitude: latitude)
    isPlain = true
  }

  /// Replaces the geometry by a GeoJSON one; returns false if the value is not a geometry.
  mutating func set(_ element: JSONElement, at index: Int) -> Bool {
    clear()
    hasAltitudes = Self.hasAltitude(element, at: index)
    guard append(geometry: element, at: index) else { return false }
    isPlain =
      element.value(ofMember: "coordinates", at: index) != nil
      && Self.hasTwoMembers(element, at: index)
    return true
  }

  /// Whether an object, which has two members, has no others.
  private static func hasTwoMembers(_ element: JSONElement, at index: Int) -> Bool {
    let second = element.tape.end(ofValueAt: index + 2)
    return element.tape[element.tape.end(ofValueAt: second + 1)].kind == .endObject
  }

  /// Appends a copy of the geometry.
  func append(to output: inout GrowableBuffer<UInt8>) { output.append(copying: bytes.span) }

  private mutating func clear() {
    bytes.removeAll()
    envelope = Envelope()
    hasAltitudes = false
    isPlain = false
  }

  /// Whether a position has a third number: the first one of a geometry decides for it.
  private static func hasAltitude(_ element: JSONElement, at index: Int, depth: Int = 0) -> Bool {
    guard element.isObject(at: index), depth < deepest else { return false }
    if let coordinates = element.value(ofMember: "coordinates", at: index) {
      var numberCount = 0
      for index in coordinates..<element.tape.end(ofValueAt: coordinates) {
        if element.tape[index].kind == .number {
          numberCount += 1
        } else if numberCount > 0 {
          return numberCount > 2
        }
      }
      return false
    }
    guard let geometries = element.value(ofMember: "geometries", at: index),
      element.tape[geometries].kind == .startArray
    else { return false }
    var geometry = geometries + 1
    while element.tape[geometry].kind != .endArray {
      if hasAltitude(element, at: geometry, depth: depth + 1) { return true }
      geometry = element.tape.end(ofValueAt: geometry)
    }
    return false
  }

  private mutating func append(
    geometry element: JSONElement, at index: Int, depth: Int = 0
  ) -> Bool {
    guard element.isObject(at: index), depth < Self.deepest,
      let type = element.value(ofMember: "type", at: index), element.tape[type].kind == .string
    else { return false }
    let name = element.tape.text(of: element.tape[type])
    let code = Self.types.first { name.hasSameBytes(as: $0.name.description.utf8Span.span) }?.code
    guard let code else { return false }
    let member = code == 7 ? "geometries" : "coordinates"
    guard let value = element.value(ofMember: member, at: index) else { return false }
    appendHeader(code)
    switch code {
    case Self.point: return append(position: element, at: value)
    case 2: return append(arrayOf: element, at: value) { $0.append(position: $1, at: $2) }
    case 3: return append(rings: element, at: value)
    case 4:
      return append(arrayOf: element, at: value) {
        $0.appendHeader(Self.point)
        return $0.append(position: $1, at: $2)
      }
    case 5:
      return append(arrayOf: element, at: value) {
        $0.appendHeader(2)
        return $0.append(arrayOf: $1, at: $2) { $0.append(position: $1, at: $2) }
      }
    case 6:
      return append(arrayOf: element, at: value) {
        $0.appendHeader(3)
        return $0.append(rings: $1, at: $2)
      }
    default:
      return append(arrayOf: element, at: value) {
        $0.append(geometry: $1, at: $2, depth: depth + 1)
      }
    }
  }

  private mutating func append(rings element: JSONElement, at index: Int) -> Bool {
    append(arrayOf: element, at: index) {
      $0.append(arrayOf: $1, at: $2) { $0.append(position: $1, at: $2) }
    }
  }

  /// Appends the number of an array's elements, and each of them by `body`; returns false if it is no array, or
  /// if `body` does.
  private mutating func append(
    arrayOf element: JSONElement, at start: Int,
    _ body: (inout WellKnownBinary, JSONElement, Int) -> Bool
  ) -> Bool {
    guard element.tape[start].kind == .startArray else { return false }
    let place = bytes.count
    append(0 as UInt32)
    var count: UInt32 = 0
    var index = start + 1
    while element.tape[index].kind != .endArray {
      guard body(&self, element, index) else { return false }
      count += 1
      index = element.tape.end(ofValueAt: index)
    }
    for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
    return true
  }

  private mutating func append(position element: JSONElement, at start: Int) -> Bool {
    guard element.tape[start].kind == .startArray else { return false }
    var numbers = (longitude: Double.nan, latitude: Double.nan, altitude: 0.0)
    var count = 0
    while element.tape[start + 1 + count].kind == .number {
      let number = Number(element.tape.text(of: element.tape[start + 1 + count])).real
      switch count {
      case 0: numbers.longitude = number
      case 1: numbers.latitude = number
      case 2: numbers.altitude = number
      default: break
      }
      count += 1
    }
    guard count >= 2, element.tape[start + 1 + count].kind == .endArray,
      numbers.longitude.isFinite, numbers.latitude.isFinite, numbers.altitude.isFinite
    else { return false }
    append(numbers.longitude)
    append(numbers.latitude)
    if hasAltitudes { append(numbers.altitude) }
    envelope.include(longitude: numbers.longitude, latitude: numbers.latitude)
    return true
  }

  private mutating func appendHeader(_ code: UInt32) {
    if bytes.isEmpty { isPoint = code == Self.point }
    bytes.append(1)
    append(hasAltitudes ? code + 1_000 : code)
  }

  private mutating func append(_ number: UInt32) {
    for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt32(byte)))) }
  }

  private mutating func append(_ number: Double) {
    for byte in 0..<8 {
      bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt64(byte))))
    }
  }
}
