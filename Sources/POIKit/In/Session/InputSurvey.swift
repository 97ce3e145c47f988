package import JSONStreaming
package import POIFiles

/// Finds where the records of an input are, if no option names the place.
///
/// It keeps the bytes that it has seen, to be read from there on; none of a source that is read again.
package struct InputSurvey: ~Copyable {
  /// The most bytes that are kept.
  package static let byteLimit = 16 << 20

  /// Where the records are. For rows, their columns, or that the first one is a header.
  package typealias Place = (shape: ElementShape, hasHeader: Bool, columns: [String])

  private let inputName: String
  private var detector: ShapeDetector
  private let keepsBytes: Bool
  private var bytes = GrowableBuffer<UInt8>()

  package init(
    of inputName: String, by detector: consuming ShapeDetector, keepsBytes: Bool = true
  ) {
    self.inputName = inputName
    self.detector = detector
    self.keepsBytes = keepsBytes
  }

  package mutating func append(_ next: Span<UInt8>) {
    bytes.append(copying: next)
    detector.append(next)
  }

  /// Reads more bytes of a source.
  ///
  /// - Returns: their number; 0 at the end.
  package mutating func read<Source: ByteSource & ~Copyable>(
    from source: inout Source
  ) throws(InputError) -> Int {
    if !keepsBytes { bytes.removeAll() }
    let start = bytes.count
    let count = try bytes.appendInPlace(minimumFree: InputChunk.byteCount) {
      (output) throws(InputError) in try source.read(into: &output)
    }
    InputSurvey.feed(bytes, from: start, to: &detector)
    if count == 0 { finish() }
    return count
  }

  private static func feed(
    _ bytes: borrowing GrowableBuffer<UInt8>, from start: Int, to detector: inout ShapeDetector
  ) {
    detector.append(bytes.span.extracting(start..<bytes.count))
  }

  /// Ends the input. Then the place is known.
  package mutating func finish() { detector.finish() }

  /// The place; nil if more bytes are needed.
  ///
  /// - Throws: `StoreError` with `unreadable` if the place cannot be told.
  package func place() throws(StoreError) -> Place? {
    switch detector.outcome {
    case .sequence: return (.sequence, false, [])
    case .delimited(let delimiter): return (.delimited(by: delimiter), false, [])
    case .container(let pointer):
      return (.container(pointer), detector.beginsWithHeader, detector.columns)
    case .ambiguous(let candidates): throw .ambiguousPlace(candidates, in: inputName)
    case .columnWise: throw .columnWise(inputName)
    case nil where bytes.count > InputSurvey.byteLimit: throw .unknownPlace(in: inputName)
    case nil: return nil
    }
  }

  package consuming func keptBytes() -> GrowableBuffer<UInt8> {
    keepsBytes ? bytes : GrowableBuffer()
  }
}
