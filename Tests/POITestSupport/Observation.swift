package import JSONStreaming

/// One event of a reader, as values.
package enum Observation: Hashable {
  case element(Element)
  case malformed(Element, Malformation, line: Int, column: Int)
  case failed(ReadingError)
  case end

  package struct Element: Hashable, CustomStringConvertible {
    /// The value, written from the tape.
    package var value: String
    package var bytes: [UInt8]
    package var index: Int
    package var byteOffset: Int
    package var name: String?
    package var holdsNUL: Bool
    package var position: ReadingPosition
    package var description: String {
      "\(index)@\(byteOffset) \(name.map { "\($0)=" } ?? "")\(value)"
        + " raw=\(String(decoding: bytes, as: UTF8.self).debugDescription) \(position)"
    }
  }
}

extension Observation {
  /// The position after the event, if it has one.
  package var position: ReadingPosition? {
    switch self {
    case .element(let element), .malformed(let element, _, _, _): element.position
    case .failed, .end: nil
    }
  }

  /// A short form: a value, a rule with the raw bytes, or an error's code.
  package var summary: String {
    switch self {
    case .element(let element):
      (element.name.map { "\($0)=" } ?? "") + element.value
    case .malformed(let element, let flaw, _, _):
      "!\(flaw.rule) \(String(decoding: element.bytes, as: UTF8.self))"
    case .failed(let error): "throws \(error.code)"
    case .end: "end"
    }
  }
}

/// Reads the whole input in chunks and returns all events.
///
/// - Parameters:
///   - chunkSizes: used in turn.
///   - usesFill: whether the input is pulled rather than pushed.
///   - isEager: whether a chunk is appended after each event, before the reader asks for one.
package func observe(
  _ input: [UInt8], _ shape: ElementShape, limits: ReadingLimits = ReadingLimits(),
  chunkSizes: [Int] = [.max], resumingAt position: ReadingPosition = .start,
  usesFill: Bool = false, isEager: Bool = false, hasHeader: Bool = false, columns: [String] = [],
  places: [[UInt8]: [String]] = [:]
) -> [Observation] {
  var reader = ElementReader(
    shape: shape, limits: limits, hasHeader: hasHeader, columns: columns, places: places,
    resumingAt: position)
  var seen: [Observation] = []
  var offset = 0
  var turn = 0
  func giveChunk(to reader: inout ElementReader) {
    let size = min(chunkSizes[turn % chunkSizes.count], input.count - offset)
    turn += 1
    if usesFill {
      offset += reader.fill { output in
        let count = min(size, output.freeCapacity)
        unsafe output.withUnsafeMutableBufferPointer { buffer, filledCount in
          let rest = unsafe UnsafeMutableRawBufferPointer(buffer)[filledCount...]
          unsafe UnsafeMutableRawBufferPointer(rebasing: rest)
            .copyBytes(from: input[offset..<(offset + count)])
          filledCount += count
        }
      }
    } else {
      reader.append(input.span.extracting(offset..<(offset + size)))
      offset += size
    }
  }
  while true {
    do throws(ReadingError) {
      switch try reader.next() {
      case .needsInput:
        guard offset < input.count else {
          reader.finish()
          continue
        }
        giveChunk(to: &reader)
      case .element:
        seen.append(.element(element(of: &reader)))
      case .malformed(let flaw):
        let location = reader.location(ofByteOffset: flaw.byteOffset)
        seen.append(
          .malformed(element(of: &reader), flaw, line: location.line, column: location.column))
      case .end:
        seen.append(.end)
        return seen
      }
    } catch {
      seen.append(.failed(error))
      return seen
    }
    if isEager, offset < input.count { giveChunk(to: &reader) }
  }
}

package func observe(
  _ input: String, _ shape: ElementShape, limits: ReadingLimits = ReadingLimits(),
  chunkSizes: [Int] = [.max]
) -> [Observation] {
  observe(Array(input.utf8), shape, limits: limits, chunkSizes: chunkSizes)
}

/// The events of reading an input, in short form.
package func summaries(
  _ input: String, _ shape: ElementShape, limits: ReadingLimits = ReadingLimits(),
  chunkSizes: [Int] = [.max]
) -> [String] {
  observe(input, shape, limits: limits, chunkSizes: chunkSizes).map(\.summary)
}

private func element(of reader: inout ElementReader) -> Observation.Element {
  var value = ""
  if let first = reader.elementTokens.first {
    let end = write(first, of: reader.tape, to: &value)
    precondition(end == reader.elementTokens.upperBound, "the element's tokens are one value")
  }
  let name = reader.memberName.map { string(reader.tape.text(of: $0)) }
  let position = reader.position
  return Observation.Element(
    value: value, bytes: array(reader.elementBytes), index: reader.elementIndex,
    byteOffset: reader.elementByteOffset,
    name: name,
    holdsNUL: reader.holdsNUL, position: position)
}

package func array(_ bytes: Span<UInt8>) -> [UInt8] {
  unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
}

private func string(_ bytes: Span<UInt8>) -> String {
  String(decoding: array(bytes), as: UTF8.self)
}

/// Writes the value at a token in compact form and returns the index of the token after it.
private func write(
  _ index: Int, of tape: Tape, to output: inout String
) -> Int {
  let token = tape[index]
  switch token.kind {
  case .null: output += "null"
  case .true: output += "true"
  case .false: output += "false"
  case .number: output += string(tape.text(of: token))
  case .string, .key: output += string(tape.text(of: token)).debugDescription
  case .startObject, .startArray:
    let isObject = token.kind == .startObject
    output += isObject ? "{" : "["
    var next = index + 1
    var count = 0
    while tape[next].kind != .endObject, tape[next].kind != .endArray {
      if count > 0 { output += "," }
      if isObject {
        precondition(tape[next].kind == .key)
        next = write(next, of: tape, to: &output)
        output += ":"
      }
      next = write(next, of: tape, to: &output)
      count += 1
    }
    precondition(token.next == next + 1, "a container knows its end")
    precondition(token.elementCount == count, "a container knows its count")
    output += isObject ? "}" : "]"
    return next + 1
  case .endObject, .endArray: preconditionFailure("no value ends before it begins")
  }
  return index + 1
}
