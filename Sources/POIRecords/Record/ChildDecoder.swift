internal import JSONStreaming

/// Decodes the elements of one relation to many.
///
/// A class, because an array cannot hold noncopyable values and a decoder keeps an array of these.
final class ChildDecoder {
  private let relation: RelationToMany
  private let keySlots: [Int]
  private var decoder: RecordDecoder
  private var digester: RecordDigester

  /// An open-addressing hash table of rows by key; -1 is a free bucket.
  private var buckets = GrowableBuffer<Int32>()

  init(_ relation: RelationToMany) {
    self.relation = relation
    let element = relation.element
    keySlots = element.key.compactMap { element.attributes.index(named: $0) }
    decoder = RecordDecoder(model: element)
    decoder.isOfElements = true
    digester = RecordDigester(element)
  }

  /// Decodes all elements of an array. Equal elements become one row; different elements with the same key
  /// are an issue.
  ///
  /// - Parameter issues: receives issues by name and 0-based element number, such as `states/3/name`.
  /// - Returns: whether the model maps the whole array.
  func decode(
    arrayAt start: Int, of element: JSONElement, into children: ChildRecords,
    issues: inout [Issue]
  ) -> Bool {
    decoder.beginElements()
    let first = children.rows.recordCount
    let mask = clearBuckets(forElements: element.tape[start].elementCount)
    var isWhollyMapped = true
    var index = start + 1
    var position = 0
    while element.tape[index].kind != .endArray, issues.count < Issue.limit {
      let arenaStart = children.rows.arena.count
      if decode(JSONElement(valueAt: index, of: element), into: &children.rows) {
        if !decoder.isLastWhollyMapped { isWhollyMapped = false }
        if removeDuplicate(from: first, arenaStart: arenaStart, mask: mask, in: &children.rows) {
          issues.report(
            "unique", "\(relation.name)/\(position)",
            "another element of the array has the same "
              + relation.element.key.joined(separator: ", "))
        }
      } else {
        for issue in decoder.issues {
          let attribute = relation.isPlain ? nil : issue.attribute
          issues.report(
            issue.rule, "\(relation.name)/\(position)" + (attribute.map { "/" + $0 } ?? ""),
            issue.message)
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
    if isAccepted {
      rows.addDigestOfLastRecord(digester.digest(record: rows.recordCount - 1, of: rows))
    }
    return isAccepted
  }

  /// Adds the counts of unmapped members by JSON pointer, with `*` for the element number.
  func moveTally(to counts: inout [ExactText: Int], otherCount: inout Int) {
    guard case .pointer(let tokens) = relation.source else { return }
    var found: [ExactText: Int] = [:]
    decoder.moveTally(to: &found, otherCount: &otherCount)
    let prefix = JSONPointer(tokens: tokens).description + "/*"
    for (pointer, count) in found {
      counts[ExactText(prefix + pointer.text), default: 0] += count
    }
  }

  /// Clears the buckets for `count` elements and returns the bucket mask.
  private func clearBuckets(forElements count: Int) -> Int {
    var size = 16
    while size < count * 2 { size *= 2 }
    buckets.removeAll()
    buckets.append(repeating: -1, count: size)
    return size - 1
  }

  /// Removes the last row if another row of its parent, from `first` on, has the same key; returns whether
  /// the two rows differ.
  private func removeDuplicate(
    from first: Int, arenaStart: Int, mask: Int, in rows: inout RecordBatch
  ) -> Bool {
    let row = rows.recordCount - 1
    var bucket = Int(truncatingIfNeeded: keyHash(ofRow: row, in: rows)) & mask
    while buckets[bucket] >= 0 {
      let other = first + Int(buckets[bucket])
      if hasSameKey(row, other, in: rows) {
        let differs = rows.digest(of: row) != rows.digest(of: other)
        rows.removeLast(arenaStart: arenaStart)
        return differs
      }
      bucket = (bucket + 1) & mask
    }
    buckets[bucket] = Int32(truncatingIfNeeded: row - first)
    return false
  }

  private func keyHash(ofRow row: Int, in rows: borrowing RecordBatch) -> UInt64 {
    var hash = TableHash()
    for slot in keySlots {
      let value = rows[row, slot]
      let part =
        switch value.kind {
        case .text: rows.arena.span.extracting(value.textRange).tableHash
        // Adding 0 turns -0.0 into 0.0, which is equal to it.
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
