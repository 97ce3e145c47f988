internal import POIRecords
internal import POISQLite

/// The exact bytes of a key: two keys are equal if and only if their bytes are.
///
/// The bytes are canonical content in which the name of each part is its number in the key. NULL
/// adds no bytes, and a related row is represented by its row id.
///
/// One value serves all rows of a run: it keeps its memory, so that reading a key does not
/// allocate.
struct CanonicalKey: ~Copyable {
  private var content = CanonicalContent()

  /// - Complexity: O(count of bytes)
  var hash: KeyHash { KeyHash(digest: content.digest) }

  /// A hash that differs between two processes, so that no program can make keys with the same one.
  ///
  /// - Complexity: O(count of bytes)
  var secretHash: UInt64 {
    let bytes = content.bytes
    var hasher = Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// - Complexity: O(count of bytes)
  func isEqual(to other: borrowing CanonicalKey) -> Bool {
    content.hasSameBytes(as: other.content)
  }

  mutating func removeAll() { content.removeAll() }

  /// Reads the key in columns of a statement's current row.
  ///
  /// - Returns: false if a part of the key is NULL.
  mutating func read(_ columns: Range<Int>, of statement: borrowing Statement) -> Bool {
    content.removeAll()
    var isWhole = true
    for column in columns {
      content.append(
        column: column, of: statement, nameTag: UInt64(column - columns.lowerBound))
      if statement.isNull(column) { isWhole = false }
    }
    return isWhole
  }

  /// Reads the key of a record.
  ///
  /// - Parameter relatedRowID: returns the id of the related row for a slot that holds one.
  /// - Returns: false if a part of the key is null.
  mutating func read(
    _ key: EnforcedKey, of record: Int, in batch: borrowing RecordBatch,
    relatedRowID: (Int) -> Int64?
  ) -> Bool {
    content.removeAll()
    for (part, slot) in key.slots.enumerated() {
      if batch[record, slot].isNull { return false }
      if let rowID = relatedRowID(slot) {
        content.append(integer: rowID, nameTag: UInt64(part))
      } else {
        batch.append(record: record, slot: slot, nameTag: UInt64(part), to: &content)
      }
    }
    return true
  }
}

/// The hash of a key: the 128 bits of MurmurHash3 of its `CanonicalKey`.
///
/// Equal keys have equal hashes; different keys may have the same one. It is:
///
/// - the value of the enforced hash column, as a blob of 16 bytes;
/// - half of the `SortKey` of a key that fits no other form.
struct KeyHash: Equatable {
  let digest: Digest

  /// The value of the hash column: the bytes in the order in which MurmurHash3 defines them.
  var bytes: [UInt8] { digest.bytes }
}
