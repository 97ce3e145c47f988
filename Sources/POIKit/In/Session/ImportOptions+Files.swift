internal import JSONStreaming
internal import POIFiles
internal import POIRecords

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
    var arrayMember: String?
    var pages: [[JSONValue.Member]] = []
    for path in paths {
      guard let file = Self.lonelyObject(inFile: path) else { return [] }
      let names = first ?? file.names
      first = names
      guard
        pointer == nil
          ? names.intersection(file.names).count * 2 >= names.union(file.names).count
          : !file.holdsOnlyObjects
      else { return [] }
      if let members = file.smallObject, file.arrayMember == nil {
        pages.append(members)
      } else {
        haveOneArray = haveOneArray && file.arrayMember != nil
      }
      arrayMember = arrayMember ?? file.arrayMember
      leftOut.formUnion(file.names.subtracting([file.arrayMember ?? ""]))
    }
    // The last page of an answer has the same array without elements.
    let arePages = pages.allSatisfy { page in
      arrayMember.flatMap { page[$0]?.elements?.isEmpty } ?? false
    }
    leftOut.remove(arrayMember ?? "")
    if pointer == nil, haveOneArray, arePages {
      if !pages.isEmpty { pointer = arrayMember.map(JSONPointer.step) }
      return leftOut.sorted().map(JSONPointer.step)
    }
    (areInputsRecords, pointer) = (true, nil)
    return []
  }

  /// The object that is all of a file: the names of its members, the one that leads to its only array of objects,
  /// and its members if it is small. nil for other files, larger ones, and those that cannot be read.
  private static func lonelyObject(inFile path: String) -> (
    names: Set<String>, arrayMember: String?, holdsOnlyObjects: Bool,
    smallObject: [JSONValue.Member]?
  )? {
    var beginning: String?
    guard var source = try? FileSource(path: path) else { return nil }
    var detector = ShapeDetector()
    var piece = GrowableBuffer<UInt8>()
    while detector.outcome == nil, source.consumedByteCount <= InputSurvey.byteLimit {
      piece.removeAll()
      let count = try? piece.appendInPlace(minimumFree: InputChunk.byteCount) {
        (output) throws(InputError) in try source.read(into: &output)
      }
      guard let count else { return nil }
      if beginning == nil { beginning = String(copying: piece.span) }
      if count == 0 { detector.finish() } else { detector.append(piece.span) }
    }
    guard detector.isOneObject else { return nil }
    var arrayMember: String?
    switch detector.outcome {
    case .container(let pointer): arrayMember = pointer.tokens.first
    case .columnWise, nil: return nil
    case .ambiguous, .sequence, .delimited: break
    }
    // A page without records has a few members.
    let isSmall = source.consumedByteCount <= 1 << 16
    let object =
      isSmall ? beginning.flatMap { try? JSONValue(parsing: Array($0.utf8).span) }?.members : nil
    return (detector.memberNames, arrayMember, detector.holdsOnlyObjects, object)
  }
}
