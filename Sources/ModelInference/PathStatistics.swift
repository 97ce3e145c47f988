internal import POIRecords

/// What was seen at one place of the records: at a member, or at an element of a short array.
struct PathStatistics {
  /// The most values that are remembered, and the longest of them in bytes.
  static let valueLimit = 8
  static let valueByteLimit = 40

  /// The formats that are looked for beside date-times.
  static let formats: [TextFormat] = [.uuid, .date, .time, .email, .uri]

  /// The last step of the place's pointer.
  let name: String
  /// The place of the object or array around it; -1 for the record itself.
  let parent: Int
  /// The number of steps from the record.
  let depth: Int

  /// The places inside of it, in the order in which they were met.
  var children: [Int] = []
  /// Where in `children` the next member is probably found.
  var nextChild = 0
  /// Where it stands among the children of its parent.
  let position: Int
  /// Whether it holds members that are not followed.
  var hasMore = false

  /// The record that the place was met in last, and how often one had it once more.
  var lastRecord = -1
  var repeatedCount = 0

  var presentCount = 0

  // How many values are of each type.
  var nullCount = 0
  var booleanCount = 0
  var integerCount = 0
  var realCount = 0
  var stringCount = 0
  var objectCount = 0
  var arrayCount = 0

  // Numbers.
  /// Whether an integer is no double.
  var hasWideInteger = false
  /// Whether a number is neither a 64-bit integer nor, exactly, a double.
  var hasLossyNumber = false
  var integers = ClosedBounds<Int64>()
  var numbers = ClosedBounds<Double>()

  // Text.
  /// In Unicode scalar values.
  var lengths = ClosedBounds<Int>()
  var holdsNUL = false
  var holdsSpace = false
  /// How many texts have each of `formats`, by the format's raw value.
  var formatCounts = [Int](repeating: 0, count: TextFormat.allCases.count)
  /// Date-times, those without a zone too.
  var instantCount = 0
  var zonelessCount = 0
  /// Texts that are a number, and those of them that are an integer.
  var numericCount = 0
  var integerTextCount = 0
  /// The date-times, in microseconds since 1970.
  var instants = ClosedBounds<Int64>()

  // Arrays.
  var elementCounts = ClosedBounds<Int>()
  /// Whether an array holds anything but numbers, or many.
  var hasLongArray = false
  /// Whether an array begins with an object.
  var holdsObjects = false

  /// Different texts, integers, or small objects.
  var distinct = DistinctCounter()
  /// The first different ones, as JSON; nil once there are too many or too long ones.
  var values: [String]? = []
  /// Whether an object holds more than a few texts, integers and booleans.
  var hasLargeObject = false

  init(name: String, parent: Int, depth: Int, position: Int) {
    self.position = position
    self.name = name
    self.parent = parent
    self.depth = depth
  }

  /// The format that all texts have, other than date-time.
  var format: TextFormat? {
    PathStatistics.formats.first { isText && formatCounts[Int($0.rawValue)] == stringCount }
  }

  /// Whether many records have it more than once. Few are mistakes.
  var isRepeated: Bool { repeatedCount * 100 > presentCount }

  /// How many values are not null.
  var valueCount: Int { presentCount - nullCount }

  // Whether every value is of the type or null, and some are of the type.
  var isObject: Bool { objectCount > 0 && objectCount == valueCount }
  var isArray: Bool { arrayCount > 0 && arrayCount == valueCount }
  var isText: Bool { stringCount > 0 && stringCount == valueCount }
  var isInteger: Bool { integerCount > 0 && integerCount == valueCount }
  var isNumber: Bool {
    integerCount + realCount > 0 && integerCount + realCount == valueCount
  }

  /// Whether nearly every value is a text or an integer, and none is an object or array.
  var isNearlyCode: Bool {
    objectCount + arrayCount == 0 && stringCount + integerCount > 0
      && (booleanCount + realCount) * 100 <= valueCount
  }

  /// Whether every value is an array of the same few numbers of numbers.
  var isTuple: Bool {
    isArray && !hasLongArray && elementCounts.least == elementCounts.greatest
      && (elementCounts.least ?? 0) >= 2
  }

  mutating func remember(_ value: @autoclosure () -> String, byteCount: Int) {
    guard var values else { return }
    guard byteCount <= PathStatistics.valueByteLimit else {
      self.values = nil
      return
    }
    let value = value()
    guard !values.contains(value) else { return }
    values.append(value)
    self.values = values.count > PathStatistics.valueLimit ? nil : values
  }
}
