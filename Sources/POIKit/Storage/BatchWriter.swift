internal import JSONStreaming
internal import SQLiteKit

/// Writes batches into a model's tables: rows, rejects, counters and checkpoint in one transaction
/// each.
///
/// The statements are prepared once and kept for the run.
struct BatchWriter: ~Copyable {
  private let layout: RecordLayout
  private let runID: Int64
  private var generation: Int64
  private var insertion: Statement
  private var rejection: Statement
  private var checkpoint: Statement
  private var beginning: Statement
  private var ending: Statement
  private var cancelling: Statement
  private let relations: [(slot: Int, writer: RelationWriter)]
  private var compactKey: CompactKey?
  private let keyHashParameter: Int

  /// - Parameters:
  ///   - runID: the run in `poikit_run` that the batches belong to.
  ///   - generation: how many batches the run has committed before.
  init(
    model: Model, runID: Int64, generation: Int64, connection: borrowing Connection
  ) throws(SQLiteError) {
    let schema = StoreSchema(model)
    // A value that is not copyable is made whole at once: nothing of it is set before all that may
    // fail is done.
    let compactKey = try CompactKey(model, connection: connection)
    let hasCompactKey = compactKey != nil
    let insertion = try connection.prepare(
      hasCompactKey ? schema.insertionWithKeyHash : schema.insertion)
    let rejection = try connection.prepare(
      """
      INSERT INTO poikit_reject
        (run, input, record, byte_offset, line, "column", rule, attribute, message, issues,
         member, raw)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    let checkpoint = try connection.prepare(
      """
      INSERT INTO poikit_checkpoint (run, generation, state) VALUES (?1, ?2, ?3)
      ON CONFLICT (run) DO UPDATE SET state = excluded.state, generation = excluded.generation
        WHERE generation = excluded.generation - 1
      RETURNING 1
      """)
    let beginning = try connection.prepare("BEGIN IMMEDIATE")
    let ending = try connection.prepare("COMMIT")
    let cancelling = try connection.prepare("ROLLBACK")
    var relations: [(slot: Int, writer: RelationWriter)] = []
    for (slot, attribute) in model.attributes.enumerated() {
      guard let relation = attribute.relation else { continue }
      relations.append(
        (
          slot,
          try RelationWriter(
            relation, fields: schema.layout.fields[slot].relatedFields, connection: connection)
        ))
    }
    layout = schema.layout
    self.runID = runID
    self.generation = generation
    self.insertion = insertion
    self.rejection = rejection
    self.checkpoint = checkpoint
    self.beginning = beginning
    self.ending = ending
    self.cancelling = cancelling
    self.relations = relations
    self.compactKey = compactKey
    keyHashParameter = hasCompactKey ? schema.columnCount + 1 : 0
  }

  /// Begins the transaction of a batch.
  mutating func begin() throws(SQLiteError) { try beginning.run() }

  /// Commits the transaction of a batch.
  mutating func commit() throws(SQLiteError) { try ending.run() }

  /// Gives up the transaction of a batch; SQLite may have done so already.
  mutating func rollBack() { try? cancelling.run() }

  /// Inserts the records of `batch`; one that another unique key or a check of the table refuses
  /// becomes a reject.
  ///
  /// Runs inside the caller's transaction.
  mutating func insertRows(of batch: inout RecordBatch) throws(SQLiteError) {
    for record in 0..<batch.recordCount {
      for slot in 0..<layout.attributeCount {
        try batch.bind(record: record, slot: slot, to: &insertion, at: slot + 1)
      }
      var relatedRowIDs: [(slot: Int, rowID: Int64)] = []
      for relation in relations where batch[record, relation.slot].kind == .related {
        let rowID = try relation.writer.rowID(record: record, batch: batch)
        try insertion.bind(relation.slot + 1, integer: rowID)
        if keyHashParameter > 0 { relatedRowIDs.append((relation.slot, rowID)) }
      }
      if keyHashParameter > 0 {
        let key = compactKey?.digest(record: record, of: batch) { slot in
          relatedRowIDs.first { $0.slot == slot }?.rowID
        }
        if let key {
          try insertion.bind(keyHashParameter, blob: key.bytes.span)
        } else {
          try insertion.bindNull(keyHashParameter)
        }
      }
      if let slot = layout.unmappedSlot {
        try batch.bind(record: record, slot: slot, to: &insertion, at: layout.attributeCount + 1)
      }
      do {
        try insertion.run()
      } catch {
        guard error.isConstraint else { throw error }
        batch.refuse(record: record, because: error)
      }
    }
  }

  /// Inserts the rejects of `batch`. Runs inside the caller's transaction.
  mutating func insertRejects(
    of batch: borrowing RecordBatch, input: String
  ) throws(SQLiteError) {
    for reject in batch.rejects {
      let first = reject.issues[0]
      try rejection.bind(1, integer: runID)
      try rejection.bind(2, text: input)
      try rejection.bind(3, integer: Int64(reject.origin.index + 1))
      try rejection.bind(4, integer: Int64(reject.origin.byteOffset))
      try rejection.bind(5, integer: Int64(reject.origin.line + 1))
      try rejection.bind(6, integer: Int64(reject.origin.column + 1))
      try rejection.bind(7, text: first.rule)
      try rejection.bind(8, text: first.attribute)
      try rejection.bind(9, text: first.message)
      try rejection.bind(10, text: Issue.json(reject.issues).description)
      try rejection.bind(11, text: reject.member)
      try rejection.bind(12, blob: batch.arena.span.extracting(reject.origin.raw))
      try rejection.run()
    }
  }

  /// Writes the checkpoint. Runs inside the caller's transaction.
  ///
  /// - Returns: whether it is the one after this writer's last; if not, another process drives the
  ///   run, and the batch must not be committed.
  mutating func writeCheckpoint(_ state: String) throws(SQLiteError) -> Bool {
    try checkpoint.bind(1, integer: runID)
    try checkpoint.bind(2, integer: generation + 1)
    try checkpoint.bind(3, text: state)
    defer { checkpoint.reset() }
    guard try checkpoint.step() else { return false }
    generation += 1
    return true
  }
}

extension Statement {
  /// Binds text, or NULL where there is none.
  mutating func bind(_ index: Int, text: String?) throws(SQLiteError) {
    if let text { try bind(index, text: text) } else { try bindNull(index) }
  }
}

extension Issue {
  /// The issues as the reject table and the reject file keep them.
  static func json(_ issues: [Issue]) -> JSONValue {
    .array(
      issues.map { issue in
        .object([
          "rule": .string(issue.rule), "attribute": issue.attribute.map(JSONValue.string) ?? .null,
          "message": .string(issue.message),
        ])
      })
  }
}
