internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Leaves out values of losers that would make their winner break a rule of the model.
///
/// A single value of a loser keeps the rules of its attribute. These may break a rule:
///
/// - a list that is united from several records;
/// - values from several records together: an attribute that `dependentRequired` needs may be
///   missing, and a latitude and a longitude form a position only if they come from one record.
struct FillCheck: ~Copyable {
  private let model: Model
  private var checker: RuleChecker

  /// The place of each attribute of the model among the merged values, or nil if it is not merged.
  private let places: [Int?]

  /// - Parameter columns: the merged columns.
  init(_ model: Model, columns: [String]) {
    self.model = model
    checker = RuleChecker(model.rules)
    places = Self.places(of: model, in: columns)
  }

  private static func places(of model: Model, in columns: [String]) -> [Int?] {
    model.attributes.map { attribute in
      columns.firstIndex { TableSchema.isSame($0, attribute.column) }
    }
  }

  /// The columns that are not merged, and in which a rule may need a value.
  static func fixedColumns(of model: Model, besides columns: [String]) -> [String] {
    let places = places(of: model, in: columns)
    return Set(model.recordRules.dependencies.map(\.needed))
      .filter { places[$0] == nil }.sorted().map { model.attributes[$0].column }
  }

  /// Leaves values out.
  ///
  /// - Parameters:
  ///   - values: the merged values of a group, in the order of the columns.
  ///   - presentColumns: the columns among `fixedColumns` in which the winner has a value.
  /// - Returns: the number of values left out.
  mutating func leaveOut(from values: inout [MergedValue], presentColumns: Set<String>) -> Int {
    var count = 0
    for (number, attribute) in model.attributes.enumerated()
    where attribute.mergeRule == .union {
      guard let place = places[number], case .text(let text)? = values[place].change,
        !keepsRules(text, of: attribute)
      else { continue }
      values[place].keepOwn()
      count += 1
    }
    var isStable = false
    while !isStable {
      isStable = true
      if let coordinates = model.recordRules.coordinates {
        count += leaveOut(coordinates, from: &values)
      }
      for dependency in model.recordRules.dependencies {
        guard let place = places[dependency.attribute], values[place].change != nil else {
          continue
        }
        let isMet =
          places[dependency.needed].map { values[$0].isPresent }
          ?? presentColumns.contains(model.attributes[dependency.needed].column)
        guard !isMet else { continue }
        values[place].keepOwn()
        count += 1
        isStable = false
      }
    }
    return count
  }

  /// Leaves out a latitude and a longitude if they come from different records or are not a
  /// position.
  private func leaveOut(
    _ coordinates: RecordRules.Coordinates, from values: inout [MergedValue]
  ) -> Int {
    let pair = [coordinates.latitude, coordinates.longitude].compactMap { places[$0] }
    let changed = pair.filter { values[$0].change != nil }
    guard !changed.isEmpty else { return 0 }
    if changed.count == 2, let source = values[pair[0]].source, values[pair[1]].source == source,
      let latitude = values[pair[0]].change?.real, let longitude = values[pair[1]].change?.real,
      GeographicPosition.issueMessage(latitude: latitude, longitude: longitude) == nil
    {
      return 0
    }
    for place in changed { values[place].keepOwn() }
    return changed.count
  }

  private mutating func keepsRules(_ text: [UInt8], of attribute: Attribute) -> Bool {
    var reader = ElementReader(shape: .sequence, isResumable: false)
    reader.append(text.span)
    reader.finish()
    guard reader.findValue() else { return false }
    let element = JSONElement(reader)
    var issues: [Issue] = []
    checker.check(
      RuleSubject(valueAt: element.start, of: element, start: element.start),
      schema: attribute.schema, attribute: nil, issues: &issues)
    return issues.isEmpty
  }
}
