/// The part of the input that is held in memory, and what has to be known of the part before it.
///
/// Bytes come in at the end and leave at the front; as they leave they are hashed and their lines
/// are counted.
@safe
struct ReadBuffer: ~Copyable {
  /// The bytes held, behind some that have left and whose room has not been used again.
  private(set) var bytes: GrowableBuffer<UInt8>

  /// The offset in the input of the first of `bytes`.
  private(set) var storageOffset = 0

  /// The offset in the input of the first byte held.
  private(set) var startOffset = 0

  /// The hash of the input before some offset, which is not before `startOffset` and never goes
  /// back; nothing where no hash is wanted.
  private var hash: StreamHash?

  /// The lines of the bytes that have left.
  private var lines = LineCounter()

  /// The lines before the offset that was last asked for, if that is not before `startOffset`.
  private var askedLines = LineCounter()

  /// - Parameter hashes: whether `hash(before:)` will be asked.
  init(hashes: Bool) {
    bytes = GrowableBuffer(minimumCapacity: 3 * Self.pieceSize)
    if hashes { hash = StreamHash() }
  }

  /// How many bytes are parsed at a time.
  static let pieceSize = 1 << 18

  /// How many bytes are parsed at first behind a malformed element; then each piece has four times
  /// as many as the one before, up to `pieceSize`.
  static let firstPieceSize = 1 << 10

  /// How many bytes are read at most at a time.
  static let readSize = 2 * pieceSize

  /// The offset in the input after the last byte held.
  var endOffset: Int { storageOffset + bytes.count }

  /// Whether so many bytes can be appended while those that are held stay where they are.
  func hasRoom(for count: Int) -> Bool { bytes.freeCapacity >= count }

  /// Moves the bytes held to the front, or elsewhere, if there is no room for so many more.
  mutating func makeRoom(for count: Int) {
    guard !hasRoom(for: count) else { return }
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
    // The first elements do not wait for a second piece.
    let size = endOffset < Self.pieceSize ? Self.pieceSize : Self.readSize
    return try bytes.appendInPlace(minimumFree: size, maximumFree: size, body)
  }

  /// The bytes of a range of the input, all of which are held.
  @_lifetime(borrow self)
  func span(_ range: Range<Int>) -> Span<UInt8> {
    let span = bytes.span.extracting(
      (range.lowerBound - storageOffset)..<(range.upperBound - storageOffset))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// The byte at an offset of the input, which is held.
  subscript(offset: Int) -> UInt8 { bytes[offset - storageOffset] }

  /// All bytes held; the first is at `startOffset`.
  var held: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let span = span(startOffset..<endOffset)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Lets all bytes before `offset`, which are held, leave.
  ///
  /// - Complexity: O(n) in the number of bytes that leave.
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

  /// The hash of all bytes of the input before `offset`, which is neither before the bytes held nor
  /// before an offset that was asked for earlier; 0 where no hash is wanted.
  ///
  /// - Complexity: O(n) in the number of bytes since the offset that was asked for last.
  mutating func hash(before offset: Int) -> UInt64 {
    advanceHash(to: offset)
    return hash?.value ?? 0
  }

  /// The 0-based line of `offset` and the bytes between the start of that line and it.
  ///
  /// An offset before the bytes held counts as the first of them.
  ///
  /// - Complexity: O(n) in the number of bytes since the offset that was asked for last, or, for one
  ///   before that, in the bytes held before `offset`.
  mutating func location(ofByteOffset offset: Int) -> (line: Int, column: Int) {
    let offset = max(startOffset, min(offset, endOffset))
    let isAskedBefore = askedLines.byteCount >= startOffset && askedLines.byteCount <= offset
    askedLines = counted(from: isAskedBefore ? askedLines : lines, to: offset)
    return (askedLines.lineCount, offset - askedLines.lineStart)
  }
}
