extension OutputSpan<UInt8> {
  /// Appends copies of `bytes`, which must fit.
  package mutating func append(copying bytes: ArraySlice<UInt8>) {
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      let free = buffer.extracting(count..<(count + bytes.count))
      count += unsafe free.initialize(fromContentsOf: bytes)
    }
  }
}
