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
  /// Whether the place has members that are not observed.
  var hasMore = false
  /// Whether the place is an element of an array.
  var isElement = false

  let isLikeKey: Bool
  /// Whether `isVersion` can be true.
  let mayBeVersion: Bool
  private let hasNameOfKind: Bool

  var lastRecord = -1
  var presentCount = 0
  /// The number of repeated occurrences in one record.
  var repeatedCount = 0
  var counts = TypeCounts()
  var numbers = Numbers()
  var texts = Texts()
  var moments: Moments
  /// Of the texts in rows of delimited text.
  var numerals = Numerals()
  var elementCounts = ClosedBounds<Int>()
  /// Whether an array is long or has elements other than numbers.
  var hasLongArray = false
  var holdsObjects = false
  /// Counts different texts, integers and small objects.
  var distinct = DistinctCounter()
  /// What tells whether the values identify records, if the name suggests a key.
  var key: Key?
  /// The first different values as JSON; nil once there are too many or one is too long.
  var values: [String]? = []
  /// Whether an object has more than a few members, or members other than texts, numbers and booleans.
  var hasLargeObject = false
  /// Whether values that do not fit the column are kept beside it.
  var admitsMisfits = false

  /// The number of values of each type.
  struct TypeCounts {
    var null = 0
    var boolean = 0
    var integer = 0
    var real = 0
    var string = 0
    var object = 0
    var array = 0

    var number: Int { integer + real }
  }

  struct Numbers {
    /// The number of integers that a double cannot represent.
    var wideCount = 0
    /// The number of numbers that are neither 64-bit integers nor, exactly, doubles.
    var lossyCount = 0
    /// The number of integers beyond 64 bits.
    var bigCount = 0
    var integers = ClosedBounds<Int64>()
    /// Of all numbers, those that are written as text included.
    var bounds = ClosedBounds<Double>()
    /// The number of numbers that can be instants in each unit, by its position in `EpochUnit.allCases`.
    private(set) var epochCounts = [Int](repeating: 0, count: EpochUnit.allCases.count)
    private(set) var epochBounds = ClosedBounds<Double>()
    /// The first of these numbers.
    private var epochExamples = [Double](repeating: 0, count: EpochUnit.allCases.count)

    mutating func include(_ number: Double) {
      bounds.include(number)
      guard let unit = EpochUnit(of: number), let index = EpochUnit.allCases.firstIndex(of: unit)
      else { return }
      epochBounds.include(number)
      if epochCounts[index] == 0 { epochExamples[index] = number }
      epochCounts[index] += 1
    }

    /// The units in which numbers are instants from 1973 to 2100, with an example of each.
    var epochUnits: [String] {
      EpochUnit.allCases.indices.filter { epochCounts[$0] > 0 }.map { index in
        let example = Int64(exactly: epochExamples[index]).map(String.init)
        return "\(EpochUnit.allCases[index].rawValue) (\(example ?? "\(epochExamples[index])"))"
      }
    }
  }

  struct Texts {
    /// In Unicode scalar values.
    var lengths = ClosedBounds<Int>()
    var emptyCount = 0
    var holdsNUL = false
    var holdsSpace = false
    /// The number of texts of each format, by raw value.
    var formatCounts = [Int](repeating: 0, count: TextFormat.allCases.count)
    /// The number of texts that are numbers, and of those that are integers.
    var numericCount = 0
    var integerCount = 0
  }

  /// Texts that are date-times or dates.
  struct Moments {
    /// The latest timestamp that an import accepts, and the number of later ones.
    let latestTimestamp: Int64
    var lateCount = 0
    /// In microseconds since 1970.
    var bounds = ClosedBounds<Int64>()
    /// The number of date-times, with or without a zone.
    var instantCount = 0
    var zonelessCount = 0
    var zonedCount = 0
    /// The number of texts of each of `DatePattern.proposals`, without the date-times above.
    var patternCounts = [Int](repeating: 0, count: DatePattern.proposals.count)
    /// The number of texts, other than empty ones, that are times in no form.
    var unreadableCount = 0
  }

  struct Key {
    /// Records by their value.
    var sample = KeySample()
    /// Counts different pairs of a value and the record's times of change, and of a value and the record's content.
    var versions = DistinctCounter()
    var contents = DistinctCounter()
  }

  init(name: String, parent: Int, depth: Int, latestTimestamp: Int64) {
    self.name = name
    self.parent = parent
    self.depth = depth
    moments = Moments(latestTimestamp: latestTimestamp)
    isLikeKey = MemberName(name).isLikeKey
    hasNameOfKind = parent == PathTree.root && name == "type"
    mayBeVersion = hasNameOfKind || MemberName(name).versionRank != nil
  }

  /// Whether the values tell versions of one record apart, or the kinds of OpenStreetMap's records, which number
  /// each kind for itself.
  var isVersion: Bool {
    hasNameOfKind
      ? holdsMapKinds : mayBeVersion && (moments.bounds.least != nil || counts.integer > 0)
  }

  var holdsMapKinds: Bool {
    guard hasNameOfKind, let values, !values.isEmpty else { return false }
    return values.allSatisfy(["\"node\"", "\"way\"", "\"relation\""].contains)
  }

  /// The format of the texts, other than date-time.
  var format: TextFormat? {
    PathStatistics.formats.first { isText && isMost(texts.formatCounts[Int($0.rawValue)]) }
  }

  /// The pattern of nine of ten texts, if the others are empty; nil if all are date-times, or if they have no common
  /// one.
  var datePattern: DatePattern? {
    DatePattern.proposals.indices.first { index in
      // ISO 8601 includes RFC 3339.
      let count =
        moments.patternCounts[index]
        + (DatePattern.proposals[index] == .iso8601 ? moments.instantCount : 0)
      return isText && moments.patternCounts[index] > 0 && isMost(count + texts.emptyCount)
        && count * 10 >= counts.string * 9
    }.map { DatePattern.proposals[$0] }
  }

  /// The unit and the instants of integers that are all written as text, if they have the digits of seconds,
  /// milliseconds or microseconds since 1970. Texts with other digits are codes, or dates without separators.
  var epochTexts: (unit: EpochUnit, instants: ClosedBounds<Int64>)? {
    guard isText, texts.integerCount == counts.string,
      texts.lengths.least == texts.lengths.greatest,
      [10, 13, 16].contains(texts.lengths.least), let range = numbers.bounds.range,
      let unit = EpochUnit(of: range.lowerBound), EpochUnit(of: range.upperBound) == unit,
      let instants = unit.instants(of: numbers.bounds)
    else { return nil }
    return (unit, instants)
  }

  /// Whether more than half of the occurrences are repetitions; fewer are probably mistakes.
  var isRepeated: Bool { repeatedCount * 2 > presentCount }

  var valueCount: Int { presentCount - counts.null }

  /// Whether a number of values includes all of them, or 95 % if the others are kept beside the column.
  func isMost(_ count: Int) -> Bool {
    count > 0 && (count == valueCount || admitsMisfits && count * 20 >= valueCount * 19)
  }

  func areMost(without count: Int) -> Bool { count == 0 || isMost(valueCount - count) }

  var isObject: Bool { isMost(counts.object) }
  var isArray: Bool { isMost(counts.array) }
  var isText: Bool { isMost(counts.string) }
  /// A column of numbers also holds the integers.
  var isInteger: Bool { isMost(counts.integer) && counts.real == 0 }
  var isNumber: Bool { isMost(counts.number) }

  /// Whether the values are integers, and so many of them beyond 64 bits, or in a key, that a column keeps their digits.
  var isBigInteger: Bool {
    numbers.bigCount > 0 && isMost(counts.integer + numbers.bigCount) && counts.real == 0
      && (isLikeKey || numbers.bigCount * 20 > valueCount)
  }

  /// Whether nearly every value is a text or an integer, and none is an object or array.
  var isNearlyCode: Bool {
    counts.object + counts.array == 0 && counts.string + counts.integer > 0
      && (counts.boolean + counts.real) * 100 <= valueCount
  }

  /// Whether the values are numbers and texts that a lenient number reads: empty ones, and numbers; at most one in
  /// ten numbers is a text.
  var isLenientNumber: Bool {
    let (count, textCount) = (counts.number, texts.numericCount + texts.emptyCount)
    return count > 0 && textCount > 0 && isMost(count + textCount)
      && count * 10 >= (count + texts.numericCount) * 9
      && !(numbers.wideCount > 0 && (counts.real > 0 || texts.integerCount < texts.numericCount))
  }

  /// The only unit in which numbers are instants from 1973 to 2100, if nine of ten are, and all of them from the years
  /// 0 to 9999, with these instants; nil if the values are not numbers or there is no such unit.
  var epoch: (unit: EpochUnit, instants: ClosedBounds<Int64>)? {
    guard isNumber || isLenientNumber, numbers.epochCounts.count(where: { $0 > 0 }) == 1,
      let (unit, unitCount) = zip(EpochUnit.allCases, numbers.epochCounts).first(where: {
        $1 * 10 >= counts.number * 9
      }),
      let instants = unit.instants(
        of: admitsMisfits && isMost(unitCount) ? numbers.epochBounds : numbers.bounds)
    else { return nil }
    return (unit, instants)
  }

  /// Whether some texts name their zone, and more than a few do not.
  var mixesZones: Bool {
    moments.zonelessCount > 0 && moments.zonedCount > 0
      && !(admitsMisfits && isMost(moments.zonedCount + texts.emptyCount))
  }

  /// Whether nine of ten texts are date-times and the others are empty.
  var isDateTime: Bool {
    isText && isMost(moments.instantCount + texts.emptyCount)
      && moments.instantCount * 10 >= counts.string * 9
  }

  /// The type of texts in rows, of which some may be empty; nil if they are texts.
  var numeral: (type: String, hasComma: Bool)? {
    func areMost(_ count: Int) -> Bool { count > 0 && isMost(count + texts.emptyCount) }
    guard isText else { return nil }
    if areMost(numerals.booleanCount) { return ("boolean", false) }
    guard !numerals.hasLeadingZero else { return nil }
    if areMost(numerals.integerCount) { return ("integer", false) }
    guard numerals.haveDecimalsOfNumbers else { return nil }
    if numerals.commaCount > 0, numerals.commaCount == counts.string - texts.emptyCount {
      return numerals.mayBeThousands ? nil : ("number", true)
    }
    return numerals.commaCount == 0 && areMost(numerals.pointCount) ? ("number", false) : nil
  }

  var isEmptyArray: Bool { isArray && elementCounts.greatest == 0 }

  /// Whether the values are arrays of the same small number of numbers.
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

extension EpochUnit {
  /// The instants of numbers in this unit, in microseconds since 1970; nil if one is outside the years 0 to 9999.
  func instants(of numbers: ClosedBounds<Double>) -> ClosedBounds<Int64>? {
    var instants = ClosedBounds<Int64>()
    for bound in [numbers.least, numbers.greatest] {
      guard let bound,
        let instant = Int64(exactly: (bound * Double(microsecondsPerUnit)).rounded()),
        Instant.range.contains(instant)
      else { return nil }
      instants.include(instant)
    }
    return instants
  }
}
