internal import JSONStreaming
internal import POIRecords

/// How far the inputs were read.
struct InputProgress {
  /// The current input, or the previous one between two inputs; nil before the first.
  var input: ImportReport.Input?

  var begunInputCount = 0

  var finishedInputCount = 0

  var position = ReadingPosition.start

  /// The size of the current input in bytes, if known.
  var byteCount: Int? { input?.byteCount }

  var inputName: String { input?.name ?? "" }

  mutating func begin(_ input: ImportReport.Input) {
    self.input = input
    begunInputCount += 1
    position = .start
  }

  /// Whether `inputs` ends with the current state of the current input.
  func isNoted(in inputs: [ImportReport.Input]) -> Bool {
    inputs.count == begunInputCount && inputs.last == input
  }

  /// Appends the current input to `inputs`, or updates it there.
  func note(in inputs: inout [ImportReport.Input]) {
    guard let input, !isNoted(in: inputs) else { return }
    if inputs.count == begunInputCount { inputs.removeLast() }
    inputs.append(input)
  }
}

/// The names of the inputs that the records of a batch come from.
struct InputNames {
  private let name: String
  private let landed: [ImportReport.Input]

  /// Creates the names for a batch that was just read.
  init(_ progress: InputProgress) {
    name = progress.inputName
    landed = []
  }

  /// Creates the names for a batch of landed records.
  ///
  /// - Parameter inputs: the inputs that records may have landed from, in order.
  init(ofLanded inputs: [ImportReport.Input]) {
    name = ""
    landed = inputs
  }

  func name(of origin: RecordOrigin) -> String {
    origin.inputIndex.map { landed[$0].name } ?? name
  }
}
