/// A parser of delimited text (RFC 4180), which puts each row as an object onto a tape.
///
/// The first row is the header, unless columns are given. A line `sep=;` before it is skipped. After a malformed row
/// reading continues at the next line that gives a whole row, or after as many bytes as an element can have.
@safe
struct RowParser: ~Copyable {
  /// Why reading cannot continue.
  struct Failure {
    var code = ReadingError.Code.invalidHeader
    var offset: Int
    var message: String
  }

  /// A malformed row whose end is being searched.
  private struct Damage {
    var start: Int
    var malformation: Malformation
    /// The place from which the search goes on, in a line that does not begin a whole row.
    var searchedOffset: Int
    /// The most bytes of a row that is looked for. It is halved by each longer one, so that quotes which open a row in
    /// each line do not make the search quadratic.
    var searchLimit: Int
  }

  private static let searchLimits = 1 << 10...1 << 16

  private let delimiter: UInt8
  private let limits: ReadingLimits
  private let places: [[UInt8]: [String]]
  private var template: RowTemplate?

  /// The offset of the first byte that is not parsed.
  var offset = 0
  /// The byte that ends lines: CR if the first line ends with CR alone.
  private(set) var lineEnd: UInt8 = 0x0A
  private(set) var failure: Failure?
  /// The malformations of the marks without tokens.
  private var malformations: [Malformation] = []
  private var takenCount = 0

  private var fields = GrowableBuffer<Token>()
  private var damage: Damage?
  /// The end of the input that must be reached before a long row is scanned again.
  private var awaitedOffset = 0
  private var isFirstLine = true

  /// - Parameters:
  ///   - columns: the names of the columns if the first row is not the header.
  ///   - places: as for `RowTemplate`.
  init(
    delimiter: UInt8, limits: ReadingLimits, columns: [String], places: [[UInt8]: [String]]
  ) {
    self.delimiter = delimiter
    self.limits = limits
    self.places = places
    if !columns.isEmpty {
      template = RowTemplate(columns.map { Array($0.utf8) }, places: places)
    }
  }

  mutating func takeMalformation() -> Malformation {
    defer { takenCount += 1 }
    return malformations[takenCount]
  }

  /// Puts the rows that begin before `pieceEnd` onto an empty tape.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the input from `start` on, which is at most `offset`.
  ///   - isLast: whether the input ends with them.
  mutating func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, pieceEnd: Int, isLast: Bool,
    onto tape: inout TapeBuffers
  ) {
    malformations.removeSubrange(..<takenCount)
    takenCount = 0
    guard let first = bytes.baseAddress, isLast || start + bytes.count >= awaitedOffset else {
      return
    }
    if let names = template?.names { tape.copies.append(copying: names.span) }
    var scan = unsafe RowScan(
      bytes: first, end: bytes.count, offset: start, delimiter: delimiter, isLast: isLast,
      limits: limits)
    while failure == nil {
      (scan.end, scan.isLast) = (bytes.count, isLast)
      let index = nextRow(scan)
      guard index < bytes.count else {
        if isLast { endDamage(before: start + index, scan, onto: &tape) }
        return
      }
      if let damage, start + index - damage.start > limits.elementByteCount {
        endDamage(before: start + index, scan, onto: &tape)
      }
      if damage == nil, offset >= pieceEnd { return }
      let limit = damage?.searchLimit ?? limits.elementByteCount
      scan.end = min(bytes.count, index + limit + 1)
      scan.isLast = isLast && scan.end == bytes.count
      fields.removeAll()
      let copyCount = tape.copies.count
      switch scan.row(at: index, onto: &fields, &tape.copies) {
      case .row(let end, let flaw):
        if isFirstLine, unsafe end < scan.end && bytes[end] == 0x0D {
          guard end + 1 < scan.end || isLast else { return }
          if unsafe end + 1 == scan.end || bytes[end + 1] != 0x0A { lineEnd = 0x0D }
        }
        if take(index..<end, flaw, of: scan, onto: &tape) { continue }
        tape.copies.truncate(to: copyCount)
      case .cut where scan.end == bytes.count:
        tape.copies.truncate(to: copyCount)
        let length = bytes.count - index
        awaitedOffset = start + bytes.count + (length > Self.shortLength ? length : 0)
        return
      case .cut:
        tape.copies.truncate(to: copyCount)
        if let searched = damage?.searchLimit {
          damage?.searchLimit = max(searched / 2, Self.searchLimits.lowerBound)
        }
        note(
          Malformation(
            rule: "element-bytes", message: "longer than \(limits.elementByteCount) bytes",
            byteOffset: start + index + limits.elementByteCount), at: start + index)
      case .flaw(let malformation):
        tape.copies.truncate(to: copyCount)
        note(malformation, at: start + index)
      }
    }
  }

  /// The most bytes of a row that is scanned again with each piece of the input.
  private static let shortLength = 1 << 12

  /// The index of the next row to scan, or the end of the bytes.
  private mutating func nextRow(_ scan: RowScan) -> Int {
    guard let searched = damage?.searchedOffset else {
      let index = scan.endOfBlankLines(from: offset - scan.offset)
      offset = scan.offset + index
      return index
    }
    let lineEnd = scan.endOfLine(from: searched - scan.offset)
    let index = scan.endOfBlankLines(from: lineEnd)
    damage?.searchedOffset = scan.offset + lineEnd
    return index
  }
  // MARK: Rows

  /// Takes the row of `fields`; returns whether the tape needs what was copied for it.
  private mutating func take(
    _ row: Range<Int>, _ flaw: Malformation?, of scan: RowScan, onto tape: inout TapeBuffers
  ) -> Bool {
    let range = scan.offset + row.lowerBound..<scan.offset + row.upperBound
    defer { isFirstLine = false }
    if isFirstLine, isSeparatorLine(scan, tape) {
      offset = range.upperBound
      return false
    }
    guard let template else {
      readHeader(at: range.lowerBound, scan, &tape)
      // The place of a failure must stay in the buffer.
      if failure == nil { offset = range.upperBound }
      return true
    }
    let count = template.columnCount
    let isWhole =
      fields.count >= count && (count..<fields.count).allSatisfy { isEmpty(fields[$0]) }
    if damage != nil {
      guard isWhole else {
        damage?.searchedOffset = range.lowerBound
        return false
      }
      endDamage(before: range.lowerBound, scan, onto: &tape)
    }
    guard isWhole else {
      offset = range.upperBound
      let message = "the row has \(fields.count) fields, but there are \(count) columns"
      markMalformed(
        range,
        Malformation(rule: "row-length", message: message, byteOffset: range.lowerBound), &tape)
      return false
    }
    if let flaw {
      offset = range.upperBound
      markMalformed(range, flaw, &tape)
      return false
    }
    if let column = template.unnamedColumns.first(where: { !isEmpty(fields[$0]) }) {
      let token = fields[column]
      failure = Failure(
        offset: token.isCopied ? range.lowerBound : scan.inputOffset(of: token),
        message:
          "column \(column + 1) has a value here, and no name in the header")
      return false
    }
    offset = range.upperBound
    let first = tape.tokens.count
    template.append(fields, namesStart: 0, to: &tape.tokens)
    mark(range, firstToken: first, &tape)
    return true
  }

  private func isEmpty(_ token: Token) -> Bool {
    token.kind == .null || token.textByteCount == 0
  }

  private func mark(_ range: Range<Int>, firstToken: Int, _ tape: inout TapeBuffers) {
    tape.marks.append(
      ElementMark(
        firstToken: firstToken, endToken: tape.tokens.count, start: range.lowerBound,
        end: range.upperBound, memberStart: range.lowerBound, name: nil, containerStart: 0,
        context: ElementContext()))
  }

  /// Marks an element without tokens.
  private mutating func markMalformed(
    _ range: Range<Int>, _ malformation: Malformation, _ tape: inout TapeBuffers
  ) {
    malformations.append(malformation)
    mark(range, firstToken: tape.tokens.count, &tape)
  }

  // MARK: The header

  /// Whether the first row is a line such as `sep=;`.
  private func isSeparatorLine(_ scan: RowScan, _ tape: borrowing TapeBuffers) -> Bool {
    let text = scan.text(of: fields[0], tape)
    let isAlone = fields.count == 1 && text.count == 5
    let isCut = fields.count == 2 && text.count == 4 && fields[1].kind == .null
    return text.starts(with: "sep=".utf8) && (isAlone || isCut)
  }

  private mutating func readHeader(
    at start: Int, _ scan: RowScan, _ tape: inout TapeBuffers
  ) {
    var names: [[UInt8]] = []
    for index in 0..<fields.count {
      let name = scan.text(of: fields[index], tape)
      if String(validating: name, as: UTF8.self) == nil {
        failure = Failure(
          code: .unsupportedEncoding, offset: start, message: "the header is not utf-8")
      } else if !name.isEmpty, names.contains(name) {
        failure = Failure(
          offset: fields[index].isCopied ? start : scan.inputOffset(of: fields[index]),
          message:
            "the header has the name \(String(decoding: name, as: UTF8.self)) twice")
      }
      names.append(name)
    }
    if names.count > limits.keysPerObject {
      failure = Failure(
        code: .limitExceeded(rule: "keys-per-object"), offset: start,
        message: "the header has more than \(limits.keysPerObject) names")
    } else if names.allSatisfy(\.isEmpty) {
      failure = Failure(offset: start, message: "the header has no names")
    }
    let template = RowTemplate(names, places: places)
    tape.copies.removeAll()
    tape.copies.append(copying: template.names.span)
    self.template = template
  }

  // MARK: Malformed rows

  /// Notes that no whole row begins at an offset.
  private mutating func note(_ malformation: Malformation, at start: Int) {
    if damage != nil {
      damage?.searchedOffset = start
    } else if template == nil {
      failure = Failure(
        offset: malformation.byteOffset,
        message: "the header cannot be read: \(malformation.message)")
    } else {
      damage = Damage(
        start: start, malformation: malformation, searchedOffset: start,
        searchLimit: min(Self.searchLimits.upperBound, limits.elementByteCount))
    }
  }

  /// Ends the malformed row, if there is one, before an offset.
  private mutating func endDamage(
    before end: Int, _ scan: RowScan, onto tape: inout TapeBuffers
  ) {
    guard let damage = damage.take() else { return }
    var last = end
    while last > damage.start + 1, unsafe RowScan.isLineEnd(scan.bytes[last - 1 - scan.offset]) {
      last -= 1
    }
    markMalformed(damage.start..<last, damage.malformation, &tape)
    offset = end
  }
}
