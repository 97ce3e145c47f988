internal import JSONStreaming

/// Why the records of an input cannot be found.
extension ImportError {
  /// The survey of an input that cannot be read twice came to no end.
  static func unknownPlace(in input: String) -> ImportError {
    ImportError(
      .unreadable,
      "\(input): the place of the records is not known after "
        + "\(ImportSession.surveyLimit >> 20) MiB of an input that cannot be read twice; "
        + "name it with --at")
  }

  /// How many of several places a message lists, and how many characters of each.
  private static let listLimit = 10
  private static let pointerLimit = 200

  /// The records may stand in several arrays.
  static func ambiguousPlace(
    _ candidates: [ShapeSurvey.Candidate], in input: String
  ) -> ImportError {
    let list = candidates.prefix(listLimit).map { candidate in
      let pointer = candidate.pointer.description
      let shown = pointer.unicodeScalars.prefix(pointerLimit)
      return String(shown) + (shown.endIndex < pointer.endIndex ? "…" : "")
        + " (\(candidate.elementCount))"
    }
    let otherCount = candidates.count - list.count
    return ImportError(
      .unreadable,
      "\(input): the records may stand in several arrays: " + list.joined(separator: ", ")
        + (otherCount > 0 ? " and \(otherCount) more" : "") + "; name one with --at")
  }
}
