/// Writes fields of canonical content without bounds checks; the caller reserves `fieldByteLimit` for each.
@unsafe
struct CanonicalFieldWriter {
  private(set) var end: UnsafeMutableRawPointer

  init(at start: UnsafeMutableRawPointer) {
    unsafe end = start
  }

  /// The most bytes of a field, not counting its text or blob: 8 name, 1 type, 8 value.
  static let fieldByteLimit = 17

  @inline(__always)
  mutating func append(integer: Int64, nameTag: UInt64) {
    unsafe appendNumber(UInt64(bitPattern: integer), type: UInt8(ascii: "i"), nameTag: nameTag)
  }

  @inline(__always)
  mutating func append(real: Double, nameTag: UInt64) {
    if real >= -0x1p63, real < 0x1p63, Double(Int64(real)) == real {
      unsafe append(integer: Int64(real), nameTag: nameTag)
    } else if !real.isNaN {
      unsafe appendNumber(real.bitPattern, type: UInt8(ascii: "r"), nameTag: nameTag)
    }
  }

  @inline(__always)
  mutating func append(bytes: UnsafeRawBufferPointer, type: UInt8, nameTag: UInt64) {
    unsafe appendHead(nameTag, type: type, count: UInt32(truncatingIfNeeded: bytes.count))
    guard let start = bytes.baseAddress else { return }
    unsafe CanonicalFieldWriter.copy(start, to: end, count: bytes.count)
    unsafe end += bytes.count
  }

  @inline(__always)
  mutating func beginRelated(nameTag: UInt64) -> UnsafeMutableRawPointer {
    unsafe appendHead(nameTag, type: UInt8(ascii: "o"), count: 0)
    return unsafe end
  }

  /// Writes the byte count of the related row whose content began at `start`.
  @inline(__always)
  func endRelated(at start: UnsafeMutableRawPointer) {
    let count = unsafe UInt32(end - start)
    unsafe (start - 4).storeBytes(of: count.littleEndian, as: UInt32.self)
  }

  @inline(__always)
  private mutating func appendNumber(_ word: UInt64, type: UInt8, nameTag: UInt64) {
    unsafe end.storeBytes(of: nameTag.littleEndian, as: UInt64.self)
    unsafe end.storeBytes(of: type, toByteOffset: 8, as: UInt8.self)
    unsafe end.storeBytes(of: word.littleEndian, toByteOffset: 9, as: UInt64.self)
    unsafe end += 17
  }

  /// Appends name, type and count. The store writes three bytes too many; the next field overwrites them, and
  /// they lie within the limit and behind `end`.
  @inline(__always)
  private mutating func appendHead(_ nameTag: UInt64, type: UInt8, count: UInt32) {
    unsafe end.storeBytes(of: nameTag.littleEndian, as: UInt64.self)
    let word = UInt64(type) | UInt64(count) << 8
    unsafe end.storeBytes(of: word.littleEndian, toByteOffset: 8, as: UInt64.self)
    unsafe end += 13
  }

  /// Copies in overlapping pieces of up to 16 bytes: most texts are too short for a call of `memcpy`.
  @inline(__always)
  private static func copy(
    _ source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, count: Int
  ) {
    switch count {
    case 16...128:
      var offset = 0
      while offset < count - 16 {
        unsafe copy(SIMD2<UInt64>.self, source, to: destination, at: offset)
        offset &+= 16
      }
      unsafe copy(SIMD2<UInt64>.self, source, to: destination, at: count - 16)
    case 8..<16:
      unsafe copy(UInt64.self, source, to: destination, at: 0)
      unsafe copy(UInt64.self, source, to: destination, at: count - 8)
    case 4..<8:
      unsafe copy(UInt32.self, source, to: destination, at: 0)
      unsafe copy(UInt32.self, source, to: destination, at: count - 4)
    case 1..<4:
      unsafe copy(UInt8.self, source, to: destination, at: 0)
      unsafe copy(UInt8.self, source, to: destination, at: count / 2)
      unsafe copy(UInt8.self, source, to: destination, at: count - 1)
    default:
      unsafe destination.copyMemory(from: source, byteCount: count)
    }
  }

  @inline(__always)
  private static func copy<Word: BitwiseCopyable>(
    _ type: Word.Type, _ source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer,
    at offset: Int
  ) {
    unsafe destination.storeBytes(
      of: source.loadUnaligned(fromByteOffset: offset, as: Word.self), toByteOffset: offset,
      as: Word.self)
  }
}
