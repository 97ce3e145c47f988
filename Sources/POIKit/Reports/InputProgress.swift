internal import JSONStreaming
internal import POIRecords

/// What was read of the inputs.
struct InputProgress {
  /// The input being read, or, between two inputs, the one before; nothing before the first.
  var input: ImportReport.Input?

  /// How many inputs were begun.
  var begunInputCount = 0

  /// How many of them were read to their end.
  var finishedInputCount = 0

  /// The position in the input being read.
  var position = ReadingPosition.start

  /// The size of the input being read, where it is known, in bytes.
  var byteCount: Int? { input?.byteCount }

  /// The name of the input being read.
  var inputName: String { input?.name ?? "" }

  /// Begins the next input.
  mutating func begin(_ input: ImportReport.Input) {
    self.input = input
    begunInputCount += 1
    position = .start
  }

  /// Whether the input that is read is among `inputs` as it is now.
  func isNoted(in inputs: [ImportReport.Input]) -> Bool {
    inputs.count == begunInputCount && inputs.last == input
  }

  /// Notes the input that is read among `inputs`, those that were begun.
  func note(in inputs: inout [ImportReport.Input]) {
    guard let input, !isNoted(in: inputs) else { return }
    if inputs.count == begunInputCount { inputs.removeLast() }
    inputs.append(input)
  }
}

/// The names of the inputs that the records of a batch stand in.
struct InputNames {
  private let name: String
  private let landed: [ImportReport.Input]

  /// Those of a batch that was just read.
  init(_ progress: InputProgress) {
    name = progress.inputName
    landed = []
  }

  /// Those of a batch of landed records.
  ///
  /// - Parameter inputs: all that records may have landed from, in their order.
  init(ofLanded inputs: [ImportReport.Input]) {
    name = ""
    landed = inputs
  }

  /// The name of the input that a record stands in.
  func name(of origin: RecordOrigin) -> String {
    origin.inputIndex.map { landed[$0].name } ?? name
  }
}
