/// A 64-bit hash of a stream of bytes, the same on every machine and in every run.
///
/// It detects that an input has changed. It does not resist deliberate collisions.
///
/// The algorithm is XXH64 with seed 0 (xxHash specification, version 0.1.1).
public struct StreamHash: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The four accumulators of complete 32-byte stripes.
  private var lanes: SIMD4<UInt64>

  /// The last, incomplete stripe; its first `byteCount % 32` bytes are used.
  private var stripe = InlineArray<32, UInt8>(repeating: 0)

  /// The number of bytes hashed.
  public private(set) var byteCount = 0

  /// The hash of no bytes.
  public init() {
    lanes = SIMD4(Self.prime1 &+ Self.prime2, Self.prime2, 0, 0 &- Self.prime1)
  }

  /// Hashes the next bytes of the stream.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func update(_ bytes: Span<UInt8>) {
    var offset = 0
    let held = byteCount & 31
    byteCount += bytes.count
    if held > 0 {
      let taken = min(32 - held, bytes.count)
      for index in 0..<taken { stripe[held + index] = bytes[index] }
      guard held + taken == 32 else { return }
      let full = stripe
      _ = absorb(full.span, from: 0)
      offset = taken
    }
    offset = absorb(bytes, from: offset)
    for index in offset..<bytes.count { stripe[index - offset] = bytes[index] }
  }

  /// The hash of all bytes so far; more can follow.
  public var value: UInt64 {
    var hash: UInt64
    if byteCount >= 32 {
      hash =
        Self.rotated(lanes[0], 1) &+ Self.rotated(lanes[1], 7)
        &+ Self.rotated(lanes[2], 12) &+ Self.rotated(lanes[3], 18)
      for index in 0..<4 {
        hash = (hash ^ Self.round(0, lanes[index])) &* Self.prime1 &+ Self.prime4
      }
    } else {
      hash = Self.prime5
    }
    hash &+= UInt64(byteCount)

    let rest = stripe.span.extracting(0..<(byteCount & 31))
    var offset = 0
    while rest.count - offset >= 8 {
      let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(rest[offset + $1]) << UInt64(8 * $1) }
      hash ^= Self.round(0, word)
      hash = Self.rotated(hash, 27) &* Self.prime1 &+ Self.prime4
      offset += 8
    }
    if rest.count - offset >= 4 {
      let half = (0..<4).reduce(UInt64(0)) { $0 | UInt64(rest[offset + $1]) << UInt64(8 * $1) }
      hash ^= half &* Self.prime1
      hash = Self.rotated(hash, 23) &* Self.prime2 &+ Self.prime3
      offset += 4
    }
    while offset < rest.count {
      hash ^= UInt64(rest[offset]) &* Self.prime5
      hash = Self.rotated(hash, 11) &* Self.prime1
      offset += 1
    }
    hash = (hash ^ (hash >> 33)) &* Self.prime2
    hash = (hash ^ (hash >> 29)) &* Self.prime3
    return hash ^ (hash >> 32)
  }

  /// Mixes the complete stripes from `offset` on into the lanes and returns the offset after them.
  private mutating func absorb(_ bytes: Span<UInt8>, from offset: Int) -> Int {
    unsafe bytes.withUnsafeBytes { raw in
      var offset = offset
      // Local variables keep the lanes in registers.
      var (first, second, third, fourth) = (lanes[0], lanes[1], lanes[2], lanes[3])
      while raw.count - offset >= 32 {
        first = Self.round(first, unsafe Self.word(raw, at: offset))
        second = Self.round(second, unsafe Self.word(raw, at: offset + 8))
        third = Self.round(third, unsafe Self.word(raw, at: offset + 16))
        fourth = Self.round(fourth, unsafe Self.word(raw, at: offset + 24))
        offset += 32
      }
      lanes = SIMD4(first, second, third, fourth)
      return offset
    }
  }

  /// The little-endian word of the 8 bytes at `offset`.
  @unsafe
  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word << bits | word >> (64 - bits)
  }
}
