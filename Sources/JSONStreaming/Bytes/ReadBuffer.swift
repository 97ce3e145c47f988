/// The part of the input that is in memory, and the hash and line count of the part before it.
///
/// Bytes are appended at the end and discarded at the front. Discarded bytes are hashed and their
/// lines counted.
@safe
struct ReadBuffer: ~Copyable {
  /// The bytes held, preceded by discarded bytes whose space has not been reclaimed.
  private(set) var bytes: GrowableBuffer<UInt8>

  /// The input offset of the first of `bytes`.
  private(set) var storageOffset = 0

  /// The input offset of the first byte held.
  private(set) var startOffset = 0

  /// Whether the input ends after the bytes held.
  var isComplete = false

  /// The hash of the input before an offset that only grows; nil if no hash is wanted.
  private var hash: StreamHash?

  /// The lines of the discarded bytes.
  private var lines = LineCounter()

  /// The lines before the offset of the last `location` call, if that is not before `startOffset`.
  private var askedLines = LineCounter()

  /// The byte that ends lines; changed before bytes are discarded.
  var lineEnd: UInt8 {
    get { lines.lineEnd }
    set {
      guard newValue != lineEnd else { return }
      lines.lineEnd = newValue
      askedLines = lines
    }
  }

  /// - Parameter hashes: whether `hash(before:)` will be called.
  init(hashes: Bool) {
    bytes = GrowableBuffer(minimumCapacity: 3 * Self.pieceSize)
    if hashes { hash = StreamHash() }
  }

  /// The most bytes in one parsed piece.
  static let pieceSize = 1 << 18

  /// The first piece size after a malformed element; each next piece is four times as large.
  static let firstPieceSize = 1 << 10

  static let readSize = 2 * pieceSize

  /// The input offset after the last byte held.
  var endOffset: Int { storageOffset + bytes.count }

  /// Makes room for `count` more bytes; if there is too little, the bytes held move.
  mutating func makeRoom(for count: Int) {
    guard bytes.freeCapacity < count else { return }
    bytes.removeFirst(startOffset - storageOffset)
    storageOffset = startOffset
    bytes.reserve(count)
  }

  mutating func append(_ added: Span<UInt8>) {
    makeRoom(for: added.count)
    bytes.append(copying: added)
  }

  mutating func fill<Failure: Error>(
    _ body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    makeRoom(for: Self.readSize)
    // The first elements are parsed before a second piece arrives.
    let size = endOffset < Self.pieceSize ? Self.pieceSize : Self.readSize
    return try bytes.appendInPlace(minimumFree: size, maximumFree: size, body)
  }

  /// The bytes of an input range, all of which must be held.
  @_lifetime(borrow self)
  func span(_ range: Range<Int>) -> Span<UInt8> {
    let span = bytes.span.extracting(
      (range.lowerBound - storageOffset)..<(range.upperBound - storageOffset))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// The byte at an input offset, which must be held.
  subscript(offset: Int) -> UInt8 { bytes[offset - storageOffset] }

  /// All bytes held; the first is at `startOffset`.
  var held: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let span = span(startOffset..<endOffset)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Discards the bytes before `offset`, all of which must be held.
  mutating func discard(before offset: Int) {
    guard offset > startOffset else { return }
    if let hash, hash.byteCount < offset { advanceHash(to: offset) }
    let isAskedNearer = askedLines.byteCount > lines.byteCount && askedLines.byteCount <= offset
    lines = counted(from: isAskedNearer ? askedLines : lines, to: offset)
    startOffset = offset
  }

  private func counted(from lines: LineCounter, to offset: Int) -> LineCounter {
    var lines = lines
    lines.update(span(lines.byteCount..<offset))
    return lines
  }

  private mutating func advanceHash(to offset: Int) {
    guard var hash else { return }
    hash.update(span(hash.byteCount..<offset))
    self.hash = hash
  }

  /// The hash of the input before `offset`, which must not decrease; 0 if no hash is wanted.
  mutating func hash(before offset: Int) -> UInt64 {
    advanceHash(to: offset)
    return hash?.value ?? 0
  }

  /// The 0-based line of `offset` and its byte column; offsets before the bytes held count as the
  /// first.
  ///
  /// - Complexity: O(n) in the bytes since the last call's offset; if `offset` is smaller, in the
  ///   bytes held before it.
  mutating func location(ofByteOffset offset: Int) -> (line: Int, column: Int) {
    let offset = max(startOffset, min(offset, endOffset))
    let isAskedBefore = askedLines.byteCount >= startOffset && askedLines.byteCount <= offset
    askedLines = counted(from: isAskedBefore ? askedLines : lines, to: offset)
    return (askedLines.lineCount, offset - askedLines.lineStart)
  }
}
