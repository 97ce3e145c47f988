internal import POIRecords

/// Statistics of one place in the records: a member, or an element of a short array.
struct PathStatistics {
  /// The most remembered values, and the byte count of the longest.
  static let valueLimit = 8
  static let valueByteLimit = 40

  /// The formats that are detected, besides date-times.
  static let formats: [TextFormat] = [.uuid, .date, .time, .email, .uri]

  /// The last step of the place's pointer.
  let name: String
  /// The place of the enclosing object or array; -1 for the record itself.
  let parent: Int
  let depth: Int

  /// The places inside, in order of first occurrence.
  var children: [Int] = []
  /// The probable index of the next member in `children`.
  var nextChild = 0
  /// The index in the `children` of the parent.
  let position: Int
  /// Whether the place has members that are not observed.
  var hasMore = false

  var lastRecord = -1
  /// The number of repeated occurrences in one record.
  var repeatedCount = 0

  var presentCount = 0

  // The number of values of each type.
  var nullCount = 0
  var booleanCount = 0
  var integerCount = 0
  var realCount = 0
  var stringCount = 0
  var objectCount = 0
  var arrayCount = 0

  // Numbers.
  /// Whether a double cannot represent one of the integers.
  var hasWideInteger = false
  /// Whether a number is neither a 64-bit integer nor, exactly, a double.
  var hasLossyNumber = false
  var integers = ClosedBounds<Int64>()
  var numbers = ClosedBounds<Double>()
  /// The number of numbers that can be instants in each unit, by its position in `EpochUnit.allCases`.
  private(set) var epochCounts = [Int](repeating: 0, count: EpochUnit.allCases.count)
  /// The first of these numbers.
  private var epochExamples = [Double](repeating: 0, count: EpochUnit.allCases.count)

  // Text.
  /// In Unicode scalar values.
  var lengths = ClosedBounds<Int>()
  var emptyCount = 0
  var holdsNUL = false
  var holdsSpace = false
  /// The number of texts of each format, by raw value.
  var formatCounts = [Int](repeating: 0, count: TextFormat.allCases.count)
  /// The number of date-times, with or without a zone.
  var instantCount = 0
  var zonelessCount = 0
  /// The number of texts of each of `DatePattern.proposals`, without the date-times above.
  var patternCounts = [Int](repeating: 0, count: DatePattern.proposals.count)
  /// The number of texts, other than empty ones, that are times in no form.
  var unreadableCount = 0
  /// The number of texts that are numbers.
  var numericCount = 0
  /// The number of texts that are integers.
  var integerTextCount = 0
  /// Date-times and dates, in microseconds since 1970: all, and those before 2100.
  private(set) var instants = ClosedBounds<Int64>()
  private(set) var nearInstants = ClosedBounds<Int64>()
  private var lateCount = 0

  // Arrays.
  var elementCounts = ClosedBounds<Int>()
  /// Whether an array is long or has elements other than numbers.
  var hasLongArray = false
  var holdsObjects = false

  /// Counts different texts, integers and small objects.
  var distinct = DistinctCounter()
  /// Records by their value, if the name suggests a key.
  var sample: KeySample?
  /// The first different values as JSON; nil once there are too many or one is too long.
  var values: [String]? = []
  /// Whether an object has more than a few members, or members other than texts, numbers and booleans.
  var hasLargeObject = false

  init(name: String, parent: Int, depth: Int, position: Int) {
    self.position = position
    self.name = name
    self.parent = parent
    self.depth = depth
  }

  /// The format of all texts, other than date-time.
  var format: TextFormat? {
    PathStatistics.formats.first { isText && formatCounts[Int($0.rawValue)] == stringCount }
  }

  /// The pattern of all texts; nil if all are date-times, or if they have no common one.
  var datePattern: DatePattern? {
    DatePattern.proposals.indices.first { index in
      // ISO 8601 includes RFC 3339.
      let count =
        patternCounts[index] + (DatePattern.proposals[index] == .iso8601 ? instantCount : 0)
      return isText && patternCounts[index] > 0 && count == stringCount
    }.map { DatePattern.proposals[$0] }
  }

  /// The unit and the instants of integers that are all written as text, if they have the digits of seconds,
  /// milliseconds or microseconds since 1970. Texts with other digits are codes, or dates without separators.
  var epochTexts: (unit: EpochUnit, instants: ClosedBounds<Int64>)? {
    guard isText, integerTextCount == stringCount, lengths.least == lengths.greatest,
      [10, 13, 16].contains(lengths.least), let least = numbers.least,
      let greatest = numbers.greatest, let unit = EpochUnit(of: least),
      EpochUnit(of: greatest) == unit, let instants = unit.instants(of: numbers)
    else { return nil }
    return (unit, instants)
  }

  /// Whether more than 1 % of the occurrences are repetitions; fewer are probably mistakes.
  var isRepeated: Bool { repeatedCount * 100 > presentCount }

  var valueCount: Int { presentCount - nullCount }

  // Whether every value has the type or is null, and at least one has the type.
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

  /// Whether every value is a number or a text that a lenient number reads: an empty one, or a number; at most one in
  /// ten numbers is a text.
  var isLenientNumber: Bool {
    let count = integerCount + realCount
    return count > 0 && stringCount > 0 && count + stringCount == valueCount
      && numericCount + emptyCount == stringCount && count * 10 >= (count + numericCount) * 9
      && !(hasWideInteger && (realCount > 0 || integerTextCount < numericCount))
  }

  /// The units in which numbers are instants from 1973 to 2100, with an example of each.
  var epochUnits: [String] {
    EpochUnit.allCases.indices.filter { epochCounts[$0] > 0 }.map { index in
      let example = Int64(exactly: epochExamples[index]).map(String.init)
      return "\(EpochUnit.allCases[index].rawValue) (\(example ?? "\(epochExamples[index])"))"
    }
  }

  /// The only unit in which numbers are instants from 1973 to 2100, if nine of ten are, and all of them from the years
  /// 0 to 9999, with these instants; nil if the values are not numbers or there is no such unit.
  var epoch: (unit: EpochUnit, instants: ClosedBounds<Int64>)? {
    let count = integerCount + realCount
    guard isNumber || isLenientNumber, epochCounts.count(where: { $0 > 0 }) == 1,
      let unit = zip(EpochUnit.allCases, epochCounts).first(where: { $1 * 10 >= count * 9 })?.0,
      let instants = unit.instants(of: numbers)
    else { return nil }
    return (unit, instants)
  }

  /// Whether at most one of twenty texts is an instant after 2100, such as the last second of 9999.
  var hasFewLateInstants: Bool { lateCount > 0 && lateCount * 20 <= stringCount }

  /// Whether some texts name their zone and some do not.
  var mixesZones: Bool { zonelessCount > 0 && zonelessCount + emptyCount < stringCount }

  /// Whether nine of ten texts are date-times and the others are empty.
  var isDateTime: Bool {
    isText && instantCount + emptyCount == stringCount && instantCount * 10 >= stringCount * 9
  }

  /// Whether every value is an array of the same small number of numbers.
  var isTuple: Bool {
    isArray && !hasLongArray && elementCounts.least == elementCounts.greatest
      && (elementCounts.least ?? 0) >= 2
  }

  mutating func include(instant: Int64) {
    instants.include(instant)
    if instant < EpochUnit.end { nearInstants.include(instant) } else { lateCount += 1 }
  }

  mutating func include(number: Double) {
    numbers.include(number)
    guard let unit = EpochUnit(of: number), let index = EpochUnit.allCases.firstIndex(of: unit)
    else { return }
    if epochCounts[index] == 0 { epochExamples[index] = number }
    epochCounts[index] += 1
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
