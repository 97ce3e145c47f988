internal import JSONStreaming

/// Decodes the elements of one relation to many.
///
/// A class, because a decoder keeps one for each relation in an array, which cannot hold noncopyable
/// values.
final class ChildDecoder {
  private let relation: RelationToMany
  /// The slots of the attributes that tell the elements apart.
  private let keySlots: [Int]
  private var decoder: RecordDecoder
  private var digester: RecordDigester

  /// What the rules found in the elements of the array decoded last, by its name and the element's
  /// number from 0: `states/3/name`.
  private(set) var issues: [Issue] = []

  /// Rows by the hash of their keys, or -1; as many as are needed are in use.
  private var buckets = GrowableBuffer<Int32>()

  init(_ relation: RelationToMany) {
    self.relation = relation
    let element = relation.element
    keySlots = element.key.compactMap { name in
      element.attributes.index(named: name)
    }
    decoder = RecordDecoder(model: element)
    digester = RecordDigester(element)
  }

  /// Decodes all elements of an array.
  ///
  /// An element that equals one before it is the same row; one that only has the same key is an
  /// issue.
  ///
  /// - Returns: whether the model maps all of it.
  func decode(
    arrayAt start: Int, of element: JSONElement, into children: ChildRecords
  ) -> Bool {
    if !issues.isEmpty { issues.removeAll(keepingCapacity: true) }
    let first = children.rows.recordCount
    let mask = clearBuckets(forElements: element.tape[start].elementCount)
    var isWhollyMapped = true
    var index = start + 1
    var position = 0
    while element.tape[index].kind != .endArray, issues.count < RuleChecker.issueLimit {
      let arenaStart = children.rows.arena.count
      let isAccepted = decode(
        JSONElement(valueAt: index, of: element), into: &children.rows)
      if isAccepted {
        if !relation.isPlain, !decoder.isLastWhollyMapped { isWhollyMapped = false }
        resolveTwin(
          ofRow: children.rows.recordCount - 1, from: first, position: position,
          arenaStart: arenaStart, mask: mask, in: &children.rows)
      } else {
        for issue in decoder.issues {
          report(issue.rule, position, relation.isPlain ? nil : issue.attribute, issue.message)
        }
      }
      index = element.tape.end(ofValueAt: index)
      position += 1
    }
    return isWhollyMapped
  }

  private func decode(_ element: JSONElement, into rows: inout RecordBatch) -> Bool {
    let isAccepted =
      relation.isPlain
      ? decoder.decodePlain(element, into: &rows)
      : decoder.decode(element, origin: RecordOrigin(index: 0, byteOffset: 0), into: &rows)
    if isAccepted { rows.add(digester.digest(record: rows.recordCount - 1, of: rows)) }
    return isAccepted
  }

  /// Adds the counts of members that no attribute maps, by pointers in which `*` is any element.
  func moveTally(to counts: inout [ExactText: Int], others: inout Int) {
    guard case .pointer(let tokens) = relation.source else { return }
    var found: [ExactText: Int] = [:]
    decoder.moveTally(to: &found, others: &others)
    let prefix = JSONPointer(tokens: tokens).description + "/*"
    for (pointer, count) in found {
      counts[ExactText(prefix + pointer.text), default: 0] += count
    }
  }

  private func report(_ rule: String, _ position: Int, _ attribute: String?, _ message: String) {
    guard issues.count < RuleChecker.issueLimit else { return }
    let path = "\(relation.name)/\(position)" + (attribute.map { "/" + $0 } ?? "")
    issues.append(Issue(rule: rule, attribute: path, message: message))
  }

  // MARK: Twins

  /// - Returns: the number of buckets in use, less one.
  private func clearBuckets(forElements count: Int) -> Int {
    var size = 16
    while size < count * 2 { size *= 2 }
    buckets.removeAll()
    buckets.append(repeating: -1, count: size)
    return size - 1
  }

  /// Looks for a row of the same parent with the same key: a row that equals it is forgotten, another
  /// is an issue.
  ///
  /// - Parameter first: the first row of the parent.
  private func resolveTwin(
    ofRow row: Int, from first: Int, position: Int, arenaStart: Int, mask: Int,
    in rows: inout RecordBatch
  ) {
    var bucket = Int(truncatingIfNeeded: keyHash(ofRow: row, in: rows)) & mask
    while buckets[bucket] >= 0 {
      let other = first + Int(buckets[bucket])
      if hasSameKey(row, other, in: rows) {
        let isEqual = rows.digest(of: row) == rows.digest(of: other)
        if !isEqual {
          report(
            "unique", position, nil,
            "another element of the array has the same \(relation.element.key.joined(separator: ", "))"
          )
        }
        return rows.removeLast(arenaStart: arenaStart)
      }
      bucket = (bucket + 1) & mask
    }
    buckets[bucket] = Int32(truncatingIfNeeded: row - first)
  }

  private func keyHash(ofRow row: Int, in rows: borrowing RecordBatch) -> UInt64 {
    var hash = TableHash()
    for slot in keySlots {
      let value = rows[row, slot]
      let part =
        switch value.kind {
        case .text: rows.arena.span.extracting(value.textRange).tableHash
        case .real: (value.real + 0).bitPattern
        default: UInt64(bitPattern: value.integer)
        }
      hash.add(part)
    }
    return hash.value
  }

  private func hasSameKey(_ row: Int, _ other: Int, in rows: borrowing RecordBatch) -> Bool {
    for slot in keySlots {
      let (left, right) = (rows[row, slot], rows[other, slot])
      guard left.kind == right.kind else { return false }
      switch left.kind {
      case .text:
        let text = rows.arena.span.extracting(left.textRange)
        guard text.hasSameBytes(as: rows.arena.span.extracting(right.textRange)) else {
          return false
        }
      case .real: guard left.real == right.real else { return false }
      default: guard left.integer == right.integer else { return false }
      }
    }
    return true
  }
}
