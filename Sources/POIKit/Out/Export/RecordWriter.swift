internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Writes rows as the records that their model reads.
///
/// Unmapped members, and JSON values whose parts have columns of their own, are written as they are stored, with
/// the columns over them: `base` is the index of such a value on the tape of `element`, nil if there is no value. A
/// part whose column has the same value keeps its notation, because it is part of the stored text.
///
/// A class, because a writer keeps one for each relation to many in an array, which cannot hold noncopyable
/// values.
final class RecordWriter {
  let reader: RowReader
  private let plan: RecordTemplate
  private let fieldCount: Int
  private let keepsUnmapped: Bool

  /// Whether members without an attribute are written.
  private let writesOthers: Bool
  private let relations: [Related]
  private var decoder: ValueDecoder

  /// Whether a record is the plain value of the model's only attribute.
  private let isPlain: Bool

  /// Whether a default is written as a missing value: where another one would change what is around it.
  private var omitsDefaults = false

  /// Holds the unmapped members while a record is written.
  private var unmapped: StoredJSON? = StoredJSON()

  /// What writes the rows of a relation to many.
  private struct Related {
    let writer: RecordWriter
    let isRequired: Bool

    /// Reads the digests of the rows, to compare them with arrays that unmapped members hold.
    let content: RowReader
  }

  /// - Parameter columns: the names of the attributes and relations to write; empty for all, and for the unmapped
  ///   members.
  /// - Throws: `StoreFailure` with `noSuchColumn` if the model has no attribute of a name.
  convenience init(
    _ model: Model, columns: [String], reader: RowReader, in connection: Connection
  ) throws {
    let names = model.attributes.map(\.name) + model.relations.map(\.name)
    for column in columns where !names.contains(where: { $0.isExactly(column) }) {
      throw StoreFailure(
        .noSuchColumn,
        "the model \"\(model.name)\" has no attribute \"\(column)\" to export; it has "
          + names.joined(separator: ", "))
    }
    try self.init(model, columns: columns, reader: reader, isPlain: false, in: connection)
  }

  private init(
    _ model: Model, columns: [String], reader: RowReader, isPlain: Bool,
    in connection: Connection
  ) throws {
    let layout = RecordLayout(model)
    plan = RecordTemplate(layout, of: model, columns: columns)
    fieldCount = layout.fields.count
    keepsUnmapped = model.unmappedColumn != nil && (columns.isEmpty || model.keepsMisfits)
    writesOthers = columns.isEmpty
    var relations: [Related] = []
    for relation in reader.relations {
      relations.append(
        Related(
          writer: try RecordWriter(
            relation.relation.element, columns: [], reader: relation.reader,
            isPlain: relation.relation.isPlain, in: connection),
          isRequired: relation.relation.isRequired,
          content: try RowReader(rowsOf: relation.relation, in: connection)))
    }
    self.relations = relations
    decoder = ValueDecoder(model)
    self.reader = reader
    self.isPlain = isPlain
  }

  /// Appends the record of the current row.
  func append(to output: inout RowOutput) throws {
    try isPlain
      ? output.append(1, of: reader.statement, in: plan.forms[0])
      : append(recordOf: reader.statement, to: &output)
  }

  /// Appends the rows of a relation to many as an array, which may be empty.
  func append(rowsOf relation: Int, to output: inout RowOutput) throws {
    let json = StoredJSON()
    _ = try append(rowsOf: relation, over: nil, of: json.element, reader.statement, to: &output)
  }

  /// Appends the current row as a line of comma-separated values.
  func append(_ columns: TableColumns, to output: inout RowOutput) throws {
    let json = unmapped.take() ?? StoredJSON()
    let start = output.bytes.count
    for (number, column) in columns.all.enumerated() {
      if number > 0 { output.bytes.append(UInt8(ascii: ",")) }
      switch column.content {
      case .field(let field):
        output.append(csv: field + 1, of: reader.statement, in: plan.forms[field])
      case .unmapped: output.append(csv: fieldCount + 1, of: reader.statement, in: .json)
      case .rows(let relation):
        let start = output.bytes.count
        let hasRows = try append(
          rowsOf: relation, over: nil, of: json.element, reader.statement, to: &output)
        if hasRows { output.quoteIfNeeded(from: start) } else { output.bytes.truncate(to: start) }
      }
    }
    output.endLine(from: start)
    unmapped = consume json
  }

  /// - Throws: `StoreFailure` with `invalidOptions` if the model has neither a geometry nor coordinates.
  func featurePlaces(of model: Model) throws -> FeaturePlaces { try FeaturePlaces(of: model, plan) }

  /// Appends the current row as a GeoJSON Feature.
  ///
  /// Page: RFC 7946, section 3.2
  func append(_ feature: FeaturePlaces, to output: inout RowOutput) throws {
    try append(feature, ofRow: reader.statement, to: &output)
  }

  private func append(
    _ feature: FeaturePlaces, ofRow row: borrowing Statement, to output: inout RowOutput
  ) throws {
    var json = unmapped.take() ?? StoredJSON()
    let base = base(in: &json, row)
    output.bytes.append(copying: #"{"type":"Feature""#.utf8Span.span)
    if isFeature(feature, over: base, of: json.element, row) {
      try append(membersOf: feature, over: base, of: json.element, row, to: &output)
    } else {
      append(feature.geometry, row, to: &output)
      output.bytes.append(copying: #","properties":"#.utf8Span.span)
      try append(objectOf: SourceTree.root, over: base, of: json.element, row, to: &output)
    }
    output.bytes.append(UInt8(ascii: "}"))
    unmapped = consume json
  }

  private func isFeature(
    _ feature: FeaturePlaces, over base: Int?, of element: JSONElement, _ row: borrowing Statement
  ) -> Bool {
    if let number = feature.properties, case .container = plan.places[number].content {
      return true
    }
    let name = "Feature".utf8Span
    if let field = feature.type, case .text(let text) = row.value(field + 1) {
      return text.hasSameBytes(as: name.span)
    }
    guard let base, let type = element.value(ofMember: "type", at: base) else { return false }
    return element.tape[type].kind == .string
      && element.tape.text(of: element.tape[type]).hasSameBytes(as: name.span)
  }

  /// Appends all members of a record that is a Feature, other than `type`, and a geometry and properties if it may
  /// have had empty ones.
  private func append(
    membersOf feature: FeaturePlaces, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws {
    try append(feature.identifier, named: "id", over: base, of: element, row, to: &output)
    var start = output.bytes.count
    if let number = feature.ownGeometry {
      try append(number, named: "geometry", over: base, of: element, row, to: &output)
    }
    if output.bytes.count == start { append(feature.geometry, row, to: &output) }
    start = output.bytes.count
    try append(feature.properties, named: "properties", over: base, of: element, row, to: &output)
    if output.bytes.count == start, !feature.keepsEmptyProperties {
      output.bytes.append(copying: #","properties":{}"#.utf8Span.span)
    }
    for number in feature.others {
      try append(
        number, named: plan.plainNames[number], over: base, of: element, row, to: &output)
    }
    guard let base else { return }
    let written = FeaturePlaces.memberNames + feature.others.map { plan.plainNames[$0] }
    var index = base + 1
    while element.tape[index].kind == .key {
      let name = String(copying: element.tape.text(of: element.tape[index]))
      if !written.contains(where: { $0.isExactly(name) }) {
        try append(nil, named: name, over: base, of: element, row, to: &output)
      }
      index = element.tape.end(ofValueAt: index + 1)
    }
  }

  /// Appends a member of the record, unless it has no value.
  private func append(
    _ number: Int?, named name: String, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws {
    var value: Int?
    if let base { value = element.value(ofMember: name, at: base) }
    if let number {
      try append(member: number, over: value, of: element, isFirst: false, row, to: &output)
    } else if let value {
      append(memberNamed: name.utf8Span.span, valueAt: value, of: element, to: &output)
    }
  }

  private func append(
    _ geometry: GeometrySource, _ row: borrowing Statement, to output: inout RowOutput
  ) {
    output.bytes.append(copying: #","geometry":"#.utf8Span.span)
    switch geometry {
    case .field(let field): output.append(field + 1, of: row, in: plan.forms[field])
    case .point(let latitude, let longitude):
      if row.isNull(latitude + 1) || row.isNull(longitude + 1) {
        JSONText.append("null", to: &output.bytes)
      } else {
        output.bytes.append(copying: #"{"type":"Point","coordinates":["#.utf8Span.span)
        output.append(longitude + 1, of: row, in: plan.forms[longitude])
        output.bytes.append(UInt8(ascii: ","))
        output.append(latitude + 1, of: row, in: plan.forms[latitude])
        output.bytes.append(copying: "]}".utf8Span.span)
      }
    }
  }

  private func append(
    memberNamed name: Span<UInt8>, valueAt index: Int, of element: JSONElement,
    isFirst: Bool = false, to output: inout RowOutput
  ) {
    if !isFirst { output.bytes.append(UInt8(ascii: ",")) }
    JSONText.appendQuoted(name, to: &output.bytes)
    output.bytes.append(UInt8(ascii: ":"))
    JSONText.append(valueAt: index, of: element.tape, to: &output.bytes)
  }

  /// Appends the record of a row with its unmapped members.
  private func append(recordOf row: borrowing Statement, to output: inout RowOutput) throws {
    // A local copy, because what is borrowed of a class cannot be passed to its methods.
    var json = unmapped.take() ?? StoredJSON()
    let base = base(in: &json, row)
    try append(objectOf: SourceTree.root, over: base, of: json.element, row, to: &output)
    unmapped = consume json
  }

  /// Reads the unmapped members of a row; returns the index of their object, or nil.
  private func base(in json: inout StoredJSON, _ row: borrowing Statement) -> Int? {
    keepsUnmapped && json.read(fieldCount + 1, of: row) && json.kind == .startObject
      ? json.element.start : nil
  }

  /// Appends the name of the member that holds the record.
  func appendName(of field: Int, to output: inout RowOutput) {
    let start = output.bytes.count
    output.append(field + 1, of: reader.statement, in: plan.forms[field])
    guard output.bytes[start] != UInt8(ascii: "\"") else { return }
    // A number or a boolean.
    let text = String(copying: output.bytes.span.extracting(start...))
    output.bytes.truncate(to: start)
    output.append(quoted: text.utf8Span.span)
  }

  // MARK: Objects and arrays

  /// Appends an object or array; returns whether it has any content.
  private func append(
    node: Int, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws -> Bool {
    guard writesOthers || plan.nodes[node].hasFields else { return false }
    var isArray = plan.nodes[node].isArray
    let kept = base
    var base = base
    var kind: Token.Kind?
    if let base { kind = element.tape[base].kind }
    switch kind {
    case .startArray: isArray = true
    case .startObject: isArray = false
    default: base = nil
    }
    let start = output.bytes.count
    if isArray {
      try append(arrayOf: node, over: base, of: element, row, to: &output)
    } else {
      try append(objectOf: node, over: base, of: element, row, to: &output)
    }
    if output.bytes.count == start + 2, let kept, writesOthers || kind != .startObject {
      // It was kept instead of the attributes below.
      output.bytes.truncate(to: start)
      JSONText.append(valueAt: kept, of: element.tape, to: &output.bytes)
      return true
    }
    return output.bytes.count > start + 2
  }

  private func append(
    objectOf node: Int, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws {
    output.bytes.append(UInt8(ascii: "{"))
    let start = output.bytes.count
    for number in plan.nodes[node].places {
      var isBelow = false
      if let base {
        isBelow = element.value(ofMember: plan.plainNames[number], at: base) != nil
      }
      if !isBelow {
        try append(
          member: number, over: nil, of: element, isFirst: output.bytes.count == start, row,
          to: &output)
      }
    }
    if let base {
      try append(membersAt: base, of: element, over: node, after: start, row, to: &output)
    }
    output.bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the members of an unmapped object in their order, which is part of the stored text.
  private func append(
    membersAt base: Int, of element: JSONElement, over node: Int, after start: Int,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws {
    var index = base + 1
    while element.tape[index].kind == .key {
      let name = element.tape.text(of: element.tape[index])
      let isFirst = output.bytes.count == start
      let places = plan.nodes[node].places
      var number = places.lowerBound
      while number < places.upperBound,
        !name.hasSameBytes(as: plan.plainNames[number].utf8Span.span)
      {
        number += 1
      }
      if number < places.upperBound {
        try append(member: number, over: index + 1, of: element, isFirst: isFirst, row, to: &output)
      } else if writesOthers {
        append(memberNamed: name, valueAt: index + 1, of: element, isFirst: isFirst, to: &output)
      }
      index = element.tape.end(ofValueAt: index + 1)
    }
  }

  /// Appends a member, unless the record has no value for it.
  private func append(
    member number: Int, over base: Int?, of element: JSONElement, isFirst: Bool,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws {
    let end = output.bytes.count
    if !isFirst { output.bytes.append(UInt8(ascii: ",")) }
    let place = plan.places[number]
    plan.appendName(of: place, to: &output.bytes)
    if try !append(place, over: base, of: element, row, to: &output) {
      output.bytes.truncate(to: end)
    }
  }

  private func append(
    arrayOf node: Int, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws {
    let omitted = omitsDefaults
    omitsDefaults = true
    defer { omitsDefaults = omitted }
    output.bytes.append(UInt8(ascii: "["))
    var end = output.bytes.count
    var value: Int?
    if let base { value = base + 1 }
    var index = 0
    while true {
      if let place = value, element.tape[place].kind == .endArray { value = nil }
      guard index <= plan.nodes[node].lastIndex || value != nil else { break }
      if index > 0 { output.bytes.append(UInt8(ascii: ",")) }
      var hasValue = false
      if let number = plan.nodes[node].places.first(where: { plan.places[$0].index == index }) {
        hasValue = try append(plan.places[number], over: value, of: element, row, to: &output)
      } else if let value {
        JSONText.append(valueAt: value, of: element.tape, to: &output.bytes)
        hasValue = true
      }
      if hasValue {
        end = output.bytes.count
      } else {
        JSONText.append("null", to: &output.bytes)
      }
      if let place = value { value = element.tape.end(ofValueAt: place) }
      index += 1
    }
    output.bytes.truncate(to: end)
    output.bytes.append(UInt8(ascii: "]"))
  }

  // MARK: Values

  /// Appends what is at a place; returns false, whatever was appended, if the record has nothing there.
  private func append(
    _ place: RecordTemplate.Place, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws -> Bool {
    switch place.content {
    case .container(let node):
      return try append(node: node, over: base, of: element, row, to: &output)
    case .rows(let relation):
      return try append(rowsOf: relation, over: base, of: element, row, to: &output)
    case .value, .whole:
      if let base, isStored(valueAt: base, of: element, as: place.field, in: row) {
        JSONText.append(valueAt: base, of: element.tape, to: &output.bytes)
        return true
      }
      if let base, row.isNull(place.field + 1),
        !omitsDefaults || !fits(valueAt: base, of: element, in: place.field)
      {
        // It was kept beside its column.
        JSONText.append(valueAt: base, of: element.tape, to: &output.bytes)
        return true
      }
      if omitsDefaults, base == nil, let slot = decoder.slot(ofDefaultOf: place.field),
        decoder.isStored(slot, in: place.field + 1, of: row)
      {
        return false
      }
    case .relatedValue, .relatedRow: break
    }
    let column = place.field + 1
    let omitted = omitsDefaults
    if case .whole = place.content { omitsDefaults = true }
    defer { omitsDefaults = omitted }
    if row.isNull(column) {
      let start = output.bytes.count
      if case .whole(let node) = place.content {
        if try append(node: node, over: nil, of: element, row, to: &output) { return true }
        output.bytes.truncate(to: start)
      }
      if place.writesNull { JSONText.append("null", to: &output.bytes) }
      return place.writesNull
    }
    switch place.content {
    case .relatedValue(let field):
      output.append(field + 1, of: row, in: plan.forms[field])
    case .relatedRow(let node):
      _ = try append(node: node, over: base, of: element, row, to: &output)
    case .whole(let node):
      let start = output.bytes.count
      output.append(column, of: row, in: plan.forms[place.field])
      let first = output.bytes[start]
      if base == nil, let slot = decoder.slot(ofDefaultOf: place.field),
        decoder.isStored(slot, in: column, of: row)
      {
        // A missing value has the default, and its parts have none.
        output.bytes.truncate(to: start)
        return try append(node: node, over: nil, of: element, row, to: &output)
      }
      guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { break }
      output.bytes.truncate(to: start)
      var whole = StoredJSON()
      _ = whole.read(column, of: row)
      _ = try append(node: node, over: whole.element.start, of: whole.element, row, to: &output)
    default: output.append(column, of: row, in: plan.forms[place.field])
    }
    return true
  }

  /// Whether a part of a stored JSON value is the value of a field, in whatever notation.
  private func isStored(
    valueAt index: Int, of element: JSONElement, as field: Int, in row: borrowing Statement
  ) -> Bool {
    guard let slot = decoder.slot(ofField: field, valueAt: index, of: element) else { return false }
    return decoder.isStored(slot, in: field + 1, of: row)
  }

  private func fits(valueAt index: Int, of element: JSONElement, in field: Int) -> Bool {
    decoder.slot(ofField: field, valueAt: index, of: element) != nil
  }

  /// Appends the rows of a relation to many as an array.
  private func append(
    rowsOf number: Int, over base: Int?, of element: JSONElement,
    _ row: borrowing Statement, to output: inout RowOutput
  ) throws -> Bool {
    let id = row.integer(0)
    let relation = relations[number]
    if let base,
      try decoder.digest(ofRelation: number, arrayAt: base, of: element)
        == relation.content.digest(ofRow: id)
    {
      JSONText.append(valueAt: base, of: element.tape, to: &output.bytes)
      return true
    }
    let rows = relation.writer
    try rows.reader.restart(atRowsOf: id)
    output.bytes.append(UInt8(ascii: "["))
    let start = output.bytes.count
    while try rows.reader.step() {
      if output.bytes.count > start { output.bytes.append(UInt8(ascii: ",")) }
      try rows.append(to: &output)
    }
    let isEmpty = output.bytes.count == start
    output.bytes.append(UInt8(ascii: "]"))
    return !isEmpty || relation.isRequired
  }
}

extension ValueDecoder {
  /// Whether a column of a statement's current row has the value of the last slot.
  fileprivate func isStored(
    _ slot: ValueSlot, in column: Int, of statement: borrowing Statement
  ) -> Bool {
    switch statement.value(column) {
    case .null: slot.isNull
    case .integer(let integer): slot.kind == .integer && slot.integer == integer
    case .real(let real): slot.kind == .real && slot.real == real
    case .text(let text): slot.kind == .text && isText(text, in: slot)
    case .blob: false
    }
  }
}
