internal import POIPlatform

/// What `StrictText` finds in the input, kept until the elements are delivered.
struct TextFindings: ~Copyable {
  /// Whether the input is JSON: a backslash begins an escape, and U+0000 is written as one.
  private let isJSON: Bool
  private var text: StrictText
  private var flaws = GrowableBuffer<TextFlaw>()
  private var nulOffsets = GrowableBuffer<Int>()
  private var takenFlawCount = 0
  private var takenNULCount = 0

  init(isJSON: Bool = true) {
    self.isJSON = isJSON
    text = StrictText(hasEscapes: isJSON)
  }

  mutating func inspect(_ bytes: Span<UInt8>, at offset: Int) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe text.inspect(bytes, byteOffset: offset, flaws: &flaws, nuls: &nulOffsets)
      if !isJSON { unsafe noteNULs(in: bytes, at: offset) }
    }
  }

  private mutating func noteNULs(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
    guard let first = bytes.baseAddress else { return }
    var index = 0
    while index < bytes.count,
      let found = unsafe memchr(first + index, 0, bytes.count - index)
    {
      index = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(first)
      nulOffsets.append(offset + index)
      index += 1
    }
  }

  /// Ends the input at an offset.
  mutating func finish(at offset: Int) { text.finish(byteOffset: offset, flaws: &flaws) }

  /// The first and the last flaw that have not been taken.
  var first: TextFlaw? { takenFlawCount < flaws.count ? flaws[takenFlawCount] : nil }
  var last: TextFlaw? { takenFlawCount < flaws.count ? flaws[flaws.count - 1] : nil }

  mutating func takeFlaw(before end: Int) -> TextFlaw? {
    guard let flaw = first, flaw.byteOffset < end else { return nil }
    takenFlawCount += 1
    return flaw
  }

  /// Takes the NULs before the end of a range; returns whether one of them is in it.
  mutating func takeNULs(in range: Range<Int>) -> Bool {
    var isFound = false
    while takenNULCount < nulOffsets.count, nulOffsets[takenNULCount] < range.upperBound {
      if nulOffsets[takenNULCount] >= range.lowerBound { isFound = true }
      takenNULCount += 1
    }
    return isFound
  }

  mutating func removeTaken() {
    flaws.removeFirst(takenFlawCount)
    nulOffsets.removeFirst(takenNULCount)
    (takenFlawCount, takenNULCount) = (0, 0)
  }

  /// Keeps one finding of each kind after the last complete element.
  mutating func prune(after end: Int) {
    while flaws.count - takenFlawCount >= 2, flaws[flaws.count - 2].byteOffset >= end {
      flaws.truncate(to: flaws.count - 1)
    }
    while nulOffsets.count - takenNULCount >= 2, nulOffsets[nulOffsets.count - 2] >= end {
      nulOffsets[nulOffsets.count - 2] = nulOffsets[nulOffsets.count - 1]
      nulOffsets.truncate(to: nulOffsets.count - 1)
    }
  }

  mutating func removeAll() {
    text = StrictText(hasEscapes: isJSON)
    flaws.removeAll()
    nulOffsets.removeAll()
    (takenFlawCount, takenNULCount) = (0, 0)
  }
}
