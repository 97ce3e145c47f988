/// Finds bytes that are not UTF-8 (Unicode 17, table 3-7), which neither yajl nor `ElementScan` does.
enum StrictText {
  /// The index of the first byte that does not begin a UTF-8 sequence; nil if there is none.
  ///
  /// - Parameter isCut: whether a sequence that the end cuts off is no flaw.
  /// - Complexity: O(n) in the number of bytes; blocks of ASCII are passed many bytes at a time.
  static func flaw(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool = false) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let raw = unsafe UnsafeRawPointer(base)
    let count = bytes.count
    var index = 0
    while true {
      while count &- index >= 64, unsafe isASCII(raw + index) { index &+= 64 }
      while count &- index >= 8 {
        let high = unsafe ByteLanes(raw, at: index).word & ByteLanes(repeating: 0x80).word
        guard high == 0 else {
          index &+= high.trailingZeroBitCount / 8
          break
        }
        index &+= 8
      }
      while index < count, unsafe base[index] < 0x80 { index &+= 1 }
      guard index < count else { return nil }
      let length = unsafe sequenceLength(base[index])
      guard length > 0 else { return index }
      guard count &- index >= length else { return isCut ? nil : index }
      guard unsafe isSequence(base + index, length) else { return index }
      index &+= length
    }
  }

  @unsafe
  @inline(__always)
  private static func isASCII(_ bytes: UnsafeRawPointer) -> Bool {
    var lanes = SIMD2<UInt64>.zero
    for number in 0..<4 {
      lanes |= unsafe bytes.loadUnaligned(fromByteOffset: 16 &* number, as: SIMD2<UInt64>.self)
    }
    return (lanes[0] | lanes[1]) & ByteLanes(repeating: 0x80).word == 0
  }

  /// How many bytes a sequence has that begins with `first`; 0 if none does.
  @inline(__always)
  private static func sequenceLength(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  /// Whether the bytes behind the first one continue its sequence of so many bytes.
  @unsafe
  @inline(__always)
  private static func isSequence(_ start: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    let (first, second) = unsafe (start[0], start[1])
    func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
    guard continues(second) else { return false }
    switch length {
    case 2: return true
    case 3:
      // Neither overlong nor a surrogate.
      return unsafe continues(start[2]) && (first != 0xE0 || second >= 0xA0)
        && (first != 0xED || second < 0xA0)
    default:
      // Neither overlong nor beyond the last code point.
      return unsafe continues(start[2]) && continues(start[3])
        && (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90)
    }
  }
}
