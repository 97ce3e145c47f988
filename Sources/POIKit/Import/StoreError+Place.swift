package import JSONStreaming

/// Errors for inputs whose records cannot be found.
extension StoreError {
  /// The error if the survey of an input that cannot be read twice has no result.
  package static func unknownPlace(in input: String) -> StoreError {
    StoreError(
      .unreadable,
      "\(input): the place of the records is not known after "
        + "\(ImportSession.surveyLimit >> 20) MiB of an input that cannot be read twice",
      advice: .nameRecords)
  }

  /// The maximum number of places in a message, and of characters of each.
  private static let listLimit = 10
  private static let pointerLimit = 200

  /// The error if several arrays may hold the records, or none of the arrays does.
  package static func ambiguousPlace(
    _ candidates: [ShapeDetector.Candidate], in input: String
  ) -> StoreError {
    let list = candidates.prefix(listLimit).map { candidate in
      let pointer = candidate.pointer.description
      let shown = pointer.unicodeScalars.prefix(pointerLimit)
      return String(shown) + (shown.endIndex < pointer.endIndex ? "…" : "")
        + " (\(candidate.elementCount))"
    }
    let otherCount = candidates.count - list.count
    let places =
      list.joined(separator: ", ") + (otherCount > 0 ? " and \(otherCount) more" : "")
    let message =
      switch candidates.count(where: { $0.elementCount > 0 }) {
      case 0:
        "the records may be in \(places), or be members of an object"
      case 1:
        "no object in an array has a member that the model reads: the records may be in "
          + "\(places)"
      default: "the records may be in several arrays: \(places)"
      }
    return StoreError(.unreadable, "\(input): \(message)", advice: .nameRecords)
  }
}
