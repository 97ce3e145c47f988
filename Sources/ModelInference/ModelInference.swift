internal import JSONStreaming
package import POIFiles
public import POIKit
internal import POIRecords

/// Infers a model from records, for importing these records.
///
/// ```swift
/// import ModelInference
/// import POIKit
///
/// var inference = try ModelInference()
/// try inference.read(.file("places.json"))
/// let model = try Model(parsing: inference.finish())
/// ```
///
/// The model's `$comment`s explain each choice. Memory does not depend on the size of the input: at most
/// 2,000 places in the records are distinguished, and counting distinct values uses at most 40 MB. Values
/// beyond that limit are not counted.
public struct ModelInference: ~Copyable {
  let options: ImportOptions
  private let pointer: JSONPointer?
  private let onProgress: ((StoreProgress) -> BatchDecision)?
  private var tree: PathTree
  /// The inputs that were read, in order.
  package private(set) var inputs: [ImportReport.Input] = []

  /// Whether an input was not read to its end.
  private var isCut = false

  private var rejectLines = RejectLineDetector()

  /// The number of elements, and how many of them are not records.
  private(set) var counters = ImportReport.Counters()

  /// The first element that is not a record, with its position and the reason.
  private var firstOmission: (text: String, rule: String?)?

  /// The first element that cannot be read, with its position and the reason.
  private var firstFlaw: (text: String, rule: String)?

  /// Whether an element that was left out begins like an object.
  private var leavesObjectsOut = false

  /// Starts an inference.
  ///
  /// - Parameters:
  ///   - options: only `pointer`, `hasHeader`, `recordLimit`, `limits`, `clock` and `maximumSkew` are used.
  ///   - onProgress: called after each chunk of an input; decides whether the inference continues.
  /// - Throws: `StoreError` with `invalidOptions` if the pointer is not a JSON pointer or a limit is out of
  ///   range.
  public init(
    options: ImportOptions = ImportOptions(),
    onProgress: ((StoreProgress) -> BatchDecision)? = nil
  ) throws(StoreError) {
    self.options = options
    self.onProgress = onProgress
    pointer = try ModelInference.checkedPointer(of: options)
    tree = PathTree(
      latestTimestamp: options.maximumSkew.map { options.clock().advanced(by: $0) })
  }

  private static func checkedPointer(of options: ImportOptions) throws(StoreError) -> JSONPointer? {
    try options.limits.check()
    try options.checkRows()
    do {
      return try options.pointer.map { text throws(JSONPointerError) in
        try JSONPointer(parsingPattern: text)
      }
    } catch {
      throw StoreError(.invalidOptions, "\(error)")
    }
  }

  private var isAtLimit: Bool {
    options.recordLimit.map { counters.read >= $0 } ?? false
  }

  /// Reads a source to its end or up to the record limit. It starts at the first byte if the source can
  /// restart, or else at the current position.
  ///
  /// - Throws: `StoreError` if the source cannot be read or its records cannot be found, and `interrupted`
  ///   if the progress closure stops the inference.
  public mutating func read(_ source: ImportSource) throws(StoreError) {
    switch source.content {
    case .file(let path):
      var file: FileSource
      do { file = try FileSource(path: path, encoding: options.encoding) } catch {
        throw StoreError(error)
      }
      try read(from: &file)
    case .bytes(let bytes):
      var bytes = BytesSource(bytes, name: source.name)
      try read(from: &bytes)
    }
  }

  /// Reads a source of bytes in the same way.
  ///
  /// - Parameter byteLimit: the number of bytes after which no more are read. The last read may exceed it
  ///   by 512 KiB.
  package mutating func read<Source: ByteSource & ~Copyable>(
    from source: inout Source, byteLimit: Int = .max
  ) throws(StoreError) {
    guard !isAtLimit else { return }
    defer { tree.endInput() }
    do {
      var pending = try source.readBeginning()
      let place = try place(in: &source, keeping: &pending, byteLimit: byteLimit)
      var input = ImportReport.Input(name: source.name, pointer: nil, isPointerFound: false)
      // Columns are found without a pointer only.
      if place.columns.isEmpty, case .container(let pointer) = place.shape {
        input.pointer = pointer.pattern
      }
      inputs.append(input)
      rejectLines = RejectLineDetector()
      if case .delimited(let delimiter) = place.shape {
        inputs[inputs.count - 1].delimiter = Character(Unicode.Scalar(delimiter))
      }
      tree.isOfRows = inputs[inputs.count - 1].delimiter != nil
      var reader = ElementReader(
        shape: place.shape, limits: options.limits.readingLimits,
        hasHeader: options.columns.isEmpty && (place.hasHeader || options.hasHeader),
        columns: options.columns.isEmpty ? place.columns : options.columns, isResumable: false,
        watching: ReferenceSystem.pointer(beside: place.shape).map { [$0] } ?? [])
      for start in stride(from: 0, to: pending.count, by: InputChunk.byteCount) {
        let end = min(start + InputChunk.byteCount, pending.count)
        reader.append(pending.span.extracting(start..<end))
        try observeElements(of: &reader, in: source.name)
      }
      var byteCount = pending.count
      pending = GrowableBuffer()
      while true {
        try observeElements(of: &reader, in: source.name)
        guard !isAtLimit, byteCount < byteLimit else {
          isCut = true
          return try ReferenceSystem.check(reader.watchedText(0), of: source.name)
        }
        let count = try reader.fill { (output) throws(InputError) in try source.read(into: &output)
        }
        try askWhetherToGoOn(source)
        if count == 0 { break }
        byteCount += count
      }
      reader.finish()
      try observeElements(of: &reader, in: source.name)
      try ReferenceSystem.check(reader.watchedText(0), of: source.name)
    } catch let error as InputError {
      throw StoreError(error)
    } catch let error as ReadingError {
      throw StoreError(error, input: source.name)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.internalCheck, "\(error)")
    }
  }

  /// The inputs that hold records of one kind, by kind, as indices in `inputs`; a kind is told by the names of the
  /// members.
  package var kinds: [(inputs: [Int], members: MembersOfInput)] {
    var kinds: [(inputs: [Int], members: MembersOfInput)] = []
    for (input, members) in tree.members.enumerated() {
      if let kind = kinds.firstIndex(where: { members.areLike($0.members) }) {
        kinds[kind].inputs.append(input)
      } else {
        kinds.append(([input], members))
      }
    }
    return kinds
  }

  /// A message about the elements that are not records, with the first position and reason; nil if all
  /// elements are records.
  public var omission: (message: String, advice: [Advice])? {
    firstOmission.map { first in
      let count = counters.rejected
      let message =
        "\(count) of \(counters.read) elements "
        + (count == 1 ? "was left out: " : "were left out; the first: ") + first.text
      return (message, ModelInference.advice(onRule: first.rule))
    }
  }

  /// A message about rows whose first one may be no header, because a name in it is a number; nil for all others.
  public var headerDoubt: (message: String, advice: [Advice])? {
    guard options.columns.isEmpty, let input = inputs.last(where: { $0.delimiter != nil }),
      let place = tree.places.first(where: {
        $0.parent == PathTree.root && NumberText.isNumber($0.name.utf8Span.span)
      })
    else { return nil }
    return (
      "\(input.name): the first row was read as the names of the columns, though \(place.name) is a number",
      [.nameColumns]
    )
  }

  private static func advice(onRule rule: String?) -> [Advice] {
    if rule == "utf-8" { return [.nameEncoding] }
    return rule.flatMap(Advice.Limit.init).map { [.raise($0)] } ?? []
  }

  /// Returns the model's document as indented JSON text with a final newline.
  ///
  /// - Parameter isStrict: whether the model fits only records like these: it requires the members that all of
  ///   them have, and names the formats that all values have. Otherwise only a certain key is required, and all
  ///   other values can be null, so that later records of the same source are accepted, too.
  /// - Throws: `StoreError` with `unreadable` if no record has a member that can be mapped.
  public consuming func finish(isStrict: Bool = false) throws(StoreError) -> String {
    try finishWithKey(isStrict: isStrict).document
  }

  /// Returns the same document, and how its key was chosen.
  ///
  /// - Parameter timestamp: the attribute that is to be the timestamp of the model.
  package consuming func finishWithKey(
    isStrict: Bool = false, timestamp: String? = nil
  ) throws(StoreError) -> (document: String, key: KeyChoice) {
    let names = inputs.map(\.name).joined(separator: ", ")
    guard tree.recordCount > 0 else {
      guard counters.read > 0 else {
        throw StoreError(
          .unreadable,
          "\(names.isEmpty ? "nothing was read" : names): there are no records")
      }
      let message = "\(names): none of the \(counters.read) elements is a record (a JSON object)"
      guard let firstFlaw else {
        throw StoreError(.unreadable, message, advice: .nameRecords, .readHeader)
      }
      throw StoreError(
        .unreadable, "\(message): \(firstFlaw.text)\(formatAdvice)",
        advice: ModelInference.advice(onRule: firstFlaw.rule)
          + (formatAdvice.isEmpty ? [] : [.nameDelimiter]))
    }
    if let flaw = flaw(ofLoneObjectIn: tree) { throw flaw }
    let draft = ModelDraft(tree, table: table, isStrict: isStrict, timestamp: timestamp)
    if let seen = draft.textTimestamp?.statistics,
      seen.moments.unreadableCount * 20 > seen.counts.string - seen.texts.emptyCount
    {
      throw StoreError(
        .invalidOptions,
        "\(names): \(seen.moments.unreadableCount) of \(seen.counts.string) texts of \(timestamp ?? "") cannot be read "
          + "as times" + (seen.values?.first.map { ", such as \($0)" } ?? ""))
    }
    if let position = draft.foreignPosition {
      throw ReferenceSystem.error("the points are at \(position)", in: names)
    }
    guard !draft.columns.isEmpty else {
      guard !draft.omissions.isEmpty else {
        throw StoreError(.unreadable, "\(names): the \(tree.recordCount) records have no members")
      }
      throw StoreError(
        .unreadable,
        "\(names): no member of the \(tree.recordCount) records can be an attribute: "
          + draft.omissions.joined(separator: ", "), advice: .nameRecords)
    }
    let document = draft.document(introduction: introduction)
    return (document.indented() + "\n", draft.key)
  }

  // MARK: Finding the records

  /// Finds where the records are in a source.
  ///
  /// - Parameters:
  ///   - pending: the bytes already read. Receives the bytes read here if the source cannot restart.
  ///   - byteLimit: the number of bytes after which the search ends without success.
  private func place<Source: ByteSource & ~Copyable>(
    in source: inout Source, keeping pending: inout GrowableBuffer<UInt8>, byteLimit: Int
  ) throws -> InputSurvey.Place {
    if let pointer { return (.container(pointer), false, []) }
    if options.areInputsRecords { return (.sequence, false, []) }
    func begin(keepingBytes keepsBytes: Bool) -> InputSurvey {
      let detector = ShapeDetector(
        elementMarkers: [[RejectLine.marker]], hasHeader: options.hasHeader,
        delimiter: options.delimiter?.asciiValue)
      return InputSurvey(of: source.name, by: detector, keepsBytes: keepsBytes)
    }
    var survey = begin(keepingBytes: true)
    survey.append(pending.span)
    var place = try survey.place()
    let isReadAgain = try place == nil && source.restart()
    if isReadAgain { survey = begin(keepingBytes: false) }
    var byteCount = 0
    while place == nil, byteCount <= byteLimit {
      byteCount += try survey.read(from: &source)
      try askWhetherToGoOn(source)
      place = try survey.place()
    }
    pending = survey.keptBytes()
    if isReadAgain, try !source.restart() { place = nil }
    guard let place else { throw StoreError.unknownPlace(in: source.name) }
    return place
  }

  private func askWhetherToGoOn<Source: ByteSource & ~Copyable>(
    _ source: borrowing Source
  ) throws(StoreError) {
    guard let onProgress else { return }
    var progress = StoreProgress(
      .importing, completedCount: source.consumedByteCount, totalCount: source.totalByteCount)
    progress.inputName = source.name
    progress.counters = counters
    if onProgress(progress) == .stop { throw StoreError(.interrupted, "interrupted") }
  }

  // MARK: Observing elements

  private mutating func observeElements(
    of reader: inout ElementReader, in input: String
  ) throws(ReadingError) {
    while !isAtLimit {
      switch try reader.next() {
      case .needsInput, .end: return
      case .malformed(let malformation):
        counters.read += 1
        let issue = Issue(malformation, ofElementAt: reader.elementByteOffset)
        leaveOut(&reader, in: input, because: issue.message, flaw: issue.rule)
      case .element:
        counters.read += 1
        if let reason = reasonToOmit(JSONElement(reader)) {
          leaveOut(&reader, in: input, because: reason)
        } else {
          tree.observe(JSONElement(reader))
        }
      }
    }
  }

  /// The reason why a valid element is not a record; nil for a record.
  private mutating func reasonToOmit(_ element: JSONElement) -> String? {
    if rejectLines.isRejectLine(element) { return "this is a line of a reject file" }
    return element.tape[element.start].kind == .startObject ? nil : "this is not an object"
  }

  private mutating func leaveOut(
    _ reader: inout ElementReader, in input: String, because reason: String,
    flaw rule: String? = nil
  ) {
    counters.rejected += 1
    if !reader.elementBytes.isEmpty, reader.elementBytes[0] == UInt8(ascii: "{") {
      leavesObjectsOut = true
    }
    guard firstOmission == nil || rule != nil && firstFlaw == nil else { return }
    let place = reader.location(ofByteOffset: reader.elementByteOffset)
    let omission = "\(input):\(place.line + 1):\(place.column + 1): \(reason)"
    firstOmission = firstOmission ?? (omission, rule)
    if let rule { firstFlaw = (omission + Self.hint(of: reader.elementBytes), rule) }
  }

  /// The name of a format that begins like JSON.
  private static func hint(of bytes: Span<UInt8>) -> String {
    func isPartOfName(_ byte: UInt8) -> Bool {
      (0x61...0x7A).contains(byte | 0x20) || "0123456789_$.".utf8.contains(byte)
    }
    var index = 0
    while index < bytes.count, isPartOfName(bytes[index]) { index += 1 }
    if index > 0, index < bytes.count, bytes[index] == UInt8(ascii: "(") {
      return "; this is JSONP: remove the call around the JSON"
    }
    while index < bytes.count, "{[ \t\r\n".utf8.contains(bytes[index]) { index += 1 }
    let isUnquoted = index < bytes.count && (isPartOfName(bytes[index]) || bytes[index] == 0x27)
    return bytes.isEmpty || bytes[0] != UInt8(ascii: "{") || !isUnquoted
      ? "" : "; is this JSON5? Convert it to JSON first"
  }

  // MARK: Reporting

  private var table: String { Self.tableName(forInput: inputs.first?.name ?? "") }

  /// The name of the table for the records of an input: the file's name without folder and suffixes, and
  /// without the words that differ from delivery to delivery: numbers, dates, versions and hashes.
  package static func tableName(forInput name: String) -> String {
    guard name != FileSource.standardInputName else { return "record" }
    let file = name.split(separator: "/").last ?? ""
    let stem = file.split(separator: ".").first ?? ""
    let words = stem.split { "-_ ".contains($0) }
    let hasHash = words.contains { isHexadecimal($0, minimumCount: 7) }
    let lasting = words.filter { word in
      let number = word.first == "v" || word.first == "V" ? word.dropFirst() : word
      let isNumber =
        number.contains { $0.isASCII && $0.isNumber }
        && number.allSatisfy { $0.isASCII && $0.isNumber || "TZ:+()".contains($0) }
      // A UUID consists of several words.
      return !isNumber && !isHexadecimal(word, minimumCount: hasHash ? 4 : 7)
    }
    guard !lasting.isEmpty else { return "record" }
    let table = ColumnNames.safe(lasting.joined(separator: "_"))
    return ColumnNames.reservedWords.contains(table.lowercased()) ? table + "_record" : table
  }

  /// Whether a word looks like a hash: hexadecimal digits, at least one of them a decimal one.
  private static func isHexadecimal(_ word: Substring, minimumCount: Int) -> Bool {
    word.utf8.count >= minimumCount && word.allSatisfy { $0.isASCII && $0.isHexDigit }
      && word.contains(where: \.isNumber)
  }

  private var formatAdvice: String {
    leavesObjectsOut || inputs.contains { $0.pointer != nil || $0.delimiter != nil }
      ? "" : "; is this JSON?"
  }

  private var introduction: [String] {
    let names = inputs.map(\.name).joined(separator: ", ")
    var sentences = [
      options.recordLimit == nil && !isCut
        ? "Inferred from the \(tree.recordCount) records of \(names)."
        : "Inferred from the first \(tree.recordCount) records of \(names): others may differ."
    ]
    if counters.rejected > 0 {
      sentences.append(
        "\(counters.rejected) more elements cannot be read as records and were left out.")
    }
    var places: [(pointer: String, files: String)] = []
    for input in inputs {
      // Only the elements of a top-level array are found without a pointer.
      let pointer = options.pointer ?? input.pointer.flatMap { $0.isEmpty ? nil : $0 }
      let place =
        (pointer.map { " --at \($0.shellWord)" } ?? "") + (options.hasHeader ? " --header" : "")
        + rowOptions
      let file = " " + Self.argument(for: input)
      if let index = places.firstIndex(where: { $0.pointer.isExactly(place) }) {
        places[index].files += file
      } else {
        places.append((place, file))
      }
    }
    for (place, files) in places {
      sentences.append("Import: poi-import --model FILE\(place)\(files), where FILE is this one.")
    }
    return sentences
  }

  /// The options of the tool for rows and for the encoding.
  private var rowOptions: String {
    let delimiter = options.delimiter.map { $0 == "\t" ? "tab" : "\($0)" }
    let columns = options.columns.isEmpty ? nil : options.columns.joined(separator: ",")
    let words = [
      ("delimiter", delimiter), ("columns", columns), ("encoding", options.encoding?.rawValue),
    ]
    return words.map { name, word in word.map { " --\(name) \($0.shellWord)" } ?? "" }.joined()
  }

  private static func argument(for input: ImportReport.Input) -> String {
    if input.name == FileSource.standardInputName { return "-" }
    return ((input.name.hasPrefix("-") ? "./" : "") + input.name).shellWord
  }
}
