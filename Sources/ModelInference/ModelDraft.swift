internal import JSONStreaming
internal import POIRecords

/// Chooses the attributes of a model from the statistics of all places.
struct ModelDraft {
  static let columnLimit = 1_000

  /// An object with more members than this is varied: rare members are not mapped.
  static let memberLimit = 64

  /// An object with more values inside than this becomes one column of JSON.
  static let leafLimit = 50

  /// The most objects that become rows of other tables.
  static let relationLimit = 10

  /// The fewest records that allow conclusions from repeated values.
  static let sampleSize = 10

  private(set) var places: [PathStatistics]
  let memberNames: PathStatistics
  let recordCount: Int

  let table: String

  /// The name of the attribute that is to be the timestamp; nil if its name tells.
  private let timestamp: String?

  /// Whether the model fits only records like these. Otherwise later ones can lack members, hold null and differ
  /// in form.
  let isStrict: Bool

  private(set) var columns: [InferredColumn] = []

  /// The column of the unmapped members; nil if every member has a column.
  private(set) var unmappedColumn: String?

  /// The members without a column, with the reason.
  private(set) var omissions: [String] = []

  private var rareCount = 0
  private var hasUnobservedMembers = false
  private var tables: Set<String>

  /// The attribute that identifies a record, and what the comment says of it.
  private(set) var key = KeyChoice(remark: "")

  init(_ tree: borrowing PathTree, table: String, isStrict: Bool, timestamp: String?) {
    self.timestamp = timestamp
    self.isStrict = isStrict
    places = tree.places
    if !isStrict {
      // A key rejects what does not fit.
      for place in places.indices { places[place].admitsMisfits = !places[place].isLikeKey }
    }
    memberNames = tree.memberNames
    recordCount = tree.recordCount
    self.table = table
    tables = [table.lowercased()]
    if memberNames.presentCount > 0 {
      add(scalarColumn(memberNames, pointer: nil, nameSteps: ["key"]))
    }
    addMembers(of: PathTree.root)
    dropRarest()
    nameColumns()
    key = chosenKey()
    for index in columns.indices where !key.indices.contains(index) {
      readNumerals(of: &columns[index])
    }
    if !isStrict {
      // A column of several types stores true as 1, so booleans are kept beside it.
      for index in columns.indices
      where !key.indices.contains(index) && columns[index].types.count > 2 {
        columns[index].types.removeAll { $0 == "boolean" }
      }
    }
    for index in key.indices {
      // A key is a scalar.
      columns[index].types.removeAll { ["object", "array"].contains($0) }
      guard !isStrict, !key.isDoubtful, isInAllRecords(columns[index]) else { continue }
      columns[index].isRequired = true
      columns[index].allowsNull = false
    }
  }

  // MARK: Columns

  private mutating func addMembers(of place: Int) {
    let members = places[place].children.filter { !places[$0].isElement }
    let isVaried = isVaried(place)
    if places[place].hasMore { hasUnobservedMembers = true }
    for member in members {
      if isVaried, isRare(member) {
        rareCount += 1
      } else {
        addColumns(for: member)
      }
    }
  }

  private func isVaried(_ place: Int) -> Bool {
    let holdsAttributes =
      place == PathTree.root
      || places[place].depth == 1 && ModelDraft.wrappers.contains(places[place].name)
    let limit = holdsAttributes ? ModelDraft.columnLimit : ModelDraft.memberLimit
    return places[place].children.count > limit || places[place].hasMore
  }

  /// Whether fewer than a quarter of the enclosing objects have the member.
  private func isRare(_ place: Int) -> Bool {
    let parent = places[place].parent
    let count = parent == PathTree.root ? recordCount : places[parent].counts.object
    return places[place].presentCount * 4 < count
  }

  private mutating func addColumns(for place: Int) {
    let seen = places[place]
    let pointer = pointer(of: place)
    if seen.isRepeated {
      omit(pointer, "some records have it twice")
    } else if seen.children.isEmpty, pointer.count == 1, Self.featureMembers.contains(seen.name),
      areFeatures
    {
      omit(pointer, "always null or empty")
    } else if seen.isObject {
      if let relation = relation(for: place) {
        columns.append(relation)
      } else if isKeptWhole(place) {
        add(scalarColumn(seen, pointer: pointer, nameSteps: nameSteps(pointer)))
      } else {
        addMembers(of: place)
      }
    } else if seen.isTuple, elements(of: place).allSatisfy({ isPlainNumber(places[$0]) }) {
      for (index, element) in elements(of: place).enumerated() {
        add(
          scalarColumn(
            places[element], pointer: self.pointer(of: element),
            nameSteps: elementName(index, of: place)))
      }
    } else {
      add(scalarColumn(seen, pointer: pointer, nameSteps: nameSteps(pointer)))
    }
  }

  private func elements(of place: Int) -> [Int] {
    places[place].children.filter { places[$0].isElement }
  }

  private func isKeptWhole(_ place: Int) -> Bool {
    let seen = places[place]
    if seen.children.isEmpty { return true }
    // An export would take names that are all numbers for the positions in an array.
    if seen.children.allSatisfy({ Int(places[$0].name) != nil && !places[$0].isElement }) {
      return true
    }
    if isGeometry(place) { return !isPoint(place) }
    if isVaried(place), seen.children.filter({ !isRare($0) }).count < 3 { return true }
    // The `properties` of a GeoJSON feature contain all its attributes.
    let isFeature = seen.name == "properties" && seen.depth == 1
    return !isFeature && leafCount(of: place) > ModelDraft.leafLimit
  }

  /// The number of values inside an object; an inner object that is kept whole counts as one.
  private func leafCount(of place: Int) -> Int {
    let seen = places[place]
    return seen.children.reduce(0) { count, child in
      let isOne = !places[child].isObject || isKeptWhole(child)
      return count + (isOne ? 1 : leafCount(of: child))
    }
  }

  private func isPlainNumber(_ seen: PathStatistics) -> Bool {
    seen.isNumber && seen.numbers.lossyCount == 0
      && !(seen.counts.real > 0 && seen.numbers.wideCount > 0)
  }

  private mutating func add(_ column: InferredColumn?) {
    if let column { columns.append(column) }
  }

  mutating func omit(_ pointer: [String], _ reason: String) {
    omissions.append("\(JSONPointer(tokens: pointer).description) (\(reason))")
  }

  // MARK: GeoJSON

  /// Whether the records are GeoJSON Features (RFC 7946).
  private var areFeatures: Bool {
    member("type", of: PathTree.root).map { places[$0].values == ["\"Feature\""] } ?? false
  }

  private static let featureMembers = ["geometry", "properties"]

  /// The bounds of the points of Features as a text; nil if they can be degrees.
  var foreignPosition: String? {
    guard areFeatures, let geometry = member("geometry", of: PathTree.root), isPoint(geometry),
      let tuple = member("coordinates", of: geometry)
    else { return nil }
    var (texts, aroundCount) = ([String](), 0)
    var isOutside = false
    for (place, limit) in zip(places[tuple].children, [180.0, 90]) {
      guard let range = places[place].numbers.bounds.range else { return nil }
      texts.append("\(range.lowerBound) to \(range.upperBound)")
      isOutside = isOutside || !range.overlaps(-limit...limit)
      if range.lowerBound < -limit, range.upperBound > limit { aroundCount += 1 }
    }
    // One odd position is not enough.
    return isOutside || aroundCount == 2 ? texts.joined(separator: " and ") : nil
  }

  private func member(_ name: String, of place: Int) -> Int? {
    places[place].children.first { places[$0].name == name }
  }

  /// Whether the objects look like GeoJSON geometries (RFC 7946).
  private func isGeometry(_ place: Int) -> Bool {
    member("type", of: place) != nil
      && (member("coordinates", of: place) ?? member("geometries", of: place)) != nil
  }

  private func isPoint(_ place: Int) -> Bool {
    guard let type = member("type", of: place), places[type].values == ["\"Point\""],
      let coordinates = member("coordinates", of: place)
    else { return false }
    return places[coordinates].isTuple
  }

  // MARK: Names

  private func pointer(of place: Int) -> [String] {
    var steps: [String] = []
    var place = place
    while place > PathTree.root {
      steps.append(places[place].name)
      place = places[place].parent
    }
    return steps.reversed()
  }

  private func nameSteps(_ pointer: [String]) -> [String] {
    pointer.count > 1 && pointer[0] == "properties" ? Array(pointer.dropFirst()) : pointer
  }

  private func elementName(_ index: Int, of place: Int) -> [String] {
    let parent = places[place].parent
    if places[place].name == "coordinates", index < 2 {
      let isGeometry = parent > PathTree.root && isPoint(parent)
      let isLongitude = (isGeometry || beginsWithLongitude(elements(of: place))) == (index == 0)
      return nameSteps(isGeometry ? [] : pointer(of: parent)) + [
        isLongitude ? "longitude" : "latitude"
      ]
    }
    return nameSteps(pointer(of: place) + ["\(index)"])
  }

  private mutating func nameColumns() {
    var names = ColumnNames()
    // The record's own members have precedence for their names.
    for isOwn in [true, false] {
      for index in columns.indices where (columns[index].pointer?.count == 1) == isOwn {
        columns[index].name = names.name(
          for: columns[index].nameSteps, or: columns[index].pointer ?? [])
      }
    }
    if rareCount > 0 {
      omissions.append("\(rareCount) members that less than a quarter of the objects have")
    }
    if hasUnobservedMembers {
      omissions.append("members beyond the limits of the inference")
    }
    if !omissions.isEmpty || !isStrict { unmappedColumn = names.name(for: ["other"]) }
  }

  /// The column of texts that is to be the timestamp.
  var textTimestamp: InferredColumn? {
    columns.first {
      timestamp?.isExactly($0.name) == true && $0.types == ["string"] && $0.instants == nil
    }
  }

  private mutating func dropRarest() {
    guard columns.count > ModelDraft.columnLimit else { return }
    let ranked = columns.indices.sorted {
      let (left, right) = (columns[$0].statistics, columns[$1].statistics)
      return (right.presentCount, $0) < (left.presentCount, $1)
    }
    let kept = Set(ranked.prefix(ModelDraft.columnLimit))
    omissions.append(
      "\(columns.count - kept.count) members, because a table has at most \(kept.count) columns")
    columns = columns.indices.filter(kept.contains).map { columns[$0] }
  }

  // MARK: Relations

  /// A relation for an object with few different values in many records; nil for other objects.
  private mutating func relation(for place: Int) -> InferredColumn? {
    let seen = places[place]
    // The parts of a related row are NOT NULL.
    guard isStrict, tables.count <= ModelDraft.relationLimit, !seen.hasLargeObject, !seen.hasMore,
      seen.counts.object >= ModelDraft.sampleSize, seen.distinct.isExact, seen.distinct.count > 1,
      seen.distinct.count * 4 <= seen.counts.object,
      seen.children.contains(where: { places[$0].isText }),
      seen.children.allSatisfy({ isIdentifying(places[$0], count: seen.counts.object) })
    else { return nil }
    var names = ColumnNames()
    var properties: [JSONValue.Member] = []
    for child in seen.children {
      guard
        var column = scalarColumn(
          places[child], pointer: [places[child].name], nameSteps: [places[child].name])
      else { return nil }
      column.name = names.name(for: column.nameSteps)
      column.remarks = []
      properties.append(column.property)
    }
    let pointer = pointer(of: place)
    var tableNames = ColumnNames(taken: tables)
    let related = tableNames.name(for: [seen.name])
    tables.insert(related.lowercased())
    let unique = properties.map { JSONValue.string($0.name) }
    let schema: KeyValuePairs<String, JSONValue> = [
      "x-relation": .object(["table": .string(related), "unique": .array(unique)]),
      "required": .array(unique), "properties": .object(properties),
    ]
    return InferredColumn(
      pointer: pointer, nameSteps: nameSteps(pointer), statistics: seen, types: ["object"],
      allowsNull: seen.counts.null > 0,
      schema: schema.map { JSONValue.Member(name: $0.key, value: $0.value) },
      remarks: presence(of: seen) + [
        "\(amount(seen.distinct)) different ones in \(seen.counts.object) records, so they are rows "
          + "of a table of their own"
      ],
      isRequired: seen.presentCount == recordCount)
  }

  private func isIdentifying(_ seen: PathStatistics, count: Int) -> Bool {
    seen.presentCount == count && seen.repeatedCount == 0 && !seen.texts.holdsNUL
      && (seen.isText || seen.isInteger || seen.counts.boolean == count)
  }
}
