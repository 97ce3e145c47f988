internal import CYajl

/// Says what is wrong with bytes that are not JSON.
struct SyntaxProbe {
  /// yajl's words for it.
  let text: String

  /// The length of the shortest beginning of the bytes that cannot be the beginning of JSON.
  ///
  /// yajl's own count depends on the kind of error and on how the bytes were cut.
  let seenByteCount: Int

  /// Parses `bytes` behind `prime`; nil if nothing is wrong with them.
  ///
  /// - Complexity: O(n) in the number of bytes, a few times over.
  init?(behind prime: [UInt8], of bytes: Span<UInt8>) {
    guard let failure = Self.failure(behind: prime, of: bytes) else { return nil }
    text = failure.text
    // The shortest beginning that fails ends near where yajl says: widen around it, then halve.
    var step = 2
    var passing = max(0, min(failure.byteIndex, bytes.count))
    while passing > 0, Self.failure(behind: prime, of: bytes.extracting(0..<passing)) != nil {
      passing = max(0, passing - step)
      step *= 2
    }
    step = 2
    var failing = min(passing + 1, bytes.count)
    while failing < bytes.count,
      Self.failure(behind: prime, of: bytes.extracting(0..<failing)) == nil
    {
      passing = failing
      failing = min(bytes.count, failing + step)
      step *= 2
    }
    while failing - passing > 1 {
      let middle = (passing + failing) / 2
      if Self.failure(behind: prime, of: bytes.extracting(0..<middle)) == nil {
        passing = middle
      } else {
        failing = middle
      }
    }
    seenByteCount = failing
  }

  private static func failure(behind prime: [UInt8], of bytes: Span<UInt8>) -> YajlFailure? {
    let handle = unsafe yajl_alloc(nil, nil, nil)
    defer { unsafe yajl_free(handle) }
    _ = unsafe cyajl_allow_multiple_values(handle)
    _ = unsafe cyajl_do_not_validate_strings(handle)
    unsafe prime.withUnsafeBufferPointer {
      _ = unsafe yajl_parse(handle, $0.baseAddress, $0.count)
    }
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe yajl_parse(handle, $0.baseAddress, $0.count)
    }
    return status == yajl_status_error ? unsafe YajlFailure(of: handle) : nil
  }
}
