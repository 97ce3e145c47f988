internal import POIRecords

/// Which shard a record belongs to: the hash of its canonical key, modulo the number of shards. So all records of a
/// key are in one shard. A record without a key goes by its digest.
struct ShardRule: ~Copyable {
  let key: EnforcedKey
  private var canonicalKey = CanonicalKey()
  private let shardCount: UInt64

  /// - Parameter shardCount: at least 1.
  init(_ model: Model, shardCount: Int) {
    let slots = model.key.compactMap { model.attributes.index(named: $0) }
    key = EnforcedKey(
      columns: slots.map { model.attributes[$0].column }, slots: slots, isHashed: false,
      groupsNull: false)
    self.shardCount = UInt64(shardCount)
  }

  /// The number of the shard, from 0, and whether the record has a key.
  mutating func shard(
    of record: Int, in batch: borrowing RecordBatch
  ) -> (number: Int, hasKey: Bool) {
    let hasKey =
      !key.slots.isEmpty
      && canonicalKey.read(key, of: record, in: batch, relatedRowID: { _ in nil })
    let hash = hasKey ? canonicalKey.hash.digest : batch.digest(of: record)
    return (Int(hash.high % shardCount), hasKey)
  }
}
