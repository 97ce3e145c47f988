internal import CYajl

extension Envelope {
  /// The C functions that yajl calls.
  ///
  /// Numbers come as their lexemes: with the other number callbacks a number beyond 64 bits or
  /// beyond a double would stop the parser.
  nonisolated(unsafe) static let callbacks: UnsafePointer<yajl_callbacks> = {
    let table = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    unsafe table.initialize(
      to: yajl_callbacks(
        yajl_null: { unsafe envelope($0).readScalar(nil) },
        yajl_boolean: { context, value in
          let word: StaticString = value != 0 ? "true" : "false"
          return unsafe envelope(context).readScalar(
            UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { context, start, length in
          let start = unsafe UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self)
          return unsafe envelope(context).readScalar(
            UnsafeBufferPointer(start: start, count: length))
        },
        yajl_string: { context, start, length in
          unsafe envelope(context).readScalar(UnsafeBufferPointer(start: start, count: length))
        },
        yajl_start_map: { unsafe envelope($0).readStart(.startObject) },
        yajl_map_key: { context, start, length in
          unsafe envelope(context).readName(UnsafeBufferPointer(start: start, count: length))
        },
        yajl_end_map: { unsafe envelope($0).readEnd() },
        yajl_start_array: { unsafe envelope($0).readStart(.startArray) },
        yajl_end_array: { unsafe envelope($0).readEnd() }))
    return unsafe UnsafePointer(table)
  }()
}

/// The envelope that yajl hands back to a callback.
@unsafe
private func envelope(_ context: UnsafeMutableRawPointer?) -> Envelope {
  unsafe Unmanaged<Envelope>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
}
