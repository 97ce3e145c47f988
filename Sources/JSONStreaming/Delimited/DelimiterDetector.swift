/// Finds out from the first bytes of an input whether it is delimited text (RFC 4180), and by what.
///
/// The first row and at least half of the next ones have equally many delimiters outside quotes. The input is never
/// delimited text if one of the rows begins with `{` or `[`, or has other control characters than TAB. A first line such as `sep=;` names the delimiter.
struct DelimiterDetector {
  /// The most rows that are examined, and the most bytes if two rows end in them, and if not.
  private static let rowLimit = 100
  private static let byteLimits = [1 << 16, 1 << 20]
  private var byteLimit = byteLimits[0]

  static let delimiters = Array(",\t;|".utf8)

  enum Verdict: Equatable {
    case json
    case delimited(by: UInt8)
  }

  /// The bytes so far.
  private(set) var bytes: [UInt8] = []
  private var hasContent = false

  /// Reads as many of the next bytes as are needed.
  ///
  /// - Returns: their number, and the verdict; nil if more bytes are needed.
  mutating func append(_ next: Span<UInt8>) -> (count: Int, verdict: Verdict?) {
    if !hasContent, let first = next.indices.first(where: { !Self.isSkipped(next[$0]) }) {
      if Self.beginsJSON(next[first]) { return (0, .json) }
      hasContent = true
    }
    var count = 0
    for limit in Self.byteLimits where limit >= byteLimit {
      byteLimit = limit
      let start = count
      count += min(next.count - count, limit - bytes.count)
      for index in start..<count { bytes.append(next[index]) }
      guard bytes.count == limit else { break }
      if let verdict = verdict(isLast: false) { return (count, verdict) }
    }
    return (count, nil)
  }

  /// The verdict at the end of the input.
  func finish() -> Verdict { verdict(isLast: true) ?? .json }

  /// White space, and a byte-order mark.
  private static func isSkipped(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(byte)
  }

  /// Also the beginning of a comment or of a text sequence.
  private static func beginsJSON(_ byte: UInt8) -> Bool {
    [0x7B, 0x5B, UInt8(ascii: "/"), ElementContext.recordSeparator].contains(byte)
  }

  private func verdict(isLast: Bool) -> Verdict? {
    // Text has no other control characters.
    guard bytes.allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }) else { return .json }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let rows = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    let name = Array("sep=".utf8)
    if rows.count > name.count, rows.starts(with: name) {
      let line = rows.dropFirst(name.count)
      if let delimiter = line.first, line.dropFirst().first.map(RowScan.isLineEnd) ?? isLast {
        return .delimited(by: delimiter)
      }
    }
    var best: (delimiter: UInt8, rowCount: Int, count: Int)?
    var isShort = true
    for delimiter in Self.delimiters {
      guard let counts = Self.counts(of: delimiter, in: rows, isLast: isLast) else { return .json }
      isShort = isShort && counts.count < 2
      let count = counts.first ?? 0
      let rowCount = counts.count { $0 == count }
      guard count > 0, rowCount * 2 >= counts.count, rowCount > 1 || counts.count == 1 && isLast
      else { continue }
      if let best, (best.rowCount, best.count) >= (rowCount, count) { continue }
      best = (delimiter, rowCount, count)
    }
    if isShort, !isLast, byteLimit < Self.byteLimits[1] { return nil }
    return best.map { .delimited(by: $0.delimiter) } ?? .json
  }

  /// How many delimiters each of the first rows has; -1 for a malformed row. nil if a row begins like JSON.
  private static func counts(
    of delimiter: UInt8, in rows: ArraySlice<UInt8>, isLast: Bool
  ) -> [Int]? {
    var counts: [Int] = []
    var fields = GrowableBuffer<Token>()
    var copies = GrowableBuffer<UInt8>()
    let isJSON = unsafe rows.withUnsafeBufferPointer { rows in
      guard let start = rows.baseAddress else { return false }
      let scan = unsafe RowScan(
        bytes: start, end: rows.count, offset: 0, delimiter: delimiter, isLast: isLast,
        limits: ReadingLimits())
      var index = scan.endOfBlankLines(from: 0)
      while index < rows.count, counts.count < rowLimit {
        if unsafe beginsJSON(rows[index]) { return true }
        fields.removeAll()
        copies.removeAll()
        switch scan.row(at: index, onto: &fields, &copies) {
        case .row(let end, _):
          // A header alone has names only.
          let isAlone = counts.isEmpty && scan.endOfBlankLines(from: end) == rows.count
          let hasNames = (0..<fields.count).allSatisfy { fields[$0].kind == .string }
          counts.append(isAlone && !hasNames ? -1 : fields.count - 1)
          index = end
        case .flaw:
          counts.append(-1)
          index = scan.endOfLine(from: index)
        case .cut: return false
        }
        index = scan.endOfBlankLines(from: index)
      }
      return false
    }
    return isJSON ? nil : counts
  }
}
