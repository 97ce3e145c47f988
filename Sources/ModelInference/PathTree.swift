internal import JSONStreaming
internal import POIRecords

/// The statistics of all places in the records, in bounded memory.
struct PathTree: ~Copyable {
  static let placeLimit = 2_000

  static let nameByteLimit = 256

  /// The deepest observed place, in steps from the record.
  static let depthLimit = 5

  /// The number of hashes shared by all counters of distinct values.
  static let sharedHashLimit = 1 << 20

  /// The longest array whose elements are observed.
  static let elementLimit = 4

  /// The most members of an object that can become a related row.
  static let relatedMemberLimit = 4

  static let root = 0

  private(set) var places: [PathStatistics]

  /// The names of the members that hold the records.
  private(set) var memberNames: PathStatistics

  /// In microseconds since 1970.
  private let latestTimestamp: Int64

  private(set) var recordCount = 0

  /// The members of the records of each input that has ended.
  private(set) var members: [MembersOfInput] = []

  /// How often the places were present before the current input, and the records before it.
  private var earlier: (counts: [Int], recordCount: Int) = ([], 0)

  /// Whether the records are rows of delimited text.
  var isOfRows = false
  private var scope = DistinctCounter.Scope(hashCount: PathTree.sharedHashLimit)

  /// The hashes of the values in the current record, and of those that can be its key.
  private var hashes: [(place: Int, hash: UInt64)] = []
  private var keys: [(place: Int, hash: UInt64)] = []

  /// The hashes of the current record's values, and of its times of change and its kind in OpenStreetMap's data.
  private var content: UInt64 = 0
  private var version: UInt64 = 0
  private var versionScope = DistinctCounter.Scope(hashCount: PathTree.sharedHashLimit)

  private var sampleCount = 0

  /// For each place the indices in its `children`.
  private var positions: [[ExactText: Int]] = [[:]]
  private var scratch = GrowableBuffer<UInt8>()

  init(latestTimestamp: Instant?) {
    let latest = latestTimestamp?.microseconds ?? .max
    self.latestTimestamp = latest
    places = [PathStatistics(name: "", parent: -1, depth: 0, latestTimestamp: latest)]
    memberNames = PathStatistics(name: "", parent: -1, depth: 1, latestTimestamp: latest)
    memberNames.key = PathStatistics.Key()
  }

  /// Ends an input. A value that occurs again in the next one is not repeated.
  mutating func endInput() {
    scope.input &+= 1
    versionScope.input &+= 1
    memberNames.key?.sample.endInput()
    for place in places.indices { places[place].key?.sample.endInput() }
    members.append(MembersOfInput(endedIn: self, earlier.counts, earlier.recordCount))
    earlier = (places.map(\.presentCount), recordCount)
  }

  mutating func observe(_ record: JSONElement) {
    hashes.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    (content, version) = (0, 0)
    var nameHash: UInt64?
    if let name = record.memberName {
      memberNames.presentCount += 1
      nameHash = memberNames.observe(
        text: record.tape.text(of: name), holdsNUL: record.holdsNUL, scope: &scope)
    }
    observeObject(at: record.start, place: PathTree.root, of: record)
    recordCount += 1
    if let nameHash { memberNames.key?.sample.insert(nameHash, hashes) }
    for (place, hash) in keys {
      places[place].key?.sample.insert(hash, hashes)
      places[place].key?.versions.insert(hash &+ version, scope: &versionScope)
      places[place].key?.contents.insert(hash &+ content, scope: &versionScope)
    }
  }

  private mutating func observe(valueAt index: Int, place: Int, of record: JSONElement) {
    let token = record.tape[index]
    guard places[place].lastRecord < recordCount else {
      places[place].repeatedCount += 1
      return
    }
    places[place].presentCount += 1
    places[place].lastRecord = recordCount
    switch token.kind {
    case .null:
      places[place].counts.null += 1
      remember(0, at: place)
    case .true, .false:
      places[place].counts.boolean += 1
      places[place].remember(token.kind == .true ? "true" : "false", byteCount: 5)
      remember(token.kind == .true ? 1 : 2, at: place)
    case .number:
      let hash = places[place].observe(number: record.tape.text(of: token), scope: &scope)
      remember(hash, ofKeyAt: place)
    case .string:
      let hash = places[place].observe(
        text: record.tape.text(of: token), holdsNUL: record.holdsNUL, isOfRow: isOfRows,
        scope: &scope)
      remember(hash, ofKeyAt: place)
    case .startObject:
      if let value = ExtendedValue(objectAt: index, of: record.tape) {
        return observe(value, place: place, of: record)
      }
      places[place].counts.object += 1
      observeObject(at: index, place: place, of: record)
      countObject(at: index, place: place, of: record)
    case .startArray: observeArray(at: index, place: place, of: record)
    case .key, .endObject, .endArray: preconditionFailure("a value begins with none of these")
    }
  }

  /// Keeps the hash of a value until the end of the record.
  private mutating func remember(_ hash: UInt64, at place: Int) {
    if hashes.count < KeySample.memberLimit { hashes.append((place, hash)) }
    content &+= PathTree.mixed(hash, place)
  }

  /// The sum of these does not depend on the order of the members.
  private static func mixed(_ hash: UInt64, _ place: Int) -> UInt64 {
    var mixed = hash ^ UInt64(place) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 31) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ mixed >> 29
  }

  private mutating func remember(_ hash: UInt64, ofKeyAt place: Int) {
    remember(hash, at: place)
    if places[place].mayBeVersion, places[place].isVersion {
      version &+= PathTree.mixed(hash, place)
    }
    if places[place].key != nil { keys.append((place, hash)) }
  }

  /// Observes an object of MongoDB's Extended JSON as the scalar that it represents.
  private mutating func observe(_ value: ExtendedValue, place: Int, of record: JSONElement) {
    let hash: UInt64
    switch value {
    case .number(let index):
      hash = places[place].observe(
        number: record.tape.text(of: record.tape[index]), scope: &scope)
    case .text(let index):
      hash = places[place].observe(
        text: record.tape.text(of: record.tape[index]), holdsNUL: record.holdsNUL, scope: &scope)
    case .instant(let instant):
      hash = places[place].observe(
        text: instant.description.utf8Span.span, holdsNUL: false, scope: &scope)
    }
    remember(hash, ofKeyAt: place)
  }

  // MARK: Objects and arrays

  private mutating func observeObject(at start: Int, place: Int, of record: JSONElement) {
    guard places[place].depth < PathTree.depthLimit else {
      places[place].hasMore = true
      return
    }
    var index = start + 1
    while record.tape[index].kind == .key {
      let name = record.tape.text(of: record.tape[index])
      if let child = child(of: place, named: name) {
        observe(valueAt: index + 1, place: child, of: record)
      } else {
        places[place].hasMore = true
      }
      index = record.tape.end(ofValueAt: index + 1)
    }
  }

  /// Counts an object as a distinct value if it is small enough for a related row.
  private mutating func countObject(at start: Int, place: Int, of record: JSONElement) {
    guard !places[place].hasLargeObject else { return }
    let count = record.tape[start].elementCount
    var isSmall = count > 0 && count <= PathTree.relatedMemberLimit
    for member in 0..<count where isSmall {
      switch record.tape[start + 2 + 2 * member].kind {
      case .string, .number, .true, .false: break
      default: isSmall = false
      }
    }
    guard isSmall else {
      places[place].hasLargeObject = true
      return
    }
    scratch.removeAll()
    JSONText.append(valueAt: start, of: record.tape, to: &scratch)
    places[place].distinct.insert(
      MurmurHash3.digest(of: scratch.span).low, scope: &scope)
  }

  private mutating func observeArray(at start: Int, place: Int, of record: JSONElement) {
    let count = record.tape[start].elementCount
    places[place].counts.array += 1
    places[place].elementCounts.include(count)
    if count > 0, record.tape[start + 1].kind == .startObject { places[place].holdsObjects = true }
    let isTuple =
      count <= PathTree.elementLimit && places[place].depth < PathTree.depthLimit
      && (0..<count).allSatisfy { record.tape[start + 1 + $0].kind == .number }
    guard isTuple else {
      places[place].hasLongArray = true
      scratch.removeAll()
      JSONText.append(valueAt: start, of: record.tape, to: &scratch)
      content &+= PathTree.mixed(MurmurHash3.digest(of: scratch.span).low, place)
      return
    }
    for element in 0..<count {
      guard let child = child(of: place, named: String(element).utf8Span.span) else {
        places[place].hasLongArray = true
        return
      }
      places[child].isElement = true
      observe(valueAt: start + 1 + element, place: child, of: record)
    }
  }

  /// The place of a member; nil if it is not observed.
  private mutating func child(of parent: Int, named name: Span<UInt8>) -> Int? {
    let count = places[parent].children.count
    let expected = places[parent].nextChild < count ? places[parent].nextChild : 0
    if expected < count {
      let child = places[parent].children[expected]
      if name.hasSameBytes(as: places[child].name.utf8Span.span) {
        places[parent].nextChild = expected + 1
        return child
      }
    }
    guard name.count <= PathTree.nameByteLimit else { return nil }
    let ownName = ExactText(String(copying: name))
    if let position = positions[parent][ownName] {
      places[parent].nextChild = position + 1
      return places[parent].children[position]
    }
    guard places.count < PathTree.placeLimit else { return nil }
    let child = places.count
    places.append(
      PathStatistics(
        name: ownName.text, parent: parent, depth: places[parent].depth + 1,
        latestTimestamp: latestTimestamp))
    if places[child].isLikeKey, sampleCount < KeySample.attributeLimit {
      sampleCount += 1
      places[child].key = PathStatistics.Key()
    }
    positions.append([:])
    positions[parent][ownName] = count
    places[parent].children.append(child)
    places[parent].nextChild = count + 1
    return child
  }
}
