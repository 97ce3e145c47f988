package import JSONStreaming

/// Errors for inputs whose records cannot be found.
extension StoreError {
  /// The error if the survey of an input that cannot be read twice has no result.
  package static func unknownPlace(in input: String) -> StoreError {
    StoreError(
      .unreadable,
      "\(input): the place of the records is not known after "
        + "\(InputSurvey.byteLimit >> 20) MiB of an input that cannot be read twice",
      advice: .nameRecords)
  }

  /// The error if the only object of an input holds columns.
  package static func columnWise(_ input: String) -> StoreError {
    StoreError(
      .unreadable,
      "\(input): the object holds columns of values by row number, as pandas writes them; write records "
        + "with to_json(orient=\"records\", lines=True)")
  }

  /// The maximum number of places in a message, and of characters of each.
  private static let listLimit = 10
  private static let pointerLimit = 200

  /// The error if several arrays may hold the records, or none of the arrays does.
  package static func ambiguousPlace(
    _ candidates: [ShapeDetector.Candidate], in input: String
  ) -> StoreError {
    let ranked = places(of: candidates)
    let list = ranked.prefix(listLimit).map { place in
      let shown = place.pointer.unicodeScalars.prefix(pointerLimit)
      return (shown.isEmpty ? "the top-level object" : String(shown))
        + (shown.endIndex < place.pointer.endIndex ? "…" : "")
        + " (\(place.count)\(place.count == ShapeDetector.candidateLimit ? " or more" : ""))"
    }
    let otherCount = ranked.count - list.count
    let places =
      list.joined(separator: ", ") + (otherCount > 0 ? " and \(otherCount) more" : "")
    let message =
      switch candidates.count(where: { $0.elementCount > 0 }) {
      case 1 where candidates[0].pointer.tokens.isEmpty:
        "the records may be the \(candidates[0].elementCount) members of the top-level object"
      case 0:
        "the records may be in \(places), or be members of an object"
      case 1:
        "no object in an array has a member that the model reads: the records may be in "
          + "\(places)"
      default: "the records may be in several arrays: \(places)"
      }
    let repeated = Set(candidates.filter(\.isRepeated).map(\.pointer.pattern))
    let choices = ranked.map(\.pointer).filter { !repeated.contains($0) }
    return StoreError(
      .unreadable, "\(input): \(message)",
      advice: choices.isEmpty ? [] : [.chooseRecords(at: choices)])
  }

  /// The places of the records, those with more elements first.
  ///
  /// If several members of an object have an array at the same place in them, the members may be the records,
  /// or the elements of all these arrays. If each of the arrays is shorter than the number of members, the arrays are
  /// parts of the members, and are left out. Otherwise a pattern with a wildcard names all of them, and also all of
  /// several arrays beside each other whose elements are alike.
  private static func places(
    of candidates: [ShapeDetector.Candidate]
  ) -> [(pointer: String, count: Int)] {
    var places: [(pointer: String, count: Int)] = []
    var parts: Set<JSONPointer> = []
    for candidate in candidates where !parts.contains(candidate.pointer) {
      for index in candidate.pointer.tokens.indices.dropLast() {
        let members = candidates.filter { other in
          other.elementCount > 0
            && isEqual(other.pointer.tokens, candidate.pointer.tokens, exceptAt: index)
        }
        guard members.count >= memberMinimum else { continue }
        let container = JSONPointer(tokens: Array(candidate.pointer.tokens[..<index])).pattern
        if !places.contains(where: { $0.pointer == container }) {
          places.append((container, members.count))
        }
        if members.allSatisfy({ $0.elementCount < members.count }) {
          parts.formUnion(members.map(\.pointer))
        } else {
          let pattern = pattern(of: candidate.pointer, exceptAt: index)
          if !places.contains(where: { $0.pointer == pattern }) {
            places.append((pattern, members.reduce(0) { $0 + $1.elementCount }))
          }
        }
      }
      let last = candidate.pointer.tokens.count - 1
      let groups = candidates.filter { other in
        other.elementCount > 0
          && isEqual(other.pointer.tokens, candidate.pointer.tokens, exceptAt: last)
      }
      if groups.count > 1, groups.allSatisfy({ !$0.isBesideObject && isAlike($0, groups[0]) }) {
        let pattern = pattern(of: candidate.pointer, exceptAt: last)
        if !places.contains(where: { $0.pointer == pattern }) {
          places.append((pattern, groups.reduce(0) { $0 + $1.elementCount }))
        }
      }
      if !parts.contains(candidate.pointer) {
        places.append((candidate.pointer.pattern, candidate.elementCount))
      }
    }
    return places.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map(\.element)
  }

  /// Whether the first elements of two arrays share most of their names.
  private static func isAlike(
    _ array: ShapeDetector.Candidate, _ other: ShapeDetector.Candidate
  ) -> Bool {
    let shared = array.firstNames.intersection(other.firstNames).count
    return shared > 0 && shared * 2 >= array.firstNames.union(other.firstNames).count
  }

  private static func pattern(of pointer: JSONPointer, exceptAt index: Int) -> String {
    var tokens = pointer.tokens
    tokens[index] = "*"
    return JSONPointer(tokens: tokens, wildcards: [index]).pattern
  }

  private static func isEqual(_ tokens: [String], _ others: [String], exceptAt index: Int) -> Bool {
    tokens.count == others.count
      && tokens.indices.allSatisfy { $0 == index || tokens[$0].isExactly(others[$0]) }
  }

  /// The least number of members with an array at the same place that may be the records.
  private static let memberMinimum = 3
}
