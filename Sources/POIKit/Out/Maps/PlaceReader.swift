internal import JSONStreaming
package import POIRecords
package import POISQLite

/// Reads where records are: the middles of their geometries, as degrees of longitude and latitude.
package struct PlaceReader: ~Copyable {
  private let source: GeometrySource
  private let model: Model
  private var reader: GeometryReader
  private var record = StoredJSON()

  /// Nil if the model has neither a geometry nor coordinates.
  package init?(of model: Model) {
    guard let source = try? GeometrySource(of: model) else { return nil }
    self.source = source
    self.model = model
    reader = GeometryReader(source)
  }

  /// Returns the place of a statement's current row, a row id and the fields; nil if it has none.
  package mutating func place(in row: borrowing Statement) -> SIMD2<Double>? {
    reader.read(row, firstColumn: 1) ? reader.geometry.envelope.middle : nil
  }

  /// Returns the place of a JSON record, in the form that the model reads, also of one that breaks its rules.
  package mutating func place(ofRecord text: Span<UInt8>) -> SIMD2<Double>? {
    guard record.read(text) else { return nil }
    let element = record.element
    switch source {
    case .field(let field):
      guard let index = element.index(of: model.attributes[field].source) else { return nil }
      var geometry = WellKnownBinary()
      return geometry.set(element, at: index) ? geometry.envelope.middle : nil
    case .point(let latitude, let longitude):
      guard let x = element.number(of: model.attributes[longitude].source),
        let y = element.number(of: model.attributes[latitude].source)
      else { return nil }
      return SIMD2(x, y)
    }
  }
}

extension Envelope {
  fileprivate var middle: SIMD2<Double>? {
    isEmpty ? nil : SIMD2((west + east) / 2, (south + north) / 2)
  }
}

extension JSONElement {
  /// The index of an attribute's value; nil if the record lacks it.
  fileprivate func index(of source: Attribute.Source) -> Int? {
    guard case .pointer(let tokens) = source else { return nil }
    var index = start
    for token in tokens {
      if isObject(at: index), let member = value(ofMember: token, at: index) {
        index = member
      } else if tape[index].kind == .startArray, let number = Int(token),
        (0..<tape[index].elementCount).contains(number)
      {
        index += 1
        for _ in 0..<number { index = tape.end(ofValueAt: index) }
      } else {
        return nil
      }
    }
    return index
  }

  /// The number that an attribute's value is, or says as a text.
  fileprivate func number(of source: Attribute.Source) -> Double? {
    guard let index = index(of: source), [.number, .string].contains(tape[index].kind),
      let number = Double(String(copying: tape.text(of: tape[index]))), number.isFinite
    else { return nil }
    return number
  }
}
