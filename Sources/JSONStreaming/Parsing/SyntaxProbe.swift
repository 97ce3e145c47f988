internal import CPOIYajl

/// A diagnosis of bytes that are not JSON.
struct SyntaxProbe {
  /// yajl's message.
  let text: String

  /// The length of the shortest invalid prefix; yajl's count depends on the error and on the
  /// chunks.
  let seenByteCount: Int

  /// The unexpected token if it is a number or a word; otherwise the last byte of that prefix.
  let flaw: Range<Int>

  /// Parses `bytes` after `prime`, a few times; nil if they are valid.
  init?(after prime: [UInt8], of bytes: Span<UInt8>) {
    guard let failure = Self.failure(after: prime, of: bytes) else { return nil }
    text = failure.text
    // The prefix ends near yajl's position: step away from it, then bisect.
    var (passing, failing) = (0, bytes.count)
    var (next, step) = (min(max(1, failure.byteIndex), bytes.count - 1), 1)
    while failing - passing > 1 {
      let middle = passing < next && next < failing ? next : (passing + failing) / 2
      let fails = Self.failure(after: prime, of: bytes.extracting(0..<middle)) != nil
      if fails { failing = middle } else { passing = middle }
      next = fails ? middle - step : middle + step
      step *= 2
    }
    seenByteCount = failing
    var end = failing
    if failure.isUnexpectedToken, failing > 1, Self.isWord(bytes[failing - 2]),
      !Self.isWord(bytes[failing - 1])
    {
      // If the number is not allowed here, it also fails before a space.
      var text = (0..<(failing - 1)).map { bytes[$0] }
      text.append(0x20)
      if Self.failure(after: prime, of: text.span) != nil { end = failing - 1 }
    }
    var start = end - 1
    if failure.isUnexpectedToken {
      while start > 0, Self.isWord(bytes[start]), Self.isWord(bytes[start - 1]) { start -= 1 }
    }
    flaw = start..<end
  }

  /// Whether a byte can be part of a number or a word.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."):
      true
    default: byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
  }

  /// yajl's failure on `bytes` after `prime`; nil if they are valid.
  private static func failure(after prime: [UInt8], of bytes: Span<UInt8>) -> YajlFailure? {
    let handle = unsafe cyajl_alloc(nil, nil)
    defer { unsafe yajl_free(handle) }
    var parsedByteCount = 0
    func parse(_ bytes: Span<UInt8>) -> cyajl_status {
      unsafe bytes.withUnsafeBufferPointer {
        unsafe cyajl_parse(handle, &parsedByteCount, $0.baseAddress, $0.count)
      }
    }
    _ = parse(prime.span)
    return parse(bytes) == cyajl_failed ? unsafe YajlFailure(of: handle, parsedByteCount) : nil
  }
}
