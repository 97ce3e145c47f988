internal import JSONStreaming
internal import POIRecords

extension ImportOptions {
  /// Checks that the options fit together and fit the model. A session does this, too. A program that
  /// creates the store for it can check before.
  ///
  /// - Parameters:
  ///   - model: what a record is.
  ///   - isDryRun: whether the import is a dry run.
  ///   - storePath: the path of the store, which may not exist yet.
  /// - Throws: `StoreError` with `invalidOptions`.
  public func check(
    for model: Model, isDryRun: Bool = false, storePath: String? = nil
  ) throws(StoreError) {
    guard batchSize ?? 1 > 0, batchByteLimit > 0 else {
      throw StoreError(.invalidOptions, "a batch holds at least one record and one byte")
    }
    guard jobCount > 0 else {
      throw StoreError(.invalidOptions, "an import needs at least one thread")
    }
    try checkRows()
    guard recordLimit ?? 0 >= 0 else {
      throw StoreError(
        .invalidOptions, "the limit of records cannot be negative, as \(recordLimit ?? 0) is")
    }
    if let shard {
      guard shard.isValid else {
        throw StoreError(
          .invalidOptions,
          "there is no shard \(shard.index) of \(shard.count); the first one is 0 of \(shard.count)"
        )
      }
      guard !isSnapshot else {
        throw StoreError(
          .invalidOptions,
          "a snapshot of one shard would remove the rows of the others, if the table has some")
      }
    }
    guard rejectLimit?.isValid ?? true, removalLimit?.isValid ?? true else {
      throw StoreError(
        .invalidOptions, "a limit of rejects or removals is a number that is not negative")
    }
    guard choosePolicy == nil || mergePolicy ?? .newest == .newest else {
      throw StoreError(
        .invalidOptions,
        "choosePolicy chooses the policy of each record that meets a row; leave out mergePolicy")
    }
    guard ties != .later || [nil, .newest, .newestByProperty].contains(mergePolicy) else {
      throw StoreError(
        .invalidOptions, "only the policies newest and newest-by-property have ties",
        advice: .use(.newest))
    }
    let isMerge = isSnapshot || choosePolicy != nil || mergePolicy ?? .append != .append
    guard !isMerge || !model.isKeyDoubtful else {
      throw StoreError(
        .invalidOptions,
        "the key \(model.key.joined(separator: ", ")) of the model \"\(model.name)\" was inferred and is "
          + "doubtful, so different records could be merged", advice: .confirmKey(model.key))
    }
    guard shard == nil || !model.groupsNullKeys else {
      throw StoreError(
        .invalidOptions, "keys that contain NULL cannot be grouped in a shard: they have no shard")
    }
    try limits.check()
    guard !source.utf8.contains(0) else {
      throw StoreError(.invalidOptions, "the name of the source holds a NUL character")
    }
    guard !isDryRun || !isResuming else {
      throw StoreError(.invalidOptions, "a dry run leaves nothing behind that could be resumed")
    }
    if let rejectFile {
      for name in inputNames ?? [] { try RejectFile.check(rejectFile, inputName: name) }
      try RejectFile.check(rejectFile, storePath: storePath)
    }
    if isSnapshot { try checkSnapshot(model, isDryRun: isDryRun) }
    do {
      _ = try pointer.map(JSONPointer.init(parsingPattern:))
      _ = try tokenPointer.map(JSONPointer.init(parsing:))
    } catch {
      throw StoreError(.invalidOptions, "\(error)")
    }
  }

  /// The rule for records of a model that are equally new.
  func tieRule(for model: Model) -> TieRule {
    if let rule = ties ?? model.ties { return rule }
    return shard == nil && (isSnapshot || model.timestamp == nil) ? .later : .digest
  }

  /// Refuses to merge by a model without a key.
  ///
  /// - Throws: `StoreError` with `invalidOptions`.
  package func checkKey(of model: Model) throws(StoreError) {
    guard model.key.isEmpty, let mergePolicy, mergePolicy != .append else { return }
    throw StoreError(
      .invalidOptions,
      "the model \"\(model.name)\" names no key, so \(mergePolicy.rawValue) cannot tell which records "
        + "belong together", advice: .nameKey)
  }

  private func checkSnapshot(_ model: Model, isDryRun: Bool) throws(StoreError) {
    guard !isDryRun, recordLimit == nil else {
      throw StoreError(
        .invalidOptions,
        "a snapshot is compared with the whole store: a dry run has no store, and a limit of records "
          + "omits some")
    }
    guard !model.key.isEmpty else {
      throw StoreError(
        .invalidOptions,
        "the model \"\(model.name)\" names no key, so a snapshot cannot tell which rows the input "
          + "lacks", advice: .nameKey)
    }
    guard mergePolicy != .append else {
      throw StoreError(
        .invalidOptions,
        "the policy append adds each record of a snapshot beside the one with the same key, so every "
          + "row would be there twice", advice: .useOtherPolicy)
    }
  }

  /// Checks what is said of delimited text.
  package func checkRows() throws(StoreError) {
    if let delimiter {
      guard let byte = delimiter.asciiValue, !Array("\"\r\n{[".utf8).contains(byte) else {
        throw StoreError(
          .invalidOptions,
          "\(JSONText.quoted(String(delimiter))) cannot be a delimiter; it is one ASCII character such as ; "
            + "and no quote, bracket or end of a line")
      }
      guard pointer == nil, !hasHeader else {
        throw StoreError(
          .invalidOptions,
          "delimited text has its records in rows below a header; leave out the place of records in JSON"
        )
      }
    }
    guard !columns.containsExactly(""), Set(columns.map(ExactText.init)).count == columns.count
    else {
      throw StoreError(.invalidOptions, "the names of columns are different, and none is empty")
    }
  }
}
