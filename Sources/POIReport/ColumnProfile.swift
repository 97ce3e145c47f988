internal import POIKit
internal import POIPlatform
internal import POIRecords

/// What the values of an attribute are, in bounded memory.
struct ColumnProfile {
  /// How many values are compared one by one. Beyond that, counts are estimated.
  private static let keptCount = 256

  /// How the page calls the attribute: `category.name`.
  let path: String
  private let form: AttributeForm

  private(set) var filledCount = 0
  /// The extreme numbers and times; of texts, the lengths in bytes.
  private var (least, greatest) = (Double.infinity, -Double.infinity)
  /// The extreme integers, as long as all numbers are integers.
  private var integers: ClosedRange<Int64>?
  private var bins = Grid(width: 64, height: 1, exponent: -20)
  private var kept: [(hash: UInt64, value: String, count: Int)] = []
  /// A hash table of `kept`: indices from 1, or 0.
  private var slots = [UInt16](repeating: 0, count: 4 * keptCount)
  /// How often all kept values lost one of their count, to make room.
  private var lossCount = 0
  /// The registers of a HyperLogLog sketch.
  private var ranks = [UInt8](repeating: 0, count: 1 << 12)

  init(_ field: RecordLayout.Field) {
    path = field.path
    form = AttributeForm(field.attribute)
  }

  mutating func insert(_ value: borrowing Statement.Value) {
    switch value {
    case .null, .blob: return
    case .integer(let integer):
      if form != .text {
        measure(Double(integer))
        let (low, high) = (integers?.lowerBound ?? integer, integers?.upperBound ?? integer)
        integers = min(low, integer)...max(high, integer)
      }
      keep(Self.mixed(UInt64(bitPattern: integer))) { $0.shown(integer) }
    case .real(let real):
      if form != .text { measure(real) }
      keep(Self.mixed(real.bitPattern)) { $0.shown(real) }
    case .text(let text):
      let date = form == .date ? Instant(date: text) : nil
      measure(date.map { Double($0.microseconds) } ?? Double(text.count))
      keep(MurmurHash3.digest(of: text).low) { _ in
        String(copying: text.extracting(0..<min(text.count, 120)))
      }
    }
    filledCount += 1
  }

  private mutating func measure(_ number: Double) {
    guard number.isFinite else { return }
    (least, greatest) = (min(least, number), max(greatest, number))
    bins.insert(number)
  }

  private mutating func keep(_ hash: UInt64, _ value: (AttributeForm) -> String) {
    let register = Int(hash >> 52)
    ranks[register] = max(ranks[register], UInt8((hash << 12 | 1 << 11).leadingZeroBitCount + 1))
    // Of values that hardly repeat, none is kept after a while.
    guard lossCount < 64 || !kept.isEmpty else { return }
    let slot = slot(of: hash)
    if slots[slot] > 0 {
      kept[Int(slots[slot]) - 1].count += 1
    } else if kept.count == Self.keptCount {
      lossCount += 1
      let others = kept.filter { $0.count > 1 }
      kept = []
      for slot in slots.indices { slots[slot] = 0 }
      for other in others { append((other.hash, other.value, other.count - 1)) }
    } else {
      append((hash, value(form), 1))
    }
  }

  private mutating func append(_ entry: (hash: UInt64, value: String, count: Int)) {
    kept.append(entry)
    slots[slot(of: entry.hash)] = UInt16(kept.count)
  }

  private func slot(of hash: UInt64) -> Int {
    var slot = Int(hash % UInt64(4 * Self.keptCount))
    while slots[slot] > 0, kept[Int(slots[slot]) - 1].hash != hash {
      slot = (slot + 1) % (4 * Self.keptCount)
    }
    return slot
  }

  private static func mixed(_ bits: UInt64) -> UInt64 {
    let word = (bits ^ bits >> 32) &* 0x9E37_79B9_7F4A_7C15
    let next = (word ^ word >> 32) &* 0xD6E8_FEB8_6659_FD93
    return next ^ next >> 32
  }

  // MARK: The row of the page

  /// The number of different values; beyond memory an estimate, with a standard error of 2 %.
  var differentCount: HTML {
    guard lossCount > 0 else { return "\(kept.count)" }
    let count = Double(ranks.count)
    let emptyCount = Double(ranks.count { $0 == 0 })
    let sum = ranks.reduce(0) { $0 + Double(sign: .plus, exponent: -Int($1), significand: 1) }
    let estimate = 0.7213 / (1 + 1.079 / count) * count * count / sum
    let isSmall = estimate < 2.5 * count && emptyCount > 0
    let different = Int(isSmall ? count * log(count / emptyCount) : estimate)
    return "about \(min(different, filledCount))"
  }

  /// The most frequent values if they repeat, and the extremes. After losses the counts are lower bounds.
  var values: HTML {
    let frequent = kept.filter { $0.count > 1 && $0.count > filledCount / 200 }
      .sorted { ($1.count, $0.value) < ($0.count, $1.value) }.prefix(4)
    let texts = frequent.html {
      "\(text: $0.value, limit: 60) <small>\(lossCount > 0 ? "at least " : "")\($0.count)</small>; "
    }
    guard least <= greatest, form != .boolean else { return texts }
    // A double is exact to 2 to the power of 53.
    let isExact = integers.map {
      Double($0.lowerBound) == least && Double($0.upperBound) == greatest
    }
    let (first, last) =
      isExact == true && form != .text
      ? (form.shown(integers!.lowerBound), form.shown(integers!.upperBound))
      : (form.shown(least), form.shown(greatest))
    let range: HTML = first == last ? "\(text: first)" : "\(text: first) … \(text: last)"
    return form == .text ? "\(texts)<small>\(range) bytes</small>" : "\(texts)\(range)"
  }

  /// The distribution as bars.
  var bars: HTML {
    let highest = Double(bins.columns.map { bins[$0, 0] }.max() ?? 0)
    let bars = bins.columns.html { index in
      let height = bins[index, 0] == 0 ? 0 : max(1, Double(bins[index, 0]) / highest * 24)
      return "v-\(height)h.8v\(height)h.2"
    }
    return """
      <svg class="bins" viewBox="0 0 \(max(bins.columns.count, 16)) 24" preserveAspectRatio="none" \
      aria-hidden="true"><path d="M0 24\(bars)"/></svg>
      """
  }
}

/// What the values of an attribute are, for people.
enum AttributeForm: BitwiseCopyable {
  case number, boolean, instant, date, text

  init(_ attribute: Attribute) {
    let isBoolean = attribute.types.isSubset(of: [.boolean, .null])
    self =
      switch attribute.storage {
      case .instant: .instant
      case .date: .date
      case .integer, .real: isBoolean ? .boolean : .number
      default: .text
      }
  }

  func shown(_ integer: Int64) -> String {
    switch self {
    case .instant: Instant(microseconds: integer).description
    case .date: String(Instant(microseconds: integer).description.prefix(10))
    case .boolean: integer == 0 ? "false" : "true"
    case .number, .text: "\(integer)"
    }
  }

  func shown(_ number: Double) -> String {
    Int64(exactly: number).map { shown($0) } ?? "\(number)"
  }

  /// The text of a value; nil for NULL. A long one ends with its length and digest.
  func shown(_ value: borrowing Statement.Value) -> String? {
    switch value {
    case .null, .blob: return nil
    case .integer(let integer): return shown(integer)
    case .real(let real): return shown(real)
    case .text(let text):
      guard text.count > 4_000 else { return String(copying: text) }
      let start = String(copying: text.extracting(0..<4_000))
      return start + "… \(text.count) bytes, \(MurmurHash3.digest(of: text))"
    }
  }
}
