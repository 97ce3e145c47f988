internal import CPOIYajl

extension ParseState {
  /// The C functions that fill a state.
  ///
  /// Numbers arrive as lexemes: yajl's other number callbacks stop the parser at a number beyond 64
  /// bits or the range of a double.
  static var callbacks: yajl_callbacks {
    unsafe yajl_callbacks(
      yajl_null: { unsafe state($0).pointee.addLiteral(.null, length: 4) },
      yajl_boolean: { context, value in
        value != 0
          ? unsafe state(context).pointee.addLiteral(.true, length: 4)
          : unsafe state(context).pointee.addLiteral(.false, length: 5)
      },
      yajl_integer: nil,
      yajl_double: nil,
      yajl_number: { context, start, length in
        guard let start = unsafe start else { return 0 }
        let bytes = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
        return unsafe ParseState.addText(state(context), .number, bytes, length)
      },
      yajl_string: { context, start, length in
        guard let start = unsafe start else { return 0 }
        return unsafe ParseState.addText(state(context), .string, start, length)
      },
      yajl_start_map: { unsafe state($0).pointee.addStart(.startObject) },
      yajl_map_key: { context, start, length in
        guard let start = unsafe start else { return 0 }
        return unsafe ParseState.addKey(state(context), start, length)
      },
      yajl_end_map: { unsafe state($0).pointee.addEnd(.endObject) },
      yajl_start_array: { unsafe state($0).pointee.addStart(.startArray) },
      yajl_end_array: { unsafe state($0).pointee.addEnd(.endArray) })
  }
}

/// The state that is the context of a callback.
@unsafe
@inline(__always)
private func state(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ParseState> {
  unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: ParseState.self)
}
