/// An owned, growable buffer of plain values that keeps its capacity when emptied.
///
/// The hot path appends to such buffers: the tape, the read buffer and a batch's arena. Unlike
/// `Array` it has one owner, so an append needs no retain and no uniqueness check.
@safe
@frozen
public struct GrowableBuffer<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline
  var base: UnsafeMutablePointer<Element>

  @usableFromInline
  var heldCount: Int

  @usableFromInline
  var capacity: Int

  /// Creates an empty buffer.
  ///
  /// - Parameter minimumCapacity: the number of values that fit without growing; at least one.
  public init(minimumCapacity: Int = 16) {
    capacity = max(minimumCapacity, 1)
    heldCount = 0
    unsafe base = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
  }

  deinit {
    unsafe base.deallocate()
  }
}

extension GrowableBuffer {
  /// The number of values.
  @inlinable
  public var count: Int { heldCount }

  /// Whether the buffer has no values.
  @inlinable
  public var isEmpty: Bool { heldCount == 0 }

  /// The values, for reading.
  @inlinable
  public var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      let span = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The value at `index`, which is in `0..<count`.
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }

  /// Appends one value.
  @inlinable
  public mutating func append(_ value: Element) {
    if count == capacity { grow(toHold: count + 1) }
    unsafe base[count] = value
    heldCount += 1
  }

  /// Appends one value if it fits without growing; otherwise returns false.
  @inlinable
  @inline(__always)
  public mutating func appendIfFitting(_ value: Element) -> Bool {
    guard count < capacity else { return false }
    unsafe base[count] = value
    heldCount &+= 1
    return true
  }

  /// Appends `value` `added` times.
  @inlinable
  public mutating func append(repeating value: Element, count added: Int) {
    reserve(added)
    unsafe (base + count).update(repeating: value, count: added)
    heldCount += added
  }

  /// Appends copies of `values`.
  @inlinable
  public mutating func append(copying values: Span<Element>) {
    guard !values.isEmpty else { return }
    reserve(values.count)
    let destination = unsafe base + count
    unsafe values.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      unsafe destination.update(from: start, count: source.count)
    }
    heldCount += values.count
  }

  /// Appends `count` values read from `source`.
  @unsafe
  @inlinable
  public mutating func append(from source: UnsafePointer<Element>, count added: Int) {
    reserve(added)
    unsafe (base + count).update(from: source, count: added)
    heldCount += added
  }

  /// The number of values that can be appended without growing.
  @inlinable
  public var freeCapacity: Int { capacity - count }

  /// Makes room for `additional` more values.
  @inlinable
  public mutating func reserve(_ additional: Int) {
    if capacity - count < additional { grow(toHold: count + additional) }
  }

  /// Removes all values and keeps the capacity.
  @inlinable
  public mutating func removeAll() {
    heldCount = 0
  }

  /// Removes the values from `newCount` on and keeps the capacity.
  @inlinable
  public mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    heldCount = newCount
  }

  /// Removes the first `removed` values and moves the others to the front.
  ///
  /// - Complexity: O(count - removed)
  public mutating func removeFirst(_ removed: Int) {
    precondition(removed >= 0 && removed <= count)
    unsafe base.update(from: base + removed, count: count - removed)
    heldCount -= removed
  }

  /// Lets `body` append into the free space after the values.
  ///
  /// - Parameters:
  ///   - minimumFree: the least number of values that fit into the span.
  ///   - maximumFree: the greatest number of values that fit.
  /// - Returns: the number of values appended.
  /// - Throws: the error of `body`; then nothing is appended.
  public mutating func appendInPlace<Failure: Error>(
    minimumFree: Int, maximumFree: Int = .max,
    _ body: (inout OutputSpan<Element>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    reserve(minimumFree)
    let free = unsafe UnsafeMutableBufferPointer(
      start: base + count, count: min(capacity - count, maximumFree))
    var span = unsafe OutputSpan(buffer: free, initializedCount: 0)
    try body(&span)
    let written = unsafe span.finalize(for: free)
    heldCount += written
    return written
  }

  /// Calls `body` with the values as a pointer that is valid until `body` returns.
  @inlinable
  public func withUnsafeBufferPointer<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeBufferPointer(start: base, count: count))
  }

  /// Moves the values to storage for at least `needed` values and at least twice the capacity.
  @usableFromInline
  mutating func grow(toHold needed: Int) {
    let newCapacity = max(needed, capacity * 2)
    let newBase = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    unsafe newBase.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = newBase
    capacity = newCapacity
  }
}

extension GrowableBuffer where Element == UInt8 {
  /// Whether the bytes from `start` on begin with `bytes`; for short names.
  @inlinable
  @inline(__always)
  public func hasBytes(_ bytes: Span<UInt8>, at start: Int) -> Bool {
    precondition(start >= 0 && start <= heldCount &- bytes.count)
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return true }
      return unsafe areEqual(first, UnsafeRawPointer(base + start), count: bytes.count)
    }
  }

  /// Appends copies of all bytes; for short texts, for which calling `memmove` costs more.
  @inlinable
  @inline(__always)
  public mutating func append(bytes: Span<UInt8>) {
    let added = bytes.count
    reserve(added)
    unsafe bytes.withUnsafeBytes { source in
      guard let source = source.baseAddress else { return }
      let target = unsafe UnsafeMutableRawPointer(base + heldCount)
      // Two words cover the text and overlap if they do not fit side by side.
      switch added {
      case 8...16:
        let (first, last) = unsafe (
          source.loadUnaligned(as: UInt64.self),
          source.loadUnaligned(fromByteOffset: added - 8, as: UInt64.self)
        )
        unsafe target.storeBytes(of: first, as: UInt64.self)
        unsafe target.storeBytes(of: last, toByteOffset: added - 8, as: UInt64.self)
      case 4..<8:
        let (first, last) = unsafe (
          source.loadUnaligned(as: UInt32.self),
          source.loadUnaligned(fromByteOffset: added - 4, as: UInt32.self)
        )
        unsafe target.storeBytes(of: first, as: UInt32.self)
        unsafe target.storeBytes(of: last, toByteOffset: added - 4, as: UInt32.self)
      default:
        unsafe target.copyMemory(from: source, byteCount: added)
      }
    }
    heldCount += added
  }
}
