internal import JSONStreaming

/// Decodes elements of the input into a batch, and checks all rules of the model.
///
/// The batch keeps a record without issues. Otherwise `issues` holds its issues until the next record.
struct RecordDecoder: ~Copyable {
  let layout: RecordLayout
  var table: SourceTable

  let plans: GrowableBuffer<FieldDecoding>

  private let requiredFields: GrowableBuffer<Int>
  private let keySlots: [Int]

  /// Whether records may lack required attributes outside the key. The merge rejects those without a row.
  var acceptsPartialRecords = false

  /// Whether the records are rows of delimited text, whose values are texts or null.
  var isOfRows = false { didSet { readsTexts = isOfRows } }

  /// Whether a text can be a number or boolean, or the JSON of an array or object.
  var readsTexts = false

  /// The name of the column with the unmapped members, if there is one.
  let unmappedName: [UInt8]?

  /// Whether the last record lacks required attributes and was accepted for a merge.
  private(set) var isPartial = false

  /// Whether the records are elements of an array, which share what one record has.
  var isOfElements = false

  var issues: [Issue] = []

  /// Whether the model maps all members of the last record; true if the records are plain values.
  private(set) var isLastWhollyMapped = true

  private var checker: RuleChecker
  private let recordRules: RecordRules
  private let hasRecordRules: Bool
  private let defaults: DefaultValues

  private var tally = MemberTally()

  /// For each field, whether a value that its column cannot hold is kept with the unmapped members.
  let keepsMisfit: [Bool]
  let keepsMisfits: Bool

  /// The kept values by pointer, since the counts were moved last.
  var kept: [ExactText: KeptMember] = [:]

  let childDecoders: [ChildDecoder]
  private let hasChildren: Bool

  private let validators: [any RecordValidator]
  let questions = RecordQuestions()
  let removalPlan: RemovalPlan?

  /// The slot of the timestamp; nil if the model has no timestamp or accepts any instant.
  private let timestampSlot: Int?

  /// The latest accepted timestamp, in microseconds since 1970.
  private let latestTimestamp: Int64

  /// The unmapped members of the current record, as the inside of a JSON object.
  private var unmapped = GrowableBuffer<UInt8>()

  /// For each node of the table the last record that contained it, to detect repeated members.
  private var lastRecordOfNode = GrowableBuffer<Int>()
  private var recordNumber = 0

  /// - Parameter latestTimestamp: records with a later timestamp are rejected.
  init(model: Model, validators: [any RecordValidator] = [], latestTimestamp: Instant? = nil) {
    layout = RecordLayout(model)
    childDecoders = layout.relations.map { ChildDecoder($0.relation) }
    hasChildren = !childDecoders.isEmpty
    table = SourceTable(layout)
    unmappedName = model.unmappedColumn.map { Array($0.utf8) }
    checker = RuleChecker(model.rules)
    let rules = model.recordRules
    recordRules = rules
    defaults = model.defaults
    // Do not read `self` here: the compiler (6.3.1) treats uninitialized properties as set.
    hasRecordRules =
      !model.rules.rules(of: rules.schema).isEmpty || !rules.dependencies.isEmpty
      || rules.coordinates != nil && !model.keepsMisfits
    self.validators = validators
    removalPlan = RemovalPlan(model)
    keepsMisfits = model.keepsMisfits
    keepsMisfit = layout.fields.map { field in
      let attribute = field.attribute
      return model.keepsMisfits && field.relationField == nil && attribute.relation == nil
        && !attribute.isRequired && !model.key.containsExactly(attribute.name)
        && model.tombstone?.attribute?.isExactly(attribute.name) != true
    }
    timestampSlot =
      latestTimestamp == nil ? nil : model.attributes.index(named: model.timestamp)
    self.latestTimestamp = latestTimestamp?.microseconds ?? .max
    var plans = GrowableBuffer<FieldDecoding>()
    var requiredFields = GrowableBuffer<Int>()
    for (index, field) in layout.fields.enumerated() {
      var plan = FieldDecoding(field, rules: model.rules.rules(of: field.attribute.schema))
      if keepsMisfit[index], index == timestampSlot {
        plan.latestInstant = min(plan.latestInstant, self.latestTimestamp)
      }
      plans.append(plan)
      if field.attribute.isRequired { requiredFields.append(index) }
    }
    self.plans = plans
    self.requiredFields = requiredFields
    keySlots = model.key.compactMap(model.attributes.index(named:))
    for _ in 0..<table.nodeCount { lastRecordOfNode.append(0) }
  }

  /// Decodes one element into `batch`; returns whether it was accepted. If not, the batch is unchanged.
  mutating func decode(
    _ element: JSONElement, origin: RecordOrigin, into batch: inout RecordBatch
  ) -> Bool {
    clearIssues()
    if !isOfElements { checker.beginRecord() }
    guard element.tape[element.start].kind == .startObject else {
      if let plan = removalPlan, plan.acceptsNullRecord, element.memberName != nil,
        element.tape[element.start].kind == .null
      {
        return decodeNullRecord(element, plan, origin: origin, into: &batch)
      }
      issues.report(
        "not-an-object", nil,
        "a record is an object, this is \(element.description(ofValueAt: element.start))")
      return false
    }
    recordNumber += 1
    let arenaStart = batch.arena.count
    let record = batch.beginRecord()
    unmapped.removeAll()
    removalPlan?.isMarked = false
    isLastWhollyMapped = walkObject(
      element.start, node: SourceTable.root, handling: layout.unmappedSlot == nil ? .count : .keep,
      element: element, record: record, batch: &batch)
    if element.memberName != nil { decodeMemberName(element, record: record, batch: &batch) }
    let isDeletion = removalPlan?.isDeletion(record, in: batch) ?? false
    if !isDeletion {
      checkRequired(record: record, batch: batch)
      if keepsMisfits, !isLastWhollyMapped, issues.isEmpty {
        checkPresence(element, record: record, batch: batch)
      }
    }
    if let timestampSlot { checkTimestamp(of: record, in: batch, slot: timestampSlot) }
    if hasRecordRules, !isDeletion { checkRecordRules(element, record: record, batch: batch) }
    if !defaults.entries.isEmpty, !isDeletion { addDefaults(record: record, batch: &batch) }
    if let slot = layout.unmappedSlot, !unmapped.isEmpty {
      let start = batch.arena.count
      batch.arena.append(UInt8(ascii: "{"))
      batch.arena.append(copying: unmapped.span)
      batch.arena.append(UInt8(ascii: "}"))
      batch[record, slot] = .text(start..<batch.arena.count)
    }
    if !validators.isEmpty, !isDeletion { runValidators(record: record, batch: batch) }
    return acceptOrDiscard(
      record, isDeletion: isDeletion, origin: origin, arenaStart: arenaStart, batch: &batch)
  }

  /// Checks the current record if it is a deletion, then accepts it, or discards it if it has issues; returns
  /// whether it was accepted.
  mutating func acceptOrDiscard(
    _ record: Int, isDeletion: Bool, origin: RecordOrigin, arenaStart: Int,
    batch: inout RecordBatch
  ) -> Bool {
    if isDeletion { checkDeletion(record: record, batch: batch) }
    guard issues.isEmpty else {
      batch.discard(arenaStart: arenaStart)
      return false
    }
    var origin = origin
    origin.isDeletion = isDeletion
    batch.accept(origin)
    return true
  }

  /// Begins an array of elements.
  mutating func beginElements() { checker.beginRecord() }

  mutating func clearIssues() {
    isPartial = false
    if !issues.isEmpty { issues.removeAll(keepingCapacity: true) }
  }

  // MARK: Walking

  /// What happens to unmapped members.
  enum UnmappedHandling {
    /// Count them, and copy them to the model's column.
    case keep
    /// Only count them: the model has no column, or its column gets the array that contains them as a whole.
    case count
    /// Ignore them: a column keeps the value that contains them.
    case ignore
  }

  /// Decodes the mapped members of an object; returns whether the model maps the whole object.
  ///
  /// An unmapped member makes the result false, also if the model's column keeps it. A member whose value is an
  /// object counts as wholly mapped once its own unmapped members were copied to the column.
  @discardableResult
  mutating func walkObject(
    _ start: Int, node: Int, handling: UnmappedHandling, element: JSONElement, record: Int,
    batch: inout RecordBatch
  ) -> Bool {
    var isWhollyMapped = true
    var cursor = table.cursor(in: node)
    var index = start + 1
    let tape = element.tape
    while true {
      let key = tape[index]
      guard key.kind == .key else { return isWhollyMapped }
      let name = tape.text(of: key)
      let target = table.target(ofMember: name, at: &cursor)
      let value = index + 1
      if target.node < 0, target.field >= 0 {
        if decodeCommonField(
          target.field, value: value, element: element, record: record, batch: &batch)
        {
          // Most values are.
        } else if let isMapped = decodeText(
          target, name: name, value: value, handling: handling, element: element, record: record,
          batch: &batch)
        {
          isWhollyMapped = isWhollyMapped && isMapped
        } else {
          let isMapped = decodeOrKeep(
            target.field, name: name, value: value, handling: handling, element: element,
            record: record, batch: &batch)
          isWhollyMapped = isWhollyMapped && isMapped
        }
      } else if let isMapped = decodeText(
        target, name: name, value: value, handling: handling, element: element, record: record,
        batch: &batch)
      {
        isWhollyMapped = isWhollyMapped && isMapped
      } else if target.node >= 0 {
        let isMapped = decodeMapped(
          target, name: name, value: value, handling: handling, element: element,
          record: record, batch: &batch)
        isWhollyMapped = isWhollyMapped && isMapped
      } else {
        isWhollyMapped = false
        handleUnmapped(name, value: value, node: node, handling: handling, element: element)
      }
      index = tape.end(ofValueAt: value)
    }
  }

  /// Checks an unmapped member, and counts or copies it as `handling` says.
  @inline(never)
  private mutating func handleUnmapped(
    _ name: Span<UInt8>, value: Int, node: Int, handling: UnmappedHandling, element: JSONElement
  ) {
    if node == SourceTable.root, let mark = removalPlan?.member, name.hasSameBytes(as: mark.span) {
      removalPlan?.isMarked = element.tape[value].kind == .true
      return
    }
    if node == SourceTable.root, let schema = recordRules.additional {
      checker.checkAdditionalMember(
        at: value, inside: RuleSubject(valueAt: element.start, of: element, start: element.start),
        schema: schema, issues: &issues)
    }
    if handling != .ignore { tally.count(name, in: node) }
    if handling == .keep { appendUnmapped(name, value: value, element: element) }
  }

  /// Decodes the mapped elements of an array; returns whether the model maps the whole array.
  private mutating func walkArray(
    _ start: Int, node: Int, handling: UnmappedHandling, element: JSONElement, record: Int,
    batch: inout RecordBatch
  ) -> Bool {
    var isWhollyMapped = true
    var index = start + 1
    var position = 0
    while element.tape[index].kind != .endArray {
      let target = table.target(ofElement: position, in: node)
      if target.isMapped {
        let isMapped = decodeMapped(
          target, name: nil, value: index, handling: handling, element: element,
          record: record, batch: &batch)
        isWhollyMapped = isWhollyMapped && isMapped
      } else {
        isWhollyMapped = false
        if handling != .ignore { tally.count(index: position, in: node) }
      }
      index = element.tape.end(ofValueAt: index)
      position += 1
    }
    if keepsMisfits {
      while position < table.elementCount(of: node) {
        let pointer = table.pointer(of: node) + "/\(position)"
        nameFields(at: pointer, record: record, batch: &batch)
        position += 1
      }
    }
    return isWhollyMapped
  }

  /// Decodes a mapped member or element; returns whether the model maps the whole value. `name` is nil for
  /// an element, which is never kept separately.
  mutating func decodeMapped(
    _ target: SourceTable.Target, name: Span<UInt8>?, value: Int, handling: UnmappedHandling,
    element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool {
    var handling = handling
    if hasChildren, target.field >= layout.fields.count {
      let isWhollyMapped = decodeChildren(
        target.field - layout.fields.count, value: value, element: element, record: record,
        batch: &batch)
      if !isWhollyMapped, handling == .keep, let name {
        appendUnmapped(name, value: value, element: element)
      }
      return isWhollyMapped
    }
    if target.field >= 0 {
      let isRelation = plans[target.field].isRelation
      if isRelation, isOfRows, element.tape[value].kind == .startObject,
        element.holdsOnlyNulls(objectAt: value)
      {
        if plans[target.field].acceptsNullDirectly { batch[record, target.field] = .null }
        return true
      }
      if isRelation, element.tape[value].kind == .startObject,
        batch[record, target.field].kind == .absent
      {
        batch[record, target.field] = .related
      } else if !decodeOrKeep(
        target.field, name: name, value: value, handling: handling, element: element,
        record: record, batch: &batch)
      {
        return false
      }
      if !isRelation { handling = .ignore }
    }
    guard target.node >= 0 else { return true }
    if keepsMisfits, target.field < 0, handling != .ignore,
      isOfOtherKind(value, node: target.node, element: element)
    {
      return keepWhole(
        target.node, name: name, value: value, handling: handling, element: element,
        record: record, batch: &batch)
    }
    switch element.tape[value].kind {
    case .startObject:
      reportIfRepeated(ofNode: target.node)
      guard handling == .keep, let name else {
        let isWhollyMapped = walkObject(
          value, node: target.node, handling: handling, element: element, record: record,
          batch: &batch)
        return isWhollyMapped || handling == .ignore
      }
      let before = unmapped.count
      appendUnmappedName(name)
      unmapped.append(UInt8(ascii: "{"))
      let opened = unmapped.count
      walkObject(
        value, node: target.node, handling: .keep, element: element, record: record,
        batch: &batch)
      // Without a value for an attribute only the text tells that there was an object, or null.
      if unmapped.count > opened
        || keepsMisfits && !readsTexts && element.holdsOnlyNulls(objectAt: value)
      {
        unmapped.append(UInt8(ascii: "}"))
      } else {
        unmapped.truncate(to: before)
      }
      return true
    case .startArray:
      reportIfRepeated(ofNode: target.node)
      let isWhollyMapped =
        walkArray(
          value, node: target.node, handling: handling == .keep ? .count : handling,
          element: element, record: record, batch: &batch)
        && !(keepsMisfits && element.tape[value + 1].kind == .endArray)
      if !isWhollyMapped, handling == .keep, let name {
        appendUnmapped(name, value: value, element: element)
      }
      return isWhollyMapped || handling == .ignore
    case .null:
      reportIfRepeated(ofNode: target.node)
      if keepsMisfits, target.field < 0, handling != .ignore {
        nameFields(at: table.pointer(of: target.node), record: record, batch: &batch)
        if handling == .keep, let name { appendUnmapped(name, value: value, element: element) }
      }
      return true
    default:
      // A value with its own field has already reported its type.
      if target.field < 0 {
        issues.report(
          "type", layout.path(ofFieldOrRelation: table.anyField(of: target.node)),
          "\(table.pointer(of: target.node)) holds attributes and must be an object or an array, "
            + "not \(element.excerpt(ofValueAt: value))")
      }
      return true
    }
  }

  mutating func reportIfRepeated(ofNode node: Int) {
    // The members beside the columns are behind them in delimited text.
    if !isOfRows, lastRecordOfNode[node] == recordNumber {
      issues.report(
        "duplicate-key", nil, "the member \(table.pointer(of: node)) occurs twice in the record")
    }
    lastRecordOfNode[node] = recordNumber
  }

  mutating func appendUnmapped(_ name: Span<UInt8>, value: Int, element: JSONElement) {
    appendUnmappedName(name)
    JSONText.append(valueAt: value, of: element.tape, to: &unmapped)
  }

  private mutating func appendUnmappedName(_ name: Span<UInt8>) {
    if !unmapped.isEmpty, unmapped[unmapped.count - 1] != UInt8(ascii: "{") {
      unmapped.append(UInt8(ascii: ","))
    }
    JSONText.appendQuoted(name, to: &unmapped)
    unmapped.append(UInt8(ascii: ":"))
  }

  // MARK: Checks of the whole record

  private mutating func checkRequired(record: Int, batch: borrowing RecordBatch) {
    for number in 0..<requiredFields.count {
      let index = requiredFields[number]
      if batch[record, index].kind == .absent {
        reportRequired(index, record: record, batch: batch)
      }
    }
    guard hasChildren else { return }
    if !acceptsPartialRecords {
      checkRequiredChildren(record: record, batch: batch)
    } else if !isPartial {
      isPartial = !layout.missingAttributes(of: record, in: batch).isEmpty
    }
  }

  /// Reports a server's error: the model reads none of its members, and one says so.
  @inline(never)
  private mutating func checkPresence(
    _ element: JSONElement, record: Int, batch: borrowing RecordBatch
  ) {
    for index in layout.fields.indices where batch[record, index].kind != .absent { return }
    for node in 0..<table.nodeCount where lastRecordOfNode[node] == recordNumber { return }
    for name in ["error", "errors", "fault", "message", "detail"]
    where element.value(ofMember: name, at: element.start) != nil {
      return issues.report(
        "required", nil, "the model reads none of its members, and \(name) tells an error")
    }
  }

  @inline(never)
  private mutating func reportRequired(_ index: Int, record: Int, batch: borrowing RecordBatch) {
    if let relation = plans[index].relationField, batch[record, relation].kind != .related {
      return
    }
    if acceptsPartialRecords, index < layout.attributeCount, !keySlots.contains(index) {
      isPartial = true
      return
    }
    reportMissing(layout.fields[index].path, "the attribute is missing", as: "required")
  }

  /// Reports an attribute without a value, unless another issue already explains it.
  mutating func reportMissing(_ path: String, _ message: String, as rule: String) {
    guard !issues.contains(where: { $0.attribute == path }) else { return }
    issues.report(rule, path, message)
  }

  /// Reports a timestamp in the future: it would win over every later record.
  private mutating func checkTimestamp(of record: Int, in batch: borrowing RecordBatch, slot: Int) {
    guard let time = batch.timestamp(of: record, slot: slot), time > latestTimestamp else { return }
    issues.report(
      "skew", layout.fields[slot].path, skewMessage(Instant(microseconds: time)))
  }

  func skewMessage(_ instant: Instant) -> String {
    "\(instant) is later than \(Instant(microseconds: latestTimestamp)), the latest that is allowed now"
  }

  private mutating func checkRecordRules(
    _ element: JSONElement, record: Int, batch: borrowing RecordBatch
  ) {
    checker.check(
      RuleSubject(valueAt: element.start, of: element, start: element.start),
      schema: recordRules.schema, attribute: nil, issues: &issues)
    for number in recordRules.dependencies.indices {
      let dependency = recordRules.dependencies[number]
      guard batch[record, dependency.attribute].kind != .absent,
        batch[record, dependency.needed].kind == .absent
      else { continue }
      reportMissing(
        layout.fields[dependency.needed].path,
        "the attribute is missing, and \(layout.fields[dependency.attribute].path) is there",
        as: "dependentRequired")
    }
    if let coordinates = recordRules.coordinates, !keepsMisfits {
      let (latitude, longitude) = (
        batch[record, coordinates.latitude].number?.real,
        batch[record, coordinates.longitude].number?.real
      )
      if let latitude, let longitude,
        let message = GeographicPosition.issueMessage(latitude: latitude, longitude: longitude)
      {
        issues.report("coordinates", layout.fields[coordinates.latitude].path, message)
      }
    }
  }

  // MARK: Defaults

  /// Decodes the model's defaults like values of a record; violations are in `issues`.
  mutating func decodeDefaults() -> DefaultValues {
    var values = DefaultValues()
    var arena = GrowableBuffer<UInt8>()
    for (index, field) in layout.fields.enumerated() {
      guard let text = field.attribute.defaultValue else { continue }
      var reader = ElementReader(shape: .sequence, isResumable: false)
      reader.append(text.utf8Span.span)
      reader.finish()
      guard reader.findValue() else {
        issues.report(
          "default", field.path, "\(String.excerpt(of: text.utf8Span.span)) is too large")
        continue
      }
      let element = JSONElement(reader)
      let slot = slot(of: index, value: element.start, element: element, arena: &arena)
      values.entries.append(DefaultValues.Entry(field: index, slot: slot))
    }
    for index in 0..<arena.count { values.text.append(arena[index]) }
    return values
  }

  /// Fills absent attributes with their defaults, marked `asDefault`, so that a merge does not replace named
  /// values by them. The default of the tombstone is not marked: a record without a tombstone restores a removed
  /// row.
  private func addDefaults(record: Int, batch: inout RecordBatch) {
    for number in defaults.entries.indices {
      let (field, slot) = (defaults.entries[number].field, defaults.entries[number].slot)
      guard batch[record, field].kind == .absent else { continue }
      guard slot.kind == .text else {
        batch[record, field] = field == removalPlan?.slot ? slot : slot.asDefault
        continue
      }
      let start = batch.arena.count
      batch.arena.append(copying: defaults.text.span.extracting(slot.textRange))
      batch[record, field] = ValueSlot.text(start..<batch.arena.count).asDefault
    }
  }

  private mutating func runValidators(record: Int, batch: borrowing RecordBatch) {
    let view = RecordView(of: record, in: batch, layout, questions)
    for validator in validators {
      issues.append(contentsOf: validator.issues(in: view).prefix(Issue.limit - issues.count))
    }
  }

  /// Moves the counts of unmapped members to `counts`, by JSON pointer, and adds the number of those that were
  /// not counted by name to `otherCount`.
  mutating func moveTally(to counts: inout [ExactText: Int], otherCount: inout Int) {
    tally.move(to: &counts, otherCount: &otherCount, table: table)
    for child in childDecoders { child.moveTally(to: &counts, otherCount: &otherCount) }
  }

  /// Checks a value of the right type against the rules of a field.
  mutating func check(_ subject: RuleSubject, of index: Int) {
    let field = layout.fields[index]
    checker.check(
      subject, schema: field.attribute.schema, attribute: field.path, issues: &issues)
  }
}
