package import JSONStreaming
internal import POIFiles
internal import POIRecords

extension ImportSession {
  // MARK: Finding the records

  /// Begins reading at a JSON pointer; nil for newline-delimited or concatenated records, and for rows.
  mutating func beginReading(
    at pointer: String?, delimitedBy delimiter: UInt8? = nil, hasHeader: Bool = false,
    columns: [String] = [], resumingAt position: ReadingPosition = .start
  ) throws(StoreError) {
    do {
      let shape: ElementShape =
        if let delimiter {
          .delimited(by: delimiter)
        } else if let pointer {
          .container(try JSONPointer(parsingPattern: pointer))
        } else {
          .sequence
        }
      let tokenPointer = try options.tokenPointer.map(JSONPointer.init(parsing:))
      if let tokenPointer { try checkToken(tokenPointer, beside: shape) }
      let companion = try options.companionPointer.map(JSONPointer.init(parsing:))
      if let companion { try checkToken(companion, beside: shape) }
      let watched = [companion, tokenPointer ?? ReferenceSystem.pointer(beside: shape)]
      let columns = options.columns.isEmpty ? columns : options.columns
      reader = ElementReader(
        shape: shape, limits: options.limits.readingLimits,
        hasHeader: columns.isEmpty && (hasHeader || options.hasHeader), columns: columns,
        places: delimiter == nil ? [:] : intake.columnPlaces, resumingAt: position,
        isResumable: !isDryRun, watching: watched.compactMap { $0 })
      intake.beginInput(ofTexts: delimiter != nil)
      progress.input?.delimiter = delimiter.map { Character(Unicode.Scalar($0)) }
      phase = .reading
    } catch let error as StoreError {
      throw fail(error)
    } catch {
      throw fail(StoreError(.invalidOptions, "\(error)"))
    }
  }

  /// Begins reading at a place that the user did not name.
  mutating func beginReading(
    atFound place: String, hasHeader: Bool = false, columns: [String] = []
  ) throws(StoreError) {
    progress.input?.pointer = place
    progress.input?.isPointerFound = true
    try beginReading(at: place, hasHeader: hasHeader, columns: columns)
  }

  private func checkToken(_ pointer: JSONPointer, beside shape: ElementShape) throws(StoreError) {
    guard case .container(let records) = shape, !Self.isBelow(records, pointer) else {
      throw StoreError(
        .invalidOptions,
        "\(inputName): \"\(pointer)\" is not outside the records; a token needs an "
          + "object that holds it beside the records", advice: .nameRecords)
    }
  }

  /// Whether a pointer leads to the records, or through a value that one of their wildcards matches.
  private static func isBelow(_ records: JSONPointer, _ pointer: JSONPointer) -> Bool {
    let wildcard = records.wildcards.min()
    let outer = records.tokens.prefix(wildcard ?? records.tokens.count)
    return pointer.tokens.starts(with: outer) { $0.isExactly($1) }
      && pointer.tokens.count > (wildcard.map { $0 + 1 } ?? -1)
  }

  /// The text beside the records at `ImportOptions.companionPointer`, after an input was read.
  package var companion: String? {
    options.companionPointer == nil ? nil : reader.watchedText(0)
  }

  /// What the reader calls the place of the token, or of the name of the reference system.
  private var watchedPlace: Int { options.companionPointer == nil ? 0 : 1 }

  /// Stores the input's token after it was read.
  mutating func noteToken() {
    guard options.tokenPointer != nil else { return }
    let place = watchedPlace
    if let token = reader.watchedText(place) { progress.input?.token = token }
    progress.input?.otherAtToken =
      switch reader.otherWatchedKind(place) {
      case .startObject: .object
      case .startArray: .array
      case .null: .null
      default: nil
      }
  }

  mutating func readBeginning<Source: ByteSource & ~Copyable>(of source: inout Source) throws {
    let beginning = try source.readBeginning()
    consumedByteCount = source.consumedByteCount
    try process(beginning.span)
  }

  /// Surveys a source from its beginning to the place of the records, and returns to the beginning.
  mutating func surveyAll<Source: ByteSource & ~Copyable>(of source: inout Source) throws {
    survey = InputSurvey(of: inputName, by: detector, keepsBytes: false)
    var askedAt = 0
    while survey != nil {
      if source.consumedByteCount - askedAt >= ImportSession.surveyStepSize {
        askedAt = source.consumedByteCount
        consumedByteCount = askedAt
        if try isAskedToStop() { return }
      }
      _ = try survey?.read(from: &source)
      try readSurveyed()
    }
    _ = try source.restart()
  }

  /// Reads the surveyed bytes once the place of the records is known.
  mutating func readSurveyed() throws(StoreError) {
    let place: InputSurvey.Place?
    do { place = try survey?.place() } catch { throw fail(error) }
    guard let place, let bytes = survey.take()?.keptBytes() else { return }
    var delimiter: UInt8?
    if case .delimited(let found) = place.shape { delimiter = found }
    if let position = resumedPosition.take() {
      let pointer = progress.input?.pointer
      try beginReading(
        at: pointer, delimitedBy: delimiter, columns: place.columns, resumingAt: position)
    } else if case .container(let pointer) = place.shape {
      try beginReading(
        atFound: pointer.pattern, hasHeader: place.hasHeader, columns: place.columns)
    } else {
      try beginReading(at: nil, delimitedBy: delimiter)
    }
    try read(bytes.span)
  }

  // MARK: Reading

  /// Adds the current element of the reader to the batch, unless it belongs to another shard.
  private mutating func addElement() throws(StoreError) {
    let (recordCount, arenaStart) = (intake.batch.recordCount, intake.batch.arena.count)
    intake.addElement(of: &reader)
    if let flaw = intake.questions?.flaw(of: model) {
      try waitForBatch()
      throw fail(StoreError(.noSuchColumn, flaw))
    }
    guard let shard = options.shard else { return }
    guard intake.batch.recordCount > recordCount,
      shardRule?.shard(of: recordCount, in: intake.batch).number != shard.index
    else { return }
    intake.batch.leaveOutLast(arenaStart: arenaStart)
  }

  /// Reads bytes piece by piece, so that the tape stays small.
  mutating func read(_ bytes: Span<UInt8>) throws(StoreError) {
    var start = 0
    while start < bytes.count {
      guard case .reading = phase else { return }
      let end = min(start + InputChunk.byteCount, bytes.count)
      reader.append(bytes.extracting(start..<end))
      try readRecords()
      start = end
    }
  }

  private mutating func checkReferenceSystem() throws(StoreError) {
    guard options.tokenPointer == nil else { return }
    do { try ReferenceSystem.check(reader.watchedText(watchedPlace), of: inputName) } catch {
      throw fail(error)
    }
  }

  /// Decodes every complete record of the reader.
  mutating func readRecords() throws(StoreError) {
    while true {
      let event: ReadingEvent
      do {
        event = try reader.next()
      } catch {
        // Records before the error are kept.
        guard try writeBatchAtOnce() else { return }
        throw fail(StoreError(error, input: inputName))
      }
      switch event {
      case .needsInput:
        // The clock is read once for many records, and whenever the input makes one wait.
        if pace.isDue(intake.batch.readCount) { try writeBatch() }
        return
      case .end: return try checkReferenceSystem()
      case .element:
        // Most files name it before the features.
        if reader.elementIndex == 0 { try checkReferenceSystem() }
        try addElement()
      case .malformed(let malformation): intake.addReject(malformation, of: &reader)
      }
      let isLast = hasReachedLimit
      if isLast || intake.batch.readCount >= pace.limit
        || intake.batch.byteCount >= options.batchByteLimit
      {
        if isLast {
          if try writeBatchAtOnce() { phase = .ended(.finished) }
        } else {
          try writeBatch()
        }
        guard case .reading = phase else { return }
      }
    }
  }
}

/// The coordinate reference system of GeoJSON.
package enum ReferenceSystem {
  /// The ends of the names of WGS 84, in degrees, and of ETRS89 and NAD83, which differ by about a metre.
  private static let names = [
    "4326", "4979", "84", "crs84", "crs84h", "wgs84", "wgs_1984", "4258", "4269",
  ]

  /// The pointer of the name in the member `crs` beside Features; nil for records elsewhere.
  ///
  /// Page: RFC 7946, section 4, and the format of 2008 that it refers to
  package static func pointer(beside records: ElementShape) -> JSONPointer? {
    guard case .container(let pointer) = records, pointer.wildcards.isEmpty,
      pointer.tokens.last?.isExactly("features") == true
    else { return nil }
    return JSONPointer(tokens: pointer.tokens.dropLast() + ["crs", "properties", "name"])
  }

  /// - Parameter name: the name at this pointer; nil without it.
  /// - Throws: `StoreError` with `unreadable` if the name is not one of WGS 84.
  package static func check(_ name: String?, of input: String) throws(StoreError) {
    guard let name, let end = name.split(whereSeparator: { ":/#".contains($0) }).last,
      !names.contains(end.lowercased().filter { $0 != " " })
    else { return }
    throw error("the member crs names \(JSONText.quoted(name))", in: input)
  }

  /// - Parameter reason: why positions are not degrees of WGS 84.
  package static func error(_ reason: String, in input: String) -> StoreError {
    let file = input == FileSource.standardInputName ? "in.geojson" : input
    return StoreError(
      .unreadable,
      "\(input): \(reason), but positions are read in degrees of WGS 84; this converts the file: "
        + "ogr2ogr -t_srs EPSG:4326 wgs84.geojson \(file.shellWord)")
  }
}

extension ImportSession {
  /// Holds back the first bytes of the input until its format is known.
  ///
  /// - Returns: the number of `bytes` held back.
  mutating func holdPrefix(of bytes: Span<UInt8>) throws(StoreError) -> Int {
    guard var first = prefix.take() else { return 0 }
    let count = min(Compression.longestMagicByteCount - first.count, bytes.count)
    for index in 0..<count { first.append(bytes[index]) }
    prefix = first
    if !ContentPrefix.isUndecided(first) { try releasePrefix() }
    return count
  }

  /// Reads the first bytes of the input that were held back.
  mutating func releasePrefix() throws(StoreError) {
    guard let first = prefix.take() else { return }
    do { try ContentPrefix.check(first, ofInputNamed: inputName) } catch {
      throw fail(StoreError(error))
    }
    try process(first.span)
  }
}
