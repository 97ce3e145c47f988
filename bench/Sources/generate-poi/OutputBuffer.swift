internal import Glibc

/// A buffer in front of a file descriptor, written whenever it has a fixed size.
struct OutputBuffer: ~Copyable {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  private static let flushSize = 1 << 20

  /// A buffer in front of `descriptor`, which it does not close.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    bytes.reserveCapacity(Self.flushSize + (1 << 16))
  }

  mutating func append(_ text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: [UInt8]) {
    bytes.append(contentsOf: text)
  }

  mutating func append(byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends the non-negative `number` in decimal, padded with zeros to `width` digits.
  mutating func append(_ number: Int, width: Int = 1) {
    var digits: InlineArray<20, UInt8> = .init(repeating: 0x30)
    var rest = number
    var first = digits.count
    repeat {
      first -= 1
      digits[first] = 0x30 + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    for index in min(first, digits.count - width)..<digits.count { bytes.append(digits[index]) }
  }

  mutating func flushIfFull() throws(WriteError) {
    if bytes.count >= Self.flushSize { try flush() }
  }

  mutating func flush() throws(WriteError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        throw WriteError(number: errno)
      }
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

struct WriteError: Error {
  let number: Int32
}
