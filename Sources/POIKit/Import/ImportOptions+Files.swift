internal import JSONStreaming
internal import POIInputs

extension ImportOptions {
  /// Sets that each input is a record if each is a file with one object, and either
  ///
  /// - no pointer is given, there are several files with mostly the same members, and not each of them has
  ///   exactly one array of objects, or
  /// - the pointer is empty, and each of them has a member that is not an object.
  ///
  /// - Returns: pointers to the members that are left out because each of several files has exactly one array
  ///   of objects.
  package mutating func chooseInputsAsRecords(ofFiles paths: [String]) -> [String] {
    guard !hasHeader, pointer == nil && paths.count > 1 || pointer?.isEmpty == true else {
      return []
    }
    var first: Set<String>?
    var leftOut: Set<String> = []
    var haveOneArray = true
    for path in paths {
      guard let file = Self.lonelyObject(inFile: path) else { return [] }
      let names = first ?? file.names
      first = names
      guard
        pointer == nil
          ? names.intersection(file.names).count * 2 >= names.union(file.names).count
          : !file.holdsOnlyObjects
      else { return [] }
      haveOneArray = haveOneArray && file.arrayMember != nil
      leftOut.formUnion(file.names.subtracting([file.arrayMember ?? ""]))
    }
    if pointer == nil, haveOneArray { return leftOut.sorted().map(JSONPointer.step) }
    (areInputsRecords, pointer) = (true, nil)
    return []
  }

  /// The object that is all of a file: the names of its members, and the one that leads to its only array of
  /// objects. nil for other files, larger ones, and those that cannot be read.
  private static func lonelyObject(
    inFile path: String
  ) -> (names: Set<String>, arrayMember: String?, holdsOnlyObjects: Bool)? {
    guard var source = try? FileSource(path: path) else { return nil }
    var detector = ShapeDetector()
    var piece = GrowableBuffer<UInt8>()
    while detector.outcome == nil, source.consumedByteCount <= ImportSession.surveyLimit {
      piece.removeAll()
      let count = try? piece.appendInPlace(minimumFree: InputChunk.byteCount) {
        (output) throws(InputError) in try source.read(into: &output)
      }
      guard let count else { return nil }
      if count == 0 { detector.finish() } else { detector.append(piece.span) }
    }
    guard detector.isOneObject else { return nil }
    var arrayMember: String?
    switch detector.outcome {
    case .container(let pointer): arrayMember = pointer.tokens.first
    case .columnWise, nil: return nil
    case .ambiguous, .sequence: break
    }
    return (detector.memberNames, arrayMember, detector.holdsOnlyObjects)
  }
}
